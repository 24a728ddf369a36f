"""Registrable domains and public suffixes, by the bundled public suffix list."""

import tldextract
from tldextract.tldextract import ExtractResult

_list = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def split(host: str) -> ExtractResult:
    """Return subdomain, domain and suffix; private suffixes such as `github.io` count as suffixes, too."""
    return _list(host, include_psl_private_domains=True)


def registered(host: str) -> str:
    """Return the registrable domain of a host; '' if it has none."""
    return _list(host, include_psl_private_domains=False).top_domain_under_public_suffix


def is_ending(label: str) -> bool:
    """Return whether the label is a top-level domain or another suffix, such as `com`, `shop` and `рф`."""
    return bool(_list(f"name.{label}", include_psl_private_domains=False).suffix)
