"""Unsubscribe tokens: name a campaign lead and an address, and never expire."""

from app.core.crypto import keyring
from app.domain.platform import former_ids

PURPOSE = "unsubscribe"
OF_TEST = 0  # instead of a campaign lead: the link of a test email changes nothing


def token(workspace_id: int, person_id: int, address: str) -> str:
    """Return the unsubscribe token of a campaign lead at that address; the same every time."""
    return keyring().enclose(PURPOSE, f"{workspace_id}|{person_id}|{address}".encode())


def read(token: str) -> tuple[int, int, str]:
    """Return workspace, person of a campaign and address; ValueError for a token we never made."""
    workspace_id, person_id, address = keyring().disclose(PURPOSE, token).decode().split("|", 2)
    names = former_ids.row_id("workspace", int(workspace_id)), former_ids.row_id("campaign_lead", int(person_id))
    return *names, address
