"""API keys as API resources."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource


class ApiKey(Resource):
    """An API key for `/v1`."""

    id: int
    """The id of the key."""
    name: str
    """The name of the key."""
    last4: str
    """The last four characters of the key."""
    scopes: list[str]
    """The key's scopes; `all` means every scope."""
    withheld: list[str]
    """Scopes the key cannot use now, because its creator lacks these permissions."""
    maker: str
    """The name of the member the key acts for; empty for a key created on the server or by a former member."""
    created_at: datetime
    """When the key was created."""
    expires_at: datetime | None
    """When the key expires; null for never."""
    last_used_at: datetime | None
    """When the key was last used; null if it has never been used."""
    revoked_at: datetime | None
    """When the key was revoked; null if it was not revoked."""

    @classmethod
    def of(cls, held: Any) -> Json:
        return cls.filled(held.key, withheld=held.withheld, maker=held.maker)


class ApiKeyCreated(ApiKey):
    """A new API key, which is returned only once."""

    key: str
    """The API key, to send as `Authorization: Bearer`."""

    @classmethod
    def of(cls, held: Any, key: str) -> Json:  # type: ignore[override]
        return {**ApiKey.of(held), "key": key}
