"""Where an internet name was registered, and what such names end in, by the bundled public suffix list."""

import tldextract
from tldextract.tldextract import ExtractResult

_list = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def split(host: str) -> ExtractResult:
    """Return subdomain, domain and ending; what others may register below their own name, as `github.io`, is one."""
    return _list(host, include_psl_private_domains=True)


def registered(host: str) -> str:
    """Return the part of a host that its owner registered, '' where none is known."""
    return _list(host, include_psl_private_domains=False).top_domain_under_public_suffix


def is_ending(label: str) -> bool:
    """Return whether internet names end so, as with `com`, `shop` and `рф`."""
    return bool(_list(f"name.{label}", include_psl_private_domains=False).suffix)
