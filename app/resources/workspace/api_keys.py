"""API keys as API resources."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource


class ApiKey(Resource):
    """A key for `/v1`. Times are null until they happen."""

    id: int
    """The id of the key."""
    name: str
    """The name of the key."""
    last4: str
    """The last four characters of the key."""
    scopes: list[str]
    """The key's scopes; `all` means every scope."""
    withheld: list[str]
    """Scopes the key's creator can't use now."""
    maker: str
    """The member it acts for; "" for a key of the server."""
    created_at: datetime
    """When the key was created."""
    expires_at: datetime | None
    """When it stops working; null for never."""
    last_used_at: datetime | None
    """When it was last used; null if it never was."""
    revoked_at: datetime | None
    """When it was revoked; null if it was not."""

    @classmethod
    def of(cls, held: Any) -> Json:
        return cls.filled(held.key, withheld=held.withheld, maker=held.maker)


class ApiKeyCreated(ApiKey):
    """A new key; the key itself is shown only now."""

    key: str
    """The whole key."""

    @classmethod
    def of(cls, held: Any, key: str) -> Json:  # type: ignore[override]
        return {**ApiKey.of(held), "key": key}
