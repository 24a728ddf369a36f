"""The same database and chance as in tests/kills."""

from tests.kills.conftest import chance, url

__all__ = ["chance", "url"]
