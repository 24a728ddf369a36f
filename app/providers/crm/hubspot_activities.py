"""How an activity becomes an object of HubSpot's timeline, and the property that keeps one of each."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from app.ports import Activity, ActivityKind
from app.providers.json_api import Reply

KEY, GROUP = "overture_key", "overture"
LONGEST = 60_000  # letters; HubSpot takes 65,536
Ask = Callable[..., Reply]


class Kind(NamedTuple):
    """The objects of one kind: the name in addresses, and the type of what joins one to a contact."""

    objects: str
    to_contact: int
    properties: Callable[[Activity], Mapping[str, str]]


def _email(one: Activity) -> dict[str, str]:
    return {
        "hs_email_direction": "INCOMING_EMAIL" if one.incoming else "EMAIL",
        "hs_email_status": "SENT",
        "hs_email_subject": one.subject,
        "hs_email_text": one.text[:LONGEST],
    }


def _message(one: Activity) -> dict[str, str]:
    return {
        "hs_communication_channel_type": "LINKEDIN_MESSAGE",
        "hs_communication_logged_from": "CRM",
        "hs_communication_body": _with_subject(one),
    }


def _meeting(one: Activity) -> dict[str, str]:
    moment = one.at.isoformat()
    return {
        "hs_meeting_title": one.subject,
        "hs_meeting_body": one.text[:LONGEST],
        "hs_meeting_start_time": moment,
        "hs_meeting_outcome": "SCHEDULED",
    }


def _note(one: Activity) -> dict[str, str]:
    return {"hs_note_body": _with_subject(one)}


def _with_subject(one: Activity) -> str:
    return "\n".join(filter(None, (one.subject, one.text)))[:LONGEST]


KINDS = {
    ActivityKind.EMAIL: Kind("emails", 198, _email),
    ActivityKind.MESSAGE: Kind("communications", 81, _message),
    ActivityKind.MEETING: Kind("meetings", 200, _meeting),
    ActivityKind.NOTE: Kind("notes", 202, _note),
}


def upserted(kind: Kind, one: Activity) -> dict[str, Any]:
    """Return the input of a batch upsert."""
    moment = one.at.isoformat()
    return {
        "id": one.key,
        "idProperty": KEY,
        "properties": {KEY: one.key, "hs_timestamp": moment, **kind.properties(one)},
    }


def association(kind: Kind) -> dict[str, Any]:
    """Return the type of what joins an activity to a contact."""
    return {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": kind.to_contact}


def prepare(ask: Ask) -> None:
    """Make the property with unique values on each kind of activity, where it is missing."""
    for kind in KINDS.values():
        path = f"/crm/v3/properties/{kind.objects}"
        if ask("GET", f"{path}/{KEY}").status != 404:
            continue
        ask("POST", f"{path}/groups", body={"name": GROUP, "label": "Overture"})
        told = {
            "name": KEY,
            "label": "Overture key",
            "description": "Identifies the Overture activity, so it appears only once.",
            "groupName": GROUP,
            "type": "string",
            "fieldType": "text",
            "hasUniqueValue": True,
        }
        ask("POST", path, body=told)
