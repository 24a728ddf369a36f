"""API keys as API resources."""

from datetime import datetime
from typing import Any

from pydantic import Field

from app.resources.base import Json, Resource


class ApiKey(Resource):
    """A key for `/v1`. Times are null until they happen."""

    id: int
    name: str
    last4: str
    scopes: list[str] = Field(description="The key's scopes; `all` means every scope.")
    withheld: list[str] = Field(description="Scopes the key's creator can't use now.")
    maker: str = Field(description='The member it acts for; "" for a key of the server.')
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    @classmethod
    def of(cls, held: Any) -> Json:
        key = held.key
        same = ("id", "name", "last4", "scopes")
        return {name: getattr(key, name) for name in same} | {
            "withheld": held.withheld,
            "maker": held.maker,
            "createdAt": key.created_at,
            "expiresAt": key.expires_at,
            "lastUsedAt": key.last_used_at,
            "revokedAt": key.revoked_at,
        }


class ApiKeyCreated(ApiKey):
    """A new key; the key itself is shown only now."""

    key: str

    @classmethod
    def of(cls, held: Any, key: str) -> Json:  # type: ignore[override]
        return {**ApiKey.of(held), "key": key}
