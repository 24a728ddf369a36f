"""Within v1 the interface only grows: a client written for a released version still works."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from app.api.framework.declarations import ENDPOINTS
from app.api.framework.openapi import document
from tests.api.compatible import breaks, kept

NOW = document(ENDPOINTS, "https://overture.example")
RELEASED = kept()
LIST = "/v1/lists/{listId}"
# Delays of half a day are taken since 0.1.0, and told as they are; whole ones are whole numbers as before.
MEANT = ("sequence[].delay.value: is number, and was integer",)


@pytest.mark.parametrize("version", RELEASED)
def test_what_a_released_version_promised_holds(version: str) -> None:
    """Each path, name, field and word is still there, and nothing more is required."""
    found = [one for one in breaks(RELEASED[version], NOW) if not one.endswith(MEANT)]
    assert found == []


def _without_path(new: Any) -> None:
    del new["paths"][LIST]["get"]


def _renamed(new: Any) -> None:
    new["paths"][LIST]["get"]["operationId"] = "lists.get"


def _required_filter(new: Any) -> None:
    new["paths"]["/v1/lists"]["get"]["parameters"].append(
        {"name": "kind", "in": "query", "required": True, "schema": {}}
    )


def _required_field(new: Any) -> None:
    new["components"]["schemas"]["NewList"]["required"].append("type")


def _without_field(new: Any) -> None:
    del new["components"]["schemas"]["Campaign"]["properties"]["name"]


def _other_type(new: Any) -> None:
    new["components"]["schemas"]["Campaign"]["properties"]["name"] = {"type": "integer"}


def _without_word(new: Any) -> None:
    new["components"]["schemas"]["CampaignStatus"]["enum"].remove("paused")


def _sometimes_missing(new: Any) -> None:
    new["components"]["schemas"]["Campaign"]["required"].remove("name")


def _without_event(new: Any) -> None:
    del new["webhooks"]["invite_sent"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_without_path, "is gone"),
        (_renamed, "is called lists.get"),
        (_required_filter, "kind is required"),
        (_required_field, "type: is required"),
        (_without_field, "name: is gone"),
        (_other_type, "name: is integer"),
        (_without_word, "paused is gone"),
        (_sometimes_missing, "name: is not always there"),
        (_without_event, "invite_sent: is gone"),
    ],
)
def test_a_change_that_breaks_a_client_is_told(change: Callable[[Any], None], said: str) -> None:
    """The comparison can fail, for each way to break one."""
    new = copy.deepcopy(NOW)
    change(new)
    assert any(said in one for one in breaks(NOW, new))
    assert not list(breaks(NOW, NOW))
