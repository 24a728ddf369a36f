"""Full-text search of conversations, by people and messages, in the database's own index."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import execute_many, fetch, in_batches, in_list, insert, is_sqlite, session
from app.models.conversations import FOUND, Conversation, ConversationWords, Message
from app.models.leads import Lead

ANSWERED, SILENT = "answered", "silent"
MOST_WORDS = 8  # of what is looked for
LONGEST = 100_000  # signs of what was said; of more, the latest are kept
WORDLESS = "-"  # stands for what has no word, such as 👍: Postgres takes no nothing between two spaces, or at an end
_C: Any = Conversation.__table__
_M: Any = Message.__table__
_W: Any = ConversationWords.__table__
_L: Any = Lead.__table__
_NAMES = (
    sa.select(
        _C.c.id, _C.c.workspace_id, _C.c.person, _C.c.sentiment, _L.c.first_name, _L.c.last_name, _L.c.company_name
    )
    .select_from(_C)
    .outerjoin(
        _L,
        sa.and_(_L.c.workspace_id == _C.c.workspace_id, _L.c.person == _C.c.person, _L.c.deleted_at.is_(None)),
    )
    .where(_C.c.id.in_(sa.bindparam("ids", expanding=True)))
)


def search(workspace_id: int, query: str, kind: str = "") -> sa.Select[Any]:
    """The ids of conversations that have every word of the query, or one that begins so, in names or messages.

    Of one kind: those of a tone, all that were `answered`, or the `silent` ones; else all.
    """
    wanted = text.words(query)[:MOST_WORDS]
    scope = _scope(workspace_id, kind)
    if not wanted:
        return sa.select(_W.c.conversation_id).where(sa.false())
    if is_sqlite():
        match = " AND ".join([f'"{scope}"', *(f'"{word}" *' for word in wanted)])
        statement = "SELECT rowid AS id FROM fulltext_conversation WHERE fulltext_conversation MATCH :words"
    else:
        match = " & ".join([f"'{scope}'", *(f"'{word}':*" for word in wanted)])
        # OFFSET 0 keeps Postgres from working the words out again for each conversation, instead of asking the index.
        statement = f"SELECT conversation_id AS id FROM conversation_words WHERE {FOUND} @@ CAST(:words AS tsquery)"
        statement += " OFFSET 0"
    ids: Any = sa.text(statement).bindparams(words=match).columns(id=_W.c.conversation_id.type)
    return sa.select(ids.subquery("found").c.id)


def number(workspace_id: int, query: str, kind: str) -> int:
    """How many there are, told by the index alone."""
    return session().scalar(sa.select(sa.func.count()).select_from(search(workspace_id, query, kind).subquery())) or 0


def _scope(workspace_id: int, kind: str = "") -> str:
    """The word that stands for the workspace, or a kind in it; nobody can look for it, because of the sign in it."""
    return f"w:{workspace_id}:{kind}" if kind else f"w:{workspace_id}"


def _scopes(workspace_id: int, sentiment: str) -> list[str]:
    """The words that stand for the workspace and the kinds of a conversation with that tone."""
    kinds = ["", ANSWERED, sentiment] if sentiment else ["", SILENT]
    return [_scope(workspace_id, kind) for kind in kinds]


def index(said: Mapping[int, str]) -> None:
    """What was said just now in these conversations can be found in them. Inside a transaction."""
    names = _names(list(said))
    execute_many(
        _more(),
        [
            {"conversation_id": one, "workspace_id": owner, "names": known, "said": _words(said[one])}
            for one, (owner, known) in sorted(names.items())
        ],
    )


def _words(said: str) -> str:
    return " ".join(text.words(said)) or WORDLESS


def _more() -> Any:
    """The statement of the running dialect."""
    given = insert(ConversationWords)
    longer = sa.func.rtrim(sa.func.substr(given.excluded.said + " " + _W.c.said, 1, LONGEST))
    return given.on_conflict_do_update(
        index_elements=["conversation_id"], set_={"names": given.excluded.names, "said": longer}
    )


def _names(conversation_ids: list[int]) -> dict[int, tuple[int, str]]:
    """Workspace and names by conversation; somebody may stand in several lists."""
    owners: dict[int, tuple[int, str]] = {}
    known: defaultdict[int, list[str]] = defaultdict(list)
    for batch in in_batches(sorted(conversation_ids)):
        for row in fetch(_NAMES, ids=batch):
            owners[row.id] = (row.workspace_id, row.sentiment)
            known[row.id] += [row.person, row.first_name or "", row.last_name or "", row.company_name or ""]
    return {
        one: (owner, " ".join([*_scopes(owner, sentiment), *text.words(" ".join(known[one]))]))
        for one, (owner, sentiment) in owners.items()
    }


def reindex_names(workspace_id: int, persons: Collection[str]) -> None:
    """Conversations with these people are found by the names they have now. Inside a transaction."""
    with_them = sa.select(_C.c.id).where(_C.c.workspace_id == workspace_id, in_list(_C.c.person, persons))
    index_tone(list(session().scalars(with_them)))


def index_tone(conversation_ids: list[int]) -> None:
    """These conversations are found by the names and as the kind they have now. Inside a transaction."""
    session().flush()
    names = _names(conversation_ids)
    if names:
        execute_many(_RENAME, [{"of": one, "known": known} for one, (_, known) in sorted(names.items())])


_RENAME = sa.update(_W).where(_W.c.conversation_id == sa.bindparam("of")).values(names=sa.bindparam("known"))


def reindex_all(conversation_id: int) -> None:
    """The conversation is found by what stands in it now, and by nothing else. Inside a transaction."""
    session().flush()
    session().execute(sa.delete(_W).where(_W.c.conversation_id == conversation_id))
    left = sa.select(_M.c.subject, _M.c.text).where(_M.c.conversation_id == conversation_id).order_by(_M.c.at.desc())
    index({conversation_id: "\n".join(f"{subject} {said}" for subject, said in session().execute(left))[:LONGEST]})
