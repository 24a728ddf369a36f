"""Search people, conversations, campaigns, lists and what else has a name in a workspace while typing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, cast

import sqlalchemy as sa

from app.core import text
from app.core.db import fetch, in_list, is_sqlite, session
from app.domain.leads import lists
from app.domain.workspace import roles
from app.models.accounts import Account
from app.models.autopilot import Play, PlayTemplate
from app.models.campaigns import Campaign, CampaignTemplate
from app.models.conversations import Conversation
from app.models.leads import Lead, LeadList
from app.models.people import Person
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace

LONGEST = 100
SHORTEST = 2  # a single letter matches too many names
MOST = 5
_SOUGHT = 3  # first letters looked up in an index in every spelling; the rest is compared
_CANDIDATES = 250  # rows read in each range of an index
_LAST = "\U0010ffff"
_PERSON = cast(sa.Table, Person.__table__)


@dataclass(frozen=True)
class Found:
    """What was found, the newest first."""

    people: Sequence[Any] = ()
    campaigns: Sequence[Any] = ()
    lists: Sequence[Any] = ()
    conversations: Sequence[Any] = ()  # with the people found: rows of id, first and last name, last message
    senders: Sequence[Any] = ()
    plays: Sequence[Any] = ()
    templates: Sequence[Any] = ()
    webhooks: Sequence[Any] = ()
    lists_of: dict[int, str] = field(default_factory=dict)  # the names of the lists that those people are in


def find(workspace: Workspace, q: str, role: str, most: int = MOST) -> Found:
    """Search what the role may see, up to a number of results of each kind."""
    q = text.squeeze(q.replace("\0", ""))[:LONGEST].strip()
    if len(q) < SHORTEST:
        return Found()
    people = _people(workspace, q, most) if roles.may(role, "lists") else []
    named = lists.lists_by_id(workspace, {person.list_id for person in people if person.list_id})
    return Found(
        people=people,
        campaigns=_named(workspace, Campaign, q, most) if roles.may(role, "campaigns") else [],
        lists=_named(workspace, LeadList, q, most, LeadList.deleted_at.is_(None)) if roles.may(role, "lists") else [],
        conversations=_conversations(workspace, q, most) if roles.may(role, "conversations") else [],
        senders=_named(workspace, Account, q, most) if roles.may(role, "senders") else [],
        plays=_named(workspace, Play, q, most) if roles.may(role, "autopilot") else [],
        templates=_templates(workspace, q, role, most),
        webhooks=_named(workspace, Webhook, q, most) if roles.may(role, "developers") else [],
        lists_of={list_id: each.name for list_id, each in named.items()},
    )


def _templates(workspace: Workspace, q: str, role: str, most: int) -> Sequence[Any]:
    """Return the newest templates of campaigns and plays whose name has every word."""
    kinds = ((CampaignTemplate, "campaigns"), (PlayTemplate, "autopilot"))
    found = [one for model, area in kinds if roles.may(role, area) for one in _named(workspace, model, q, most)]
    return found[:most]


def _named(workspace: Workspace, model: Any, q: str, most: int, *where: Any) -> Sequence[Any]:
    """Return the newest rows whose name has every word. There are hundreds, not a hundred thousand."""
    query = sa.select(model).where(model.workspace_id == workspace.id, *where)
    for word in q.split()[:8]:
        query = query.where(sa.or_(*(model.name.icontains(one, autoescape=True) for one in text.spellings(word))))
    return session().scalars(query.order_by(model.id.desc()).limit(most)).all()


def _conversations(workspace: Workspace, q: str, most: int) -> Sequence[Any]:
    """Return the newest conversations with people who are found by these words."""
    with_them = {person.person_id for person in _people(workspace, q, most * 4)}
    query = (
        sa.select(Conversation.id, Person.first_name, Person.last_name, Person.company_name, Person.public_id)
        .join(Person, Person.id == Conversation.person_id)
        .where(Conversation.workspace_id == workspace.id, in_list(Conversation.person_id, with_them))
    )
    return session().execute(query.order_by(Conversation.last_message_at.desc(), Conversation.id).limit(most)).all()


def _people(workspace: Workspace, q: str, most: int) -> list[Lead]:
    """Return people of the lists, each once: by address, public id or profile link, else by name prefix."""
    words = sorted(q.split()[:8], key=len, reverse=True)
    found: dict[int, Lead] = {}
    for column, value in _identities(q):
        if value and len(found) < most:
            named = _present(workspace).where(Person.workspace_id == workspace.id)
            _keep(found, named.where(column == value), most)
    if len(found) < most and len(words[0]) >= SHORTEST:
        begins = _beginning(workspace, words[0], _CANDIDATES if words[1:] else most * 4)
        query = _present(workspace).where(in_list(Lead.person_id, begins))
        _keep(found, lists.matching(query, " ".join(words[1:])), most)
    return list(found.values())[:most]


def _present(workspace: Workspace) -> sa.Select[Any]:
    """Select the leads in lists; as an expression the owner keeps SQLite off the workspace index."""
    return (
        sa.select(Lead)
        .join(Lead.person)
        .where(Lead.workspace_id + 0 == workspace.id, Lead.deleted_at.is_(None), Lead.list_id.is_not(None))
    )


def _keep(found: dict[int, Lead], query: sa.Select[Any], most: int) -> None:
    """Add the newest matches; a person in several lists counts once, by the newest lead.

    Ordered by an expression: SQLite would otherwise scan all leads, newest first.
    """
    for each in session().scalars(query.order_by(-Lead.id).limit(most * 4)):
        found.setdefault(each.person_id, each)


def _identities(q: str) -> list[tuple[Any, str]]:
    return [] if " " in q else [(Person.email, text.email(q)), (Person.public_id, text.public_id(q))]


def _beginning(workspace: Workspace, word: str, most: int) -> list[int]:
    """Return the ids of people with a name that starts so, in any case, from the index of each name."""
    heads = {"".join(letters) for letters in product(*({one.lower(), one.upper()} for one in word[:_SOUGHT]))}
    found: set[int] = set()
    for span in _SPANS["sqlite" if is_sqlite() else "postgres"]:
        for head, spelling in product(sorted(heads), text.spellings(word)):
            bounds = {"low": head, "high": head + _LAST, "pattern": _escaped(spelling) + "%"}
            found.update(row[0] for row in fetch(span, workspace_id=workspace.id, most=most, **bounds))
    return sorted(found)


def _escaped(word: str) -> str:
    return word.replace("/", "//").replace("%", "/%").replace("_", "/_")


def _span(column: Any, database: str) -> sa.Select[Any]:
    """Select names that match a pattern within a range of the index.

    Postgres orders that index by code point, not by language, which these operators need; SQLite always does, and its
    LIKE ignores case.
    """
    low, high = sa.bindparam("low", type_=sa.String), sa.bindparam("high", type_=sa.String)
    pattern = sa.bindparam("pattern", type_=sa.String)
    if database == "sqlite":
        within = [column >= low, column < high, column.like(pattern, escape="/")]
    else:
        between = (column.op("~>=~", is_comparison=True)(low), column.op("~<~", is_comparison=True)(high))
        within = [*between, column.ilike(pattern, escape="/")]
    query = sa.select(_PERSON.c.id).where(_PERSON.c.workspace_id == sa.bindparam("workspace_id"), *within)
    return query.limit(sa.bindparam("most", type_=sa.Integer))


_SPANS = {
    database: [_span(_PERSON.c[name], database) for name in ("first_name", "last_name", "company_name")]
    for database in ("sqlite", "postgres")
}
