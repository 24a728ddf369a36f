"""Full-text search of conversations, by people and messages, in the database's own index."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import (
    by_dialect,
    execute_many,
    fetch_by_id,
    in_list,
    insert,
    is_sqlite,
    session,
    transaction,
)
from app.models.conversations import FOUND, Conversation, ConversationWords, Message
from app.models.people import Person

ANSWERED, SILENT = "answered", "silent"
MOST_WORDS = 8  # of what is looked for
LONGEST = 100_000  # characters of the messages; of more, the latest are kept
WORDLESS = "-"  # for texts without words, such as 👍: Postgres refuses an empty term
_C: Any = Conversation.__table__
_M: Any = Message.__table__
_W: Any = ConversationWords.__table__
_P: Any = Person.__table__
_NAMES = _P.c.public_id + " " + _P.c.email + " " + _P.c.first_name + " " + _P.c.last_name + " " + _P.c.company_name
_THEIRS: Any = _P.c.id == sa.literal_column("conversation.person_id")  # also in RETURNING, which has no other FROM
# What a conversation can be found by besides its messages; also used in RETURNING.
FOUND_BY: Any = (
    *(_C.c.id, _C.c.workspace_id, _C.c.sentiment),
    sa.select(_NAMES).where(_THEIRS).scalar_subquery().label("names"),
)
_CONVERSATIONS = sa.select(*FOUND_BY).where(_C.c.id.in_(sa.bindparam("ids", expanding=True))).order_by(_C.c.id)


def search(workspace_id: int, query: str, kind: str = "") -> sa.Select[Any]:
    """Select conversations with every word of the query, or its prefix, in names or messages.

    `kind` limits them: a sentiment, `answered`, `silent`, or all.
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
    """Count the matches from the index alone."""
    return session().scalar(sa.select(sa.func.count()).select_from(search(workspace_id, query, kind).subquery())) or 0


def _scope(workspace_id: int, kind: str = "") -> str:
    """Return the index term of a workspace, or of one kind in it, with a character that no search contains."""
    return f"w:{workspace_id}:{kind}" if kind else f"w:{workspace_id}"


def _scopes(workspace_id: int, sentiment: str) -> list[str]:
    """Return the index terms of a conversation: its workspace's, and those for answered or silent and its sentiment."""
    kinds = ["", ANSWERED, sentiment] if sentiment else ["", SILENT]
    return [_scope(workspace_id, kind) for kind in kinds]


def index(said: Mapping[int, str], conversations: Sequence[Any] | None = None) -> None:
    """Index the new messages of these conversations. Inside a transaction.

    `conversations` are their rows with the columns FOUND_BY, where the caller has them.
    """
    rows = list(fetch_by_id(_CONVERSATIONS, said).values()) if conversations is None else conversations
    execute_many(
        _more(),
        [
            {
                "conversation_id": row.id,
                "workspace_id": row.workspace_id,
                "names": _terms(row),
                "said": _words(said[row.id]),
            }
            for row in sorted(rows, key=lambda row: row.id)
        ],
    )


def _words(said: str) -> str:
    return " ".join(text.words(said)) or WORDLESS


@by_dialect
def _more() -> Any:
    given = insert(ConversationWords)
    longer = sa.func.rtrim(sa.func.substr(given.excluded.said + " " + _W.c.said, 1, LONGEST))
    return given.on_conflict_do_update(
        index_elements=["conversation_id"], set_={"names": given.excluded.names, "said": longer}
    )


def _terms(row: Any) -> str:
    """Return the workspace, the kinds and the names that a conversation is found by."""
    return " ".join([*_scopes(row.workspace_id, row.sentiment), *text.words(row.names)])


def reindex_names(workspace_id: int, person_ids: Collection[int]) -> None:
    """Index the current names of these people's conversations. Inside a transaction."""
    with_them = sa.select(_C.c.id).where(_C.c.workspace_id == workspace_id, in_list(_C.c.person_id, list(person_ids)))
    index_tone(list(session().scalars(with_them)))


def index_tone(conversation_ids: list[int]) -> None:
    """Index the current names and sentiment of these conversations. Inside a transaction."""
    session().flush()
    execute_many(
        _RENAME,
        [{"of": row.id, "known": _terms(row)} for row in fetch_by_id(_CONVERSATIONS, conversation_ids).values()],
    )


_RENAME = sa.update(_W).where(_W.c.conversation_id == sa.bindparam("of")).values(names=sa.bindparam("known"))


def forget_deleted() -> None:
    """Take out of SQLite's index the words of what was deleted, which it keeps until it merges its parts."""
    if is_sqlite():
        with transaction() as current:
            current.execute(sa.text("INSERT INTO fulltext_conversation (fulltext_conversation) VALUES ('optimize')"))


def index_missing() -> int:
    """Index the conversations that are not, and return how many were."""
    with transaction() as current:
        missing = current.scalars(sa.select(_C.c.id).where(_C.c.id.not_in(sa.select(_W.c.conversation_id)))).all()
        for conversation_id in missing:
            reindex_all(conversation_id)
    return len(missing)


def reindex_all(conversation_id: int) -> None:
    """Rebuild the conversation's index entry. Inside a transaction."""
    session().flush()
    session().execute(sa.delete(_W).where(_W.c.conversation_id == conversation_id))
    left = sa.select(_M.c.subject, _M.c.text).where(_M.c.conversation_id == conversation_id).order_by(_M.c.at.desc())
    index({conversation_id: "\n".join(f"{subject} {said}" for subject, said in session().execute(left))[:LONGEST]})
