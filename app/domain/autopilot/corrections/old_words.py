"""Old words: what corrections of the profile replaced, found word for word in texts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain.autopilot.profile_corrections import COLUMN
from app.models.autopilot import ProfileCorrection, Setup
from app.models.workspaces import Workspace

SAID = ("name", "sells", "for", "change", "proof", "examples", "facts")  # the fields whose words may stand in a text
MOST = 50  # corrections that are looked at, the newest
_SHORTEST = 2
_LISTED = ("examples", "facts")


@dataclass(frozen=True)
class OldWords:
    """Values of the profile that are `gone`, and those that hold `now`: a new one may contain an old one."""

    gone: Sequence[str]
    now: Sequence[str]

    @cached_property
    def _gone(self) -> list[tuple[str, re.Pattern[str]]]:
        now = {one.casefold() for one in self.now}
        return [(one, _pattern(one)) for one in dict.fromkeys(self.gone) if one.casefold() not in now]

    @cached_property
    def _now(self) -> list[re.Pattern[str]]:
        return [_pattern(one) for one in sorted(self.now, key=len, reverse=True)]

    def found(self, text: str) -> list[str]:
        """Return the old words that the text holds."""
        for pattern in self._now if self._gone else ():
            text = pattern.sub("\0", text)
        return [one for one, pattern in self._gone if pattern.search(text)]


def _pattern(words: str) -> re.Pattern[str]:
    inner = r"\s+".join(re.escape(word) for word in words.split())
    return re.compile(rf"(?<!\w){inner}(?!\w)", re.IGNORECASE)


def values(fields: Iterable[Sequence[str]]) -> list[str]:
    """Return what these fields, given with their values, say in texts; each example and fact by itself."""
    found = []
    for name, value in fields:
        if name in SAID:
            parts = value.split("\n") if name == "facts" else value.split(", ") if name == "examples" else [value]
            found += [" ".join(part.split()).rstrip(" .!?;:,") for part in parts]
    return [one for one in found if len(one) >= _SHORTEST]


def of_workspace(workspace: Workspace) -> OldWords:
    """Return what the workspace's corrections replaced."""
    profile = session().scalar(sa.select(Setup.profile).where(Setup.workspace_id == workspace.id))
    return of_fields(workspace, [], profile or {})


def of_fields(workspace: Workspace, fields: Sequence[Sequence[str]], profile: Mapping[str, Any]) -> OldWords:
    """Return what the corrections replaced, and one of these fields would, which leads to that profile."""
    newest = sa.select(ProfileCorrection.fields).where(ProfileCorrection.workspace_id == workspace.id)
    known = session().scalars(newest.order_by(ProfileCorrection.number.desc()).limit(MOST)).all()
    facts = {fact["text"] for fact in profile.get("facts") or ()}
    gone = [
        one
        for several in (fields, *known)
        for name, old, _ in several
        for one in values([(name, "\n".join(set(old.split("\n")) - facts) if name == "facts" else old)])
    ]
    told = [(name, str(profile.get(COLUMN.get(name, name)) or "")) for name in SAID if name not in _LISTED]
    now = values([*told, ("examples", ", ".join(profile.get("examples") or ()))])
    return OldWords(gone, now)
