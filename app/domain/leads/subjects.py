"""Data subjects: every row about one person, on any list. Erasure and export start here."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

import sqlalchemy as sa

from app.core import text
from app.core.db import in_list, session
from app.models.leads import ERASED, Lead
from app.models.workspaces import Workspace

SHARED = 3  # an address that more people have than this is their company's, and names none of them
_NAMES = {"publicId": text.public_id, "profileUrl": text.public_id, "email": text.email}


@dataclass(frozen=True)
class Subject:
    """A person: their leads, and the public ids and addresses that name them."""

    workspace: Workspace
    leads: Sequence[Lead]
    persons: frozenset[str]
    addresses: frozenset[str]

    @cached_property
    def lead_ids(self) -> list[int]:
        """Return the ids of the person's leads."""
        return [lead.id for lead in self.leads]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        links = "|".join(re.escape(person) for person in sorted(self.persons))
        places = [rf"(?:^|[/,;\t|\"'])(?:{links})(?![\w-])"]
        places += [rf"(?<![\w.+-]){re.escape(address)}(?![\w-])" for address in sorted(self.addresses)]
        return re.compile("|".join(places), re.IGNORECASE | re.MULTILINE)

    def named_in(self, written: str) -> bool:
        """Return whether the text has their address, or a link or cell with their public id."""
        whole = unquote(written) if "%" in written else written
        lowered = whole.casefold()
        near = any(name in lowered for name in self.persons | self.addresses)
        return near and self._pattern.search(whole) is not None

    def is_meant(self, thing: dict[str, Any]) -> bool:
        """Return whether a JSON object is about them."""
        for name, normal in _NAMES.items():
            value = thing.get(name)
            if isinstance(value, str) and value and normal(value) in self.persons | self.addresses:
                return True
        return "publicId" in thing and thing.get("id") in self.lead_ids

    def without(self, value: Any, about_them: bool = False) -> Any:
        """Return a JSON value of the same shape without anything that names them."""
        if isinstance(value, dict):
            about_them = about_them or self.is_meant(value)
            return {name: self.without(each, about_them) for name, each in value.items()}
        if isinstance(value, list):
            return [self.without(each, about_them) for each in value]
        if isinstance(value, str) and (about_them or self.named_in(value)):
            return ""
        return value

    def mentioned(self, column: Any) -> sa.ColumnElement[bool]:
        """Return the condition that a text column may name them; the caller checks the matches."""
        names = self.persons | self.addresses
        spellings = {json.dumps(name, ensure_ascii=ascii)[1:-1] for name in names for ascii in (True, False)}
        spellings |= {quote(name) for name in names}
        return sa.or_(*(column.icontains(spelling, autoescape=True) for spelling in sorted(spellings)))


def find(workspace: Workspace, lead: Lead, *, lock: bool = False) -> Subject:
    """Return every lead of the same person: the same public id, or an address that is theirs alone."""
    mine = sa.select(Lead).where(Lead.workspace_id == workspace.id, Lead.person != ERASED)
    persons, addresses = {lead.person}, set[str]()
    found: dict[int, Lead] = {}
    for _ in range(2):  # the people of their addresses, and the addresses of these
        query = mine.where(sa.or_(in_list(Lead.person, persons), in_list(Lead.email, addresses)))
        query = query.with_for_update() if lock else query
        found = {one.id: one for one in session().scalars(query.order_by(Lead.id))}
        addresses = _own({one.email for one in found.values() if one.email}, workspace)
        persons = {one.person for one in found.values()}
    return _made(workspace, list(found.values()), addresses)


def find_again(workspace: Workspace, lead_ids: Sequence[int], shared: Sequence[str]) -> Subject:
    """Find the person again when their leads are in no list; `shared` addresses are not theirs alone."""
    known = (Lead.workspace_id == workspace.id, Lead.person != ERASED, in_list(Lead.id, lead_ids))
    found = session().scalars(sa.select(Lead).where(*known).order_by(Lead.id).with_for_update()).all()
    return _made(workspace, found, {lead.email for lead in found if lead.email} - set(shared))


def _made(workspace: Workspace, found: Sequence[Lead], addresses: set[str]) -> Subject:
    return Subject(workspace, found, frozenset(lead.person for lead in found), frozenset(addresses))


def _own(addresses: set[str], workspace: Workspace) -> set[str]:
    """Return those of the addresses that only few people have."""
    many = (
        sa.select(Lead.email)
        .where(Lead.workspace_id == workspace.id, in_list(Lead.email, addresses))
        .group_by(Lead.email)
        .having(sa.func.count(sa.distinct(Lead.person)) > SHARED)
    )
    return addresses - set(session().scalars(many))
