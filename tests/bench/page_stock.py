"""A workspace with one of everything, multiplied with the driver alone: campaigns, people, actions, talks, drafts."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from app.engines import upkeep
from tests.bench import stock
from tests.e2e import filled

EACH = 500  # people of one campaign
PATTERN = 300  # people of the campaign that the others repeat
DAYS = 10  # from one campaign to the next, because three senders do not do more
STATES = ("pending", "active", "awaiting_accept", "paused", "finished", "failed", "stopped", "excluded")
COUNTS = {name: f"sum(state='{name}')" for name in STATES} | {
    "contacted": "sum(contacted)",
    "invites_sent": "sum(invited_at IS NOT NULL)",
    "accepted": "sum(accepted_at IS NOT NULL)",
    "messages_sent": "sum(messages_sent)",
    "replies": "sum(replied)",
    "positive": "sum(sentiment='positive')",
    "negative": "sum(sentiment='negative')",
    "neutral": "sum(sentiment='generic')",
}
TALK = "JOIN conversation n ON n.sender_id = t.sender_id AND n.person_id = p.person"
WORDS = (
    "'w:' || :ours || CASE t.sentiment WHEN '' THEN ' w:' || :ours || ':silent' ELSE ' w:' || :ours || ':answered w:'"
    " || :ours || ':' || t.sentiment END || ' ' || replace(replace(replace(l.public_id || ' ' || l.email, '@', ' '),"
    " '.', ' '), '-', ' ') || ' ' || lower(l.first_name || ' ' || l.last_name || ' ' || l.company_name)"
)
# Of each table, what a copy of a row has of its own ("" leaves it out), and what the rows are joined with besides.
THEIRS = {"campaign_id": ":campaign", "lead_id": "p.lead", "person_id": "p.person"}
OWN: dict[str, tuple[dict[str, str], str]] = {
    "campaign_lead": ({"id": "p.id", "workspace_id": ":ours", **THEIRS, "approval_id": ""}, ""),
    "action": (
        {"id": "", **THEIRS, "campaign_lead_id": "p.id", "token": "t.token || :each || p.place"}
        | {"at": "strftime('%Y-%m-%d %H:%M:%f000', t.at, :earlier)"},
        "",
    ),
    "conversation": ({"id": "", **THEIRS}, ""),
    "message": ({"id": "", "conversation_id": "n.id", "campaign_lead_id": "p.id", "action_id": ""}, TALK),
}


@dataclass(frozen=True)
class Sizes:
    """How much of each."""

    campaigns: int
    drafts: int
    people: int  # the first of them are in the campaigns


def workspace(folder: Path, sizes: Sizes) -> Path:
    """The file with the workspace of `filled`, multiplied."""
    file = folder / "pages.db"
    app = stock.empty(file)
    with stock.at_work(app):
        ours = filled.fill().id
    with stock.in_bulk(file) as connection:
        _people(connection, ours, sizes)
        _pattern(connection)
        for number in range(sizes.campaigns):
            _campaign(connection, ours, number, sizes.drafts // sizes.campaigns)
    with stock.at_work(app):
        upkeep.analyze()  # as the scheduler does
    return file


def _people(connection: sqlite3.Connection, ours: int, sizes: Sizes) -> None:
    """A list of some and one of everyone, the newest; `first` is the id before the first of everyone."""
    some, everybody = (
        connection.execute(
            "INSERT INTO lead_list (workspace_id, name, type, lead_count, created_at)"
            " VALUES (?, ?, 'people', 0, ?) RETURNING id",
            (ours, name, stock.AT),
        ).fetchone()[0]
        for name in ("Some", "Everybody")
    )
    connection.execute("CREATE TEMP TABLE everybody (first INTEGER, list INTEGER)")
    connection.execute("INSERT INTO everybody SELECT coalesce(max(id), 0), ? FROM lead", (everybody,))
    first = stock.put_people(connection, sizes.people, ours)
    stock.put_in_list(connection, everybody, first, sizes.people)
    stock.put_in_list(connection, some, first, int(sizes.people * stock.AGAIN))


def _pattern(connection: sqlite3.Connection) -> None:
    """The people of the first campaign, numbered, with all that is theirs: what every other campaign repeats."""
    connection.execute(
        "CREATE TEMP TABLE t_campaign_lead AS SELECT row_number() OVER (ORDER BY id) - 1 AS place, * FROM campaign_lead"
        " WHERE campaign_id = (SELECT min(campaign_id) FROM campaign_lead)"
    )
    for table, by in (("action", "t.campaign_lead_id = p.id"), ("conversation", "t.lead_id = p.lead_id")):
        connection.execute(
            f"CREATE TEMP TABLE t_{table} AS SELECT p.place, t.* FROM t_campaign_lead p JOIN {table} t ON {by}"
        )
    connection.execute(
        "CREATE TEMP TABLE t_message AS SELECT p.place, p.sender_id, t.*"
        " FROM t_conversation p JOIN message t ON t.conversation_id = p.id"
    )
    for table in ("campaign_lead", "action", "conversation", "message"):
        connection.execute(f"CREATE INDEX temp.of_{table} ON t_{table} (place)")
    connection.execute("CREATE TEMP TABLE place (place INTEGER PRIMARY KEY, id INTEGER, lead INTEGER, person INTEGER)")


def _campaign(connection: sqlite3.Connection, ours: int, number: int, drafts: int) -> None:
    """One more campaign with its people, and all that happened in it."""
    first = "(SELECT min(campaign_id) FROM campaign_lead)"
    named = {"id": "", "name": "?", "status": "?", "list_id": "e.list"}
    (campaign,) = connection.execute(
        _copy(connection, "campaign", named, f"campaign t, everybody e WHERE t.id = {first} RETURNING id"),
        (f"Campaign {number}", "paused" if number % 10 == 9 else "running"),
    ).fetchone()
    theirs = f"campaign_account t WHERE t.campaign_id = {first}"
    lanes = _copy(connection, "campaign_account", {"campaign_id": "?"}, theirs)
    connection.execute(lanes, (campaign,))
    connection.execute("DELETE FROM place")
    (last,) = connection.execute("SELECT max(id) FROM campaign_lead").fetchone()
    connection.execute(
        "INSERT INTO place SELECT l.id - e.first - 1 - ?, ? + l.id - e.first - ?, l.id, l.person_id"
        " FROM lead l, everybody e WHERE l.id > e.first + ? AND l.id <= e.first + ?",
        (number * EACH, last, number * EACH, number * EACH, (number + 1) * EACH),
    )
    given = {"campaign": campaign, "ours": ours, "each": f"-{campaign}-", "drafts": drafts, "pattern": PATTERN}
    given["earlier"] = f"-{number * DAYS} days"
    place = "place p JOIN t_{} t ON t.place = p.place % :pattern"
    for table, (own, more) in OWN.items():
        connection.execute(_copy(connection, table, own, f"{place.format(table)} {more}"), given)
    words = f"{place.format('conversation')} JOIN person l ON l.id = p.person {TALK}"
    connection.execute(
        "INSERT INTO conversation_words (conversation_id, workspace_id, names, said)"
        f" SELECT n.id, :ours, {WORDS}, w.said FROM {words} JOIN conversation_words w ON w.conversation_id = t.id",
        given,
    )
    waiting = {"id": "", "campaign_id": ":campaign", "campaign_lead_id": "p.id", "lead_id": "p.lead"}
    waiting |= {"status": "'pending'", "decided_at": "", "decided_by": ""}
    first = "place p JOIN approval t ON t.id = (SELECT min(id) FROM approval) WHERE p.place < :drafts"
    connection.execute(_copy(connection, "approval", waiting, first), given)
    connection.execute(
        f"INSERT INTO campaign_stats (campaign_id, workspace_id, leads, {', '.join(COUNTS)}) SELECT :campaign, :ours,"
        f" count(*), {', '.join(COUNTS.values())} FROM campaign_lead WHERE campaign_id = :campaign",
        given,
    )


def _copy(connection: sqlite3.Connection, table: str, own: dict[str, str], source: str) -> str:
    """The statement that copies rows `t` of the source with other values in some columns."""
    told = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = {name: own.get(name, f"t.{name}") for name in told}
    kept = {name: value for name, value in values.items() if value}
    return f"INSERT INTO {table} ({', '.join(kept)}) SELECT {', '.join(kept.values())} FROM {source}"
