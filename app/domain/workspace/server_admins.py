"""Who runs this installation: the emails that its settings name, or else its first user."""

from collections.abc import Collection

import sqlalchemy as sa

from app.core.db import session
from app.models.workspaces import User


def is_admin(user: User, emails: Collection[str]) -> bool:
    """Return whether the user sees the whole installation; `emails` are those of the settings, in small letters."""
    if emails:
        return user.email.lower() in emails
    return user.id == session().scalar(sa.select(sa.func.min(User.id)))
