"""Within v1 the interface only grows: a client written for a released version still works."""

import copy

from app.api.framework.declarations import ENDPOINTS
from app.api.framework.openapi import document
from tests.api.compatible import breaks, kept

NOW = document(ENDPOINTS, "https://overture.example")
RELEASED = kept()
LIST = "/v1/lists/{listId}"
# Delays of half a day are taken since 0.1.0, and told as they are; whole ones are whole numbers as before.
MEANT = ("sequence[].delay.value: is number, and was integer",)


def test_what_a_released_version_promised_holds() -> None:
    """Each path, name, field and word is still there, and nothing more is required."""
    assert RELEASED
    for version, promised in RELEASED.items():
        assert [one for one in breaks(promised, NOW) if not one.endswith(MEANT)] == [], version


def test_a_change_that_breaks_a_client_is_told() -> None:
    new = copy.deepcopy(NOW)
    schemas, lists = new["components"]["schemas"], new["paths"]["/v1/lists"]["get"]
    del new["paths"][LIST]["delete"]
    new["paths"][LIST]["get"]["operationId"] = "lists.get"
    lists["parameters"].append({"name": "kind", "in": "query", "required": True, "schema": {}})
    schemas["NewList"]["required"].append("type")
    schemas["Campaign"]["properties"]["name"] = {"type": "integer"}
    schemas["Campaign"]["required"].remove("listId")
    del schemas["Campaign"]["properties"]["createdAt"]
    schemas["CampaignStatus"]["enum"].remove("paused")
    del new["webhooks"]["invite_sent"]
    told = list(breaks(NOW, new))
    for said in (
        *("DELETE /v1/lists/{listId}: is gone", "is called lists.get", "kind is required", "type: is required"),
        *("name: is integer", "listId: is not always there", "createdAt: is gone", "paused is gone"),
        "invite_sent: is gone",
    ):
        assert [one for one in told if said in one], said
    assert not list(breaks(NOW, NOW))
