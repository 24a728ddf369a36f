"""Links at which people book meetings: each says of whom, of which campaign and of which text it is."""

from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from app.core.crypto import keyring
from app.domain.conversations import inbox_settings
from app.domain.platform import former_ids

PURPOSE = "meeting"
TOKEN = "utm_term"  # the parameter that a booking service returns when a meeting is booked
LONGEST_NAME = 60


class Origin(NamedTuple):
    """Whose link it was: a person's, from a text of a campaign or, with the id 0, from a reply."""

    workspace_id: int
    person_id: int
    campaign_id: int
    variant: str


def token(origin: Origin) -> str:
    """Return the token of a link; no one can read it or make another."""
    return keyring().enclose(PURPOSE, "|".join(map(str, origin)).encode())


def read(token: str) -> Origin:
    """Return whose link has that token; ValueError for a token we never made."""
    workspace_id, person_id, campaign_id, variant = keyring().disclose(PURPOSE, token).decode().split("|", 3)
    return Origin(
        former_ids.row_id("workspace", int(workspace_id)),
        former_ids.row_id("person", int(person_id)),
        former_ids.row_id("campaign", int(campaign_id)),
        variant,
    )


def with_origin(link: str, origin: Origin, campaign: str = "", medium: str = "") -> str:
    """Return the link with its UTM parameters; those that its owner wrote stay. '' stays ''."""
    if not link:
        return ""
    parts = urlsplit(link)
    given = parse_qsl(parts.query, keep_blank_values=True)
    names = {name for name, _ in given}
    ours = {
        "utm_source": "overture",
        "utm_medium": medium,
        "utm_campaign": campaign[:LONGEST_NAME],
        "utm_content": origin.variant,
    }
    mark = token(origin)
    query = [(name, value) for name, value in given if name != TOKEN]
    query += [(name, value) for name, value in ours.items() if value and name not in names]
    query.append((TOKEN, mark))
    host = parts.hostname or ""
    if host == "cal.com" or host.endswith(".cal.com") or host.startswith("cal."):
        query.append((f"metadata[{TOKEN}]", mark))  # which Cal.com returns
    return urlunsplit(parts._replace(query=urlencode(query)))


def of_campaign(campaign: Any, place: int, variant: str, person_id: int, medium: str) -> str:
    """Return the link for a person in a text of the campaign; '' when the workspace has none."""
    origin = Origin(campaign.workspace_id, person_id, campaign.id, f"{place + 1}{variant}")
    return with_origin(inbox_settings.meeting_link(campaign.workspace_id, None), origin, campaign.name, medium)


def in_preview(workspace_id: int, person_id: int, variant: str, medium: str) -> str:
    """Return a link as long as a campaign's, for a preview before there is one; '' when the workspace has none."""
    origin = Origin(workspace_id, person_id, 0, variant)
    return with_origin(inbox_settings.meeting_link(workspace_id, None), origin, medium=medium)


def of_reply(workspace_id: int, person_id: int, user_id: int | None, medium: str) -> str:
    """Return the member's own link, or the workspace's, for a person in a reply; '' without one."""
    origin = Origin(workspace_id, person_id, 0, "")
    return with_origin(inbox_settings.meeting_link(workspace_id, user_id), origin, medium=medium)
