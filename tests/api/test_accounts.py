"""Connected accounts over `/v1`."""

from app.models.workspaces import Workspace
from tests.clients import Api

FIELDS = (
    "id name publicId profileUrl headline imageUrl status active hasSalesNavigator timezone workingHours dailyLimits"
    " createdAt"
).split()


def test_it_works(api: Api, acme: Workspace) -> None:
    """Every field of the specification, in its order, newest first."""
    first, second = api.get("accounts").json["data"]
    assert list(first) == FIELDS
    assert first["id"] > second["id"]
    assert (second["name"], second["status"], second["active"]) == ("Ines Duarte", "connected", True)
    assert second["workingHours"] == {"start": "09:00", "end": "17:30", "days": [1, 2, 3, 4, 5]}
    assert set(second["dailyLimits"]) == {"invite", "message", "inmail", "visit", "follow", "like"}
    assert second["createdAt"].endswith("Z")


def test_mailboxes_are_no_social_accounts(api: Api) -> None:
    """They send the e-mails, but are not in this list."""
    assert {one["publicId"] for one in api.get("accounts").json["data"]} == {"ines-duarte", "marek-novak"}


def test_a_stranger_sees_only_their_own(api: Api, rival_api: Api) -> None:
    """The same names, other accounts."""
    ours, theirs = ({one["id"] for one in each.get("accounts").json["data"]} for each in (api, rival_api))
    assert len(ours) == len(theirs) == 2
    assert ours.isdisjoint(theirs)
