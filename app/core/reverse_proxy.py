"""The reverse proxy in front: without knowing of it, every visitor seems to come from one address."""

PROBLEM = (
    "BASE_URL is https, so a reverse proxy is in front, but OVERTURE_TRUSTED_PROXIES is 0: "
    "all visitors share one address."
)
REMEDY = "Set OVERTURE_TRUSTED_PROXIES=1, or to the number of proxies in front."

_unknown = False


def expect(base_url: str, hops: int) -> None:
    """Take the settings: `serve` speaks plain http, so an https address is that of a proxy."""
    global _unknown
    _unknown = base_url.startswith("https://") and not hops


def is_unknown() -> bool:
    """Return whether there must be a proxy that no setting names."""
    return _unknown
