"""A workspace with one of everything, multiplied with the driver alone: campaigns, people, actions, talks, drafts."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from app.core.db import db
from app.engines import sqlite_analyze
from tests.bench import stock
from tests.e2e import filled

EACH = 500  # people of one campaign
PATTERN = 300  # people of the campaign that the others repeat
DAYS = 10  # from one campaign to the next, because three senders do not do more
OWN = {
    "campaign_lead": ("id", "workspace_id", "campaign_id", "lead_id", "person_id", "approval_id", "kept"),
    "action": ("id", "campaign_id", "campaign_lead_id", "lead_id", "person_id", "token", "at"),
    "conversation": ("id", "campaign_id", "lead_id", "person_id"),
    "message": ("id", "conversation_id", "campaign_lead_id", "action_id"),
    "approval": ("id", "campaign_id", "campaign_lead_id", "lead_id", "status", "decided_at", "decided_by", "due_at"),
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
    with app.app_context():
        found = filled.fill()
        ours = found.id
        db.session.remove()
        db.engine.dispose()
    multiply(file, ours, sizes)
    with app.app_context():
        sqlite_analyze.analyze()  # as the scheduler does
        db.session.remove()
        db.engine.dispose()
    return file


def multiply(file: Path, ours: int, sizes: Sizes) -> None:
    """What the workspace has is there many times."""
    connection = stock.connect(file)
    for pragma in ("synchronous=OFF", "cache_size=-400000", "foreign_keys=OFF"):
        connection.execute("PRAGMA " + pragma)
    connection.execute("BEGIN IMMEDIATE")
    _people(connection, ours, sizes)
    _pattern(connection)
    for number in range(sizes.campaigns):
        _campaign(connection, ours, number, sizes.drafts // sizes.campaigns)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


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
    (campaign,) = connection.execute(
        f"INSERT INTO campaign ({_columns(connection, 'campaign')}, name, status, list_id) SELECT"
        f" {_columns(connection, 'campaign')}, ?, ?, everybody.list FROM campaign, everybody"
        " WHERE campaign.id = (SELECT min(campaign_id) FROM campaign_lead) RETURNING id",
        (f"Campaign {number}", "paused" if number % 10 == 9 else "running"),
    ).fetchone()
    connection.execute(
        "INSERT INTO campaign_account (campaign_id, account_id, workspace_id, served_at)"
        " SELECT ?, account_id, workspace_id, served_at FROM campaign_account"
        " WHERE campaign_id = (SELECT min(campaign_id) FROM campaign_lead)",
        (campaign,),
    )
    connection.execute("DELETE FROM place")
    (last,) = connection.execute("SELECT max(id) FROM campaign_lead").fetchone()
    connection.execute(
        "INSERT INTO place SELECT l.id - e.first - 1 - ?, ? + l.id - e.first - ?, l.id, l.person_id"
        " FROM lead l, everybody e WHERE l.id > e.first + ? AND l.id <= e.first + ?",
        (number * EACH, last, number * EACH, number * EACH, (number + 1) * EACH),
    )
    given = {"campaign": campaign, "ours": ours, "each": f"-{campaign}-", "drafts": drafts, "pattern": PATTERN}
    given["earlier"] = f"-{number * DAYS} days"
    for statement in _copies(connection):
        connection.execute(statement, given)


def _copies(connection: sqlite3.Connection) -> list[str]:
    """What repeats the pattern for the people in `place`."""
    of = {table: _columns(connection, table, "t.") for table in OWN}
    own = {table: _columns(connection, table) for table in OWN}
    where = "t.place = p.place % :pattern"
    return [
        f"INSERT INTO campaign_lead ({own['campaign_lead']}, id, workspace_id, campaign_id, lead_id, person_id, kept)"
        f" SELECT {of['campaign_lead']}, p.id, :ours, :campaign, p.lead, p.person, t.kept"
        f" FROM place p JOIN t_campaign_lead t ON {where}",
        f"INSERT INTO action ({own['action']}, campaign_id, campaign_lead_id, lead_id, person_id, token, at)"
        f" SELECT {of['action']}, :campaign, p.id, p.lead, p.person, t.token || :each || p.place,"
        " strftime('%Y-%m-%d %H:%M:%f000', t.at, :earlier)"
        f" FROM place p JOIN t_action t ON {where}",
        f"INSERT INTO conversation ({own['conversation']}, campaign_id, lead_id, person_id)"
        f" SELECT {of['conversation']}, :campaign, p.lead, p.person FROM place p JOIN t_conversation t ON {where}",
        f"INSERT INTO message ({own['message']}, conversation_id, campaign_lead_id)"
        f" SELECT {of['message']}, n.id, p.id FROM place p JOIN t_message t ON {where}"
        " JOIN conversation n ON n.sender_id = t.sender_id AND n.person_id = p.person",
        "INSERT INTO conversation_words (conversation_id, workspace_id, names, said)"
        " SELECT n.id, :ours, 'w:' || :ours || CASE t.sentiment WHEN '' THEN ' w:' || :ours || ':silent' ELSE"
        " ' w:' || :ours || ':answered w:' || :ours || ':' || t.sentiment END || ' '"
        " || replace(replace(replace(l.public_id || ' ' || l.email, '@', ' '), '.', ' '), '-', ' ') || ' ' ||"
        " lower(l.first_name || ' ' || l.last_name || ' ' || l.company_name),"
        f" w.said FROM place p JOIN t_conversation t ON {where} JOIN person l ON l.id = p.person"
        " JOIN conversation_words w ON w.conversation_id = t.id"
        " JOIN conversation n ON n.sender_id = t.sender_id AND n.person_id = p.person",
        f"INSERT INTO approval ({own['approval']}, campaign_id, campaign_lead_id, lead_id, status, due_at)"
        f" SELECT {of['approval']}, :campaign, p.id, p.lead, 'pending', t.due_at FROM place p"
        " JOIN approval t ON t.id = (SELECT min(id) FROM approval) WHERE p.place < :drafts",
        "INSERT INTO campaign_stats (campaign_id, workspace_id, leads, pending, active, awaiting_accept, paused,"
        " finished, failed, stopped, excluded, contacted, invites_sent, accepted, messages_sent, replies, positive,"
        " neutral, negative) SELECT :campaign, :ours, count(*), sum(state='pending'), sum(state='active'),"
        " sum(state='awaiting_accept'), sum(state='paused'), sum(state='finished'), sum(state='failed'),"
        " sum(state='stopped'), sum(state='excluded'), sum(contacted), sum(invited_at IS NOT NULL),"
        " sum(accepted_at IS NOT NULL), sum(messages_sent), sum(replied), sum(sentiment='positive'),"
        " sum(sentiment='generic'), sum(sentiment='negative') FROM campaign_lead WHERE campaign_id = :campaign",
    ]


def _names(connection: sqlite3.Connection, table: str) -> list[str]:
    """The columns that are copied as they are."""
    given = {"campaign": ("id", "name", "status", "list_id")} | OWN
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] not in given[table]]


def _columns(connection: sqlite3.Connection, table: str, of: str = "") -> str:
    return ", ".join(of + name for name in _names(connection, table))
