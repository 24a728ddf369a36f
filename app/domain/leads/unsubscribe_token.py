"""Unsubscribe tokens: name a campaign lead and an address, and never expire."""

from app.core.crypto import keyring

PURPOSE = "unsubscribe"


def token(workspace_id: int, person_id: int, address: str) -> str:
    """Return the unsubscribe token of a campaign lead at that address; the same every time."""
    return keyring().enclose(PURPOSE, f"{workspace_id}|{person_id}|{address}".encode())


def read(token: str) -> tuple[int, int, str]:
    """Return workspace, person of a campaign and address; ValueError for a token we never made."""
    workspace_id, person_id, address = keyring().disclose(PURPOSE, token).decode().split("|", 2)
    return int(workspace_id), int(person_id), address
