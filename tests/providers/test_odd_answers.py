"""Answers that break a contract are read as far as they go, or refused in a sentence. `make verify` has more."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Any

import pytest

from app.ports import AccountRef, Activity, ActivityKind, Credentials, CrmChange, Fill, Unreachable
from app.providers.crm import HubSpot, Pipedrive
from app.providers.http import HttpClient, HttpResponse
from app.providers.stripe.billing import StripeSeller
from app.providers.unipile import UnipileNetwork
from app.providers.unipile.client import escaped, text_of
from tests.providers.unipile.unipile_cases import action

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
OPENS = Credentials("crm", {"token": "good"})
INVITE = action("connection_request")
REPLIED = Activity("evt_1", "1", ActivityKind.MESSAGE, AT, "Replied", "Yes")
ADA = CrmChange("1", {"first_name": ("Ada", Fill.OURS)})


class Saying(HttpClient):
    """Whatever it is asked, it gives the same answer."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self._answer = answer

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"", **how: Any) -> HttpResponse:
        return HttpResponse(200, {}, json.dumps(self._answer).encode(), True)


def test_an_inbox_without_a_list_is_unreachable() -> None:
    """An inbox that nothing can be read of is tried again; it is no error of ours."""
    for generation, answer in product(("v2", "api/v1"), ({}, {"data": 7, "items": None})):
        values = {"base_url": f"https://api1.unipile.com/{generation}", "api_key": "key"}
        account = AccountRef(1, 1, "acc_1", "Ines", AT, settings=values)
        network = UnipileNetwork(Saying(answer))
        for call in (partial(network.inbound, account, ""), partial(network.find, account, INVITE)):
            with pytest.raises(Unreachable, match="unexpected format"):
                call()


def test_names_that_hold_no_character_can_be_kept_and_asked_for() -> None:
    assert text_of({"message_id": "a\0"}, "message_id") == text_of({"message_id": ["a\ud83e"]}, "message_id") == "a�"
    assert escaped("\ud83e") == "%EF%BF%BD"


def test_records_of_a_crm_are_read_as_far_as_they_go() -> None:
    for odd in (7, "x", [], [7], {}, None, {"results": [7]}):
        record = {"id": "1", "properties": odd, "associations": odd, "propertiesWithHistory": odd}
        hubspot = HubSpot(Saying({"results": [record]}), "https://api.hubapi.com")
        assert [one.id for one in hubspot.contacts(OPENS, None, "").things] == ["1"]
        assert [one.id for one in hubspot.open_deals(OPENS, "").things] == ["1"]
        assert set(hubspot.change(OPENS, [ADA])) == {"1"}
        assert hubspot.record(OPENS, [REPLIED], []).ids == {}
        person = {"id": 1, "emails": odd, "phones": odd}
        pipedrive = Pipedrive(Saying({"data": [person]}), "https://api.pipedrive.com")
        assert [(one.id, one.email) for one in pipedrive.contacts(OPENS, None, "").things] == [("1", "")]


def test_a_payment_page_without_a_usable_address_is_unreachable() -> None:
    for url in ("https://[", "javascript:alert(1)", 7, None):
        seller = StripeSeller(Saying({"url": url}), "sk", "secret", {"starter": "price_1"}, "https://api.stripe.com")
        with pytest.raises(Unreachable):
            seller.checkout(7, "starter", "", "ada@acme.example", "https://o.example/b")
