"""Unipile's API in one form for both versions; `opened` chooses by the address."""

from collections.abc import Mapping

from app.providers.http import HttpClient
from app.providers.unipile.client import Client, address_of
from app.providers.unipile.parsing import Json
from app.providers.unipile.v1 import V1
from app.providers.unipile.v2 import V2

Api = V1 | V2


def opened(client: HttpClient, values: Mapping[str, str], within: float, aside: list[Json] | None = None) -> Api:
    """Return the calls for these credentials, which together take at most so many seconds; `aside` as in Client."""
    address, later = address_of(values.get("base_url", ""))
    calls = Client(client, address, values.get("api_key", ""), within)
    calls.aside = aside
    return V2(calls) if later else V1(calls)
