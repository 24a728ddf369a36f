"""people.

Every lead gets the person that it shows: one for each public id of a workspace, whose id is that of their first lead. A
person who is known by an address alone is the one person with a profile who has that address, if there is one. Of
several values the one of the newest visible lead stands, and every other one is kept in `person_value`.

What belongs to one lead alone, as nearly all do, is moved by the database itself; the rest passes through Python in
batches. The rules by which companies are compared stand here as they are at this revision.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

ERASED = "Erased person"
EARLIER = "earlier"  # the kind of source for what was known before sources were written down
BATCH = 1000
STREAM: dict[str, Any] = {"yield_per": BATCH}
MOST_TAGS, MOST_CUSTOM_FIELDS, LONGEST_CUSTOM = 50, 100, 20_000
LONGEST_SAID, WORDLESS = 100_000, "-"
FIELDS = (
    *("profile_url", "first_name", "last_name", "headline", "position", "company_name", "company_url"),
    *("location", "image_url", "email", "phone"),
)
OPEN = ("pending", "active", "awaiting_accept", "paused")
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
MADE = "substr({0}, 1, 8) = 'address-' AND length({0}) = 24 AND ltrim(substr({0}, 9), '0123456789abcdef') = ''"
MEMBER = "substr({0}, 1, 5) IN ('acoaa', 'acwaa') AND length({0}) > 24 AND ltrim(substr({0}, 6), '{1}') = ''"
MEMBER_ID = re.compile(r"ac[ow]aa[a-z0-9_-]{20,}")
MEMBER_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789_-"
STANDING = ("campaign_lead", "action", "conversation")  # what else names its person
SAMPLE = ("sandbox_act", "sandbox_effect")  # what the sandbox network knows of a person, by the name it knows them by

# How companies were compared when this revision was written.
FREE_HOSTS = frozenset(
    """
    126.com 163.com aim.com alice.it aol.com arcor.de att.net bell.net bigpond.com bluewin.ch bol.com.br btinternet.com
    bt.com charter.net comcast.net cox.net duck.com email.com fastmail.com fastmail.fm foxmail.com free.fr freenet.de
    gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.co.uk hotmail.com hotmail.de
    hotmail.es hotmail.fr hotmail.it hushmail.com icloud.com inbox.com inbox.ru interia.pl laposte.net libero.it
    list.ru live.co.uk live.com live.fr live.nl mac.com mail.com mail.de mail.ru me.com msn.com naver.com o2.pl
    onet.pl optonline.net optusnet.com.au orange.fr outlook.com outlook.de outlook.es outlook.fr passport.com pm.me
    posteo.de privaterelay.appleid.com proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com
    rocketmail.com rogers.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sky.com skynet.be sympatico.ca t-online.de
    telenet.be terra.com.br tiscali.it tutanota.com tuta.io uol.com.br verizon.net virgilio.it virginmedia.com
    wanadoo.fr web.de wp.pl xtra.co.nz ya.ru yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.br
    yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru ymail.com zoho.com zohomail.com zohomail.eu
    """.split()
)
HOST = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,62}")
LEGAL_FORMS = re.compile(
    r"[,.]?\s+(inc|llc|ltd|limited|gmbh|ag|ug|s\.?a\.?|s\.?a\.?s|s\.?r\.?l|b\.?v|n\.?v|oy|ab|as|aps|plc|corp|co|kg|pty"
    r"|corporation|company|sp\.? z o\.?o|s\.?r\.?o|kft|ltda)\.?$",
    re.IGNORECASE,
)


def _table(name: str, *columns: str, **typed: Any) -> Any:
    """Name the columns that are read and written here; a type is needed by what a database has no words for."""
    return sa.table(name, *map(sa.column, columns), *(sa.column(column, kind) for column, kind in typed.items()))


LISTED: dict[str, Any] = {"tags": sa.JSON(), "custom_fields": sa.JSON()}
LEAD = _table(
    *("lead", "id", "workspace_id", "person_id", "list_id", "person", "public_id", *FIELDS),
    **LISTED,
    created_at=MOMENT,
    deleted_at=MOMENT,
)
LIST = _table("lead_list", "id", "deleted_at")
SEVERAL = _table("several", "person_id")
PERSON = _table(
    *("person", "id", "workspace_id", "public_id", *FIELDS, "company_domain", "company_key", "source_id"),
    **LISTED,
    origins=sa.JSON(),
    created_at=MOMENT,
    erased_at=MOMENT,
)
IDENTITY = _table("person_identity", "workspace_id", "kind", "value", "person_id")
VALUE = _table(
    *("person_value", "workspace_id", "person_id", "field", "source_id", "taken"),
    value=sa.JSON(),
    known_at=MOMENT,
    ended_at=MOMENT,
)
KNOWN_AS = _table("known_as", "workspace_id", "text", "person_id")
STRANGER = _table("stranger", "id", "workspace_id", "text", since=MOMENT)
TALK = _table(
    *("conversation", "id", "workspace_id", "person_id", "sender_id", "lead_id", "campaign_id", "channel", "unread"),
    *("sentiment", "last_direction"),
    muted_at=MOMENT,
    last_message_at=MOMENT,
    created_at=MOMENT,
)
MESSAGE = _table(
    *("message", "id", "conversation_id", "campaign_lead_id", "action_id", "direction", "text", "subject"),
    *("provider_id", "sentiment", "seen_id"),
)
WORDS = _table("conversation_words", "conversation_id", "workspace_id", "names", "said")
TYPED = _table("typed", "id", "user_id", "conversation_id", saved_at=MOMENT)


def upgrade() -> None:
    """Move the schema forward."""
    connection, at = op.get_bind(), datetime.now(UTC)
    _make_room(connection)
    _make_tables()
    for table in ("lead", *STANDING):
        op.add_column(table, sa.Column("person_id", ID))
    _name_sources(connection, at)
    _gather(connection)
    _keep_single(connection)
    _keep_several(connection, at)
    _keep_erased(connection, at)
    _identify(connection)
    addresses = _addresses(connection)
    _keep_made(connection)
    _keep_strangers(connection, addresses, at)
    _name_everywhere(connection, at)
    _index_people(connection)
    _join_leads(connection)
    _stop_doubles(connection, at)
    _join_conversations(connection)
    _forget_made(connection, addresses)
    _move_tables(connection)
    _add_settings()
    for name in ("known_as", "several", "company_word"):
        op.execute(f"DROP TABLE {name}")


def _make_room(connection: sa.Connection) -> None:
    settings = {"sqlite": "PRAGMA cache_size = -64000", "postgresql": "SET LOCAL work_mem = '64MB'"}
    connection.exec_driver_sql(settings[connection.dialect.name])


def _run(connection: sa.Connection, statement: str, **values: Any) -> None:
    moments = [sa.bindparam(name, type_=MOMENT) for name, value in values.items() if isinstance(value, datetime)]
    connection.execute(sa.text(statement).bindparams(*moments), values)


def _made(column: str) -> str:
    """Return the condition that this names a person by a hash of their address."""
    return f"({MADE.format(column)})"


def _hash(address: str) -> str:
    return "address-" + blake2b(address.encode(), digest_size=8).hexdigest()


def _utc(moment: datetime) -> datetime:
    """Return a moment of either database; SQLite's have no zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


# --- the tables


def _make_tables() -> None:
    """Create them without what is quicker to make once they are full."""
    cascade: dict[str, Any] = {"ondelete": "CASCADE"}
    op.create_table(
        "data_source",
        sa.Column("workspace_id", ID, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("kind", "name", "lawful_basis")),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_data_source_workspace_id", **cascade),
        sa.PrimaryKeyConstraint("id", name="pk_data_source"),
        sa.UniqueConstraint(
            *("workspace_id", "kind", "name", "lawful_basis"),
            name="uq_data_source_workspace_id_kind_name_lawful_basis",
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "person",
        sa.Column("workspace_id", ID, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("public_id", *FIELDS)),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("custom_fields", sa.JSON(), nullable=False),
        sa.Column("company_domain", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("company_key", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("source_id", ID),
        sa.Column("origins", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("erased_at", MOMENT),
        sa.Column("id", ID, nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["data_source.id"], name="fk_person_source_id", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_person_workspace_id", **cascade),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "person_identity",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("person_id", ID, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_person_identity_person_id", **cascade),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_person_identity_workspace_id", **cascade),
        sa.PrimaryKeyConstraint("workspace_id", "kind", "value", name="pk_person_identity"),
    )
    op.create_table(
        "person_value",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("person_id", ID, nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("source_id", ID),
        sa.Column("known_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=False),
        sa.Column("taken", sa.Boolean(), nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_person_value_person_id", **cascade),
        sa.ForeignKeyConstraint(
            ["source_id"], ["data_source.id"], name="fk_person_value_source_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_person_value_workspace_id", **cascade),
        sa.PrimaryKeyConstraint("id", name="pk_person_value"),
        sqlite_autoincrement=True,
    )


def _index_people(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        op.execute("SELECT setval(pg_get_serial_sequence('person', 'id'), max(id)) FROM person HAVING max(id) > 0")
    for column in ("id", "public_id", "email"):
        op.create_index(f"ix_person_workspace_id_{column}", "person", ["workspace_id", column])
    for column in ("first_name", "last_name", "company_name"):
        beginning = {column: "text_pattern_ops"}
        op.create_index(f"ix_person_{column}", "person", ["workspace_id", column], postgresql_ops=beginning)
    for column in ("company_domain", "company_key"):
        known: dict[str, Any] = {f"{name}_where": sa.text(f"{column} <> ''") for name in ("sqlite", "postgresql")}
        op.create_index(f"ix_person_{column}", "person", ["workspace_id", column], **known)
    op.create_index("ix_person_source_id", "person", ["source_id"])
    op.create_index("ix_person_identity_person_id", "person_identity", ["person_id"])
    op.create_index("ix_person_value_person_id", "person_value", ["person_id", "field"])
    op.create_index("ix_person_value_source_id", "person_value", ["source_id"])
    op.create_index("ix_person_value_workspace_id", "person_value", ["workspace_id"])


def _add_settings() -> None:
    for table, column, default in SETTINGS:
        kind = ID if default == "0" else sa.Text()
        op.add_column(table, sa.Column(column, kind, server_default=default or sa.text("''"), nullable=False))


SETTINGS = (
    *(("workspace", "merge", ""), ("workspace", "lawful_basis", ""), ("lead_list", "lawful_basis", "")),
    *(("lead_import", "merge", "overwrite"), ("lead_import", "lawful_basis", ""), ("lead_import", "problems", "0")),
    ("import_refusal", "field", ""),
)


# --- who is who


def _name_sources(connection: sa.Connection, at: datetime) -> None:
    told = " OR ".join(f"EXISTS (SELECT 1 FROM {table} t WHERE t.workspace_id = w.id)" for table in ("lead", *STANDING))
    insert = "INSERT INTO data_source (workspace_id, kind, name, lawful_basis, created_at)"
    _run(
        connection, f"{insert} SELECT w.id, '{EARLIER}', '', '', :at FROM workspace w WHERE {told} ORDER BY w.id", at=at
    )


def _gather(connection: sa.Connection) -> None:
    """Say of each lead whose it is, and which people have several."""
    op.execute(
        "CREATE TEMPORARY TABLE known_as"
        " (workspace_id BIGINT, text TEXT, person_id BIGINT, PRIMARY KEY (workspace_id, text))"
    )
    op.execute("CREATE TEMPORARY TABLE several (person_id BIGINT PRIMARY KEY)")
    op.execute(
        "INSERT INTO known_as SELECT workspace_id, person, min(id) FROM lead"
        f" WHERE person <> '{ERASED}' GROUP BY workspace_id, person"
    )
    _analyze(connection, "lead", "known_as")
    _join_addresses(connection)
    gone = ("workspace_id_person", "workspace_id_email", "with_email", "with_phone", "first_name", "last_name")
    for name in (*gone, "company_name"):
        op.drop_index(f"ix_lead_{name}", "lead")
    if connection.dialect.name == "postgresql":
        op.drop_constraint("uq_lead_list_id_person", "lead")
    op.execute(f"UPDATE lead SET person_id = id WHERE person = '{ERASED}'")
    op.execute(
        "UPDATE lead SET person_id = k.person_id FROM known_as k"
        f" WHERE k.workspace_id = lead.workspace_id AND k.text = lead.person AND lead.person <> '{ERASED}'"
    )
    op.create_index("ix_lead_person_id", "lead", ["person_id"])
    # A single lead whose public id is written otherwise than its person goes with them, so that it is kept too.
    odd = f"public_id NOT IN ('', person) OR substr(email, {_at('email')} + 1) LIKE '%@%'"
    op.execute(
        f"INSERT INTO several SELECT person_id FROM lead WHERE person <> '{ERASED}' GROUP BY person_id"
        f" HAVING count(*) > 1 OR max(CASE WHEN {odd} THEN 1 ELSE 0 END) = 1"
    )
    _analyze(connection, "lead", "several")


def _at(column: str) -> str:
    find = "instr" if op.get_bind().dialect.name == "sqlite" else "strpos"
    return f"{find}({column}, '@')"


def _analyze(connection: sa.Connection, *tables: str) -> None:
    """Tell Postgres how much there is, which it would learn only after this transaction."""
    if connection.dialect.name == "postgresql":
        for table in tables:
            op.execute(f"ANALYZE {table}")


def _join_addresses(connection: sa.Connection) -> None:
    """Make those known by an address alone the person with a profile who has it, if exactly one does."""
    op.execute(
        "CREATE TEMPORARY TABLE reached AS SELECT DISTINCT k.workspace_id, k.text, l.email FROM known_as k"
        " JOIN lead l ON l.workspace_id = k.workspace_id AND l.person = k.text"
        f" WHERE {_made('k.text')} AND l.email <> ''"
    )
    _analyze(connection, "reached")
    op.execute(
        "CREATE TEMPORARY TABLE joined (workspace_id BIGINT, text TEXT, person_id BIGINT,"
        " PRIMARY KEY (workspace_id, text))"
    )
    op.execute(
        "INSERT INTO joined SELECT r.workspace_id, r.text, min(k.person_id) FROM reached r"
        " JOIN lead l ON l.workspace_id = r.workspace_id AND l.email = r.email"
        " JOIN known_as k ON k.workspace_id = l.workspace_id AND k.text = l.person"
        f" WHERE NOT {_made('k.text')} GROUP BY r.workspace_id, r.text HAVING count(DISTINCT k.person_id) = 1"
    )
    op.execute(
        "UPDATE known_as SET person_id = j.person_id FROM joined j"
        " WHERE j.workspace_id = known_as.workspace_id AND j.text = known_as.text"
    )
    for name in ("joined", "reached"):
        op.execute(f"DROP TABLE {name}")


# --- what is known of them


def _keep_single(connection: sa.Connection) -> None:
    """Keep the people who have one lead: their values are its values."""
    _read_companies(connection)
    names = ", ".join(FIELDS)
    values = ", ".join(f"l.{name}" for name in FIELDS)
    op.execute(
        f"INSERT INTO person (id, workspace_id, public_id, {names}, tags, custom_fields, company_domain, company_key,"
        " source_id, origins, created_at)"
        f" SELECT l.person_id, l.workspace_id, CASE WHEN {_made('l.person')} THEN '' ELSE l.person END, {values},"
        " l.tags, l.custom_fields, coalesce(site.word, host.word, ''), coalesce(named.word, ''), s.id, '{}',"
        " l.created_at FROM lead l"
        f" JOIN data_source s ON s.workspace_id = l.workspace_id AND s.kind = '{EARLIER}'"
        " LEFT JOIN company_word site ON site.kind = 'site' AND site.given = l.company_url"
        " LEFT JOIN company_word host ON host.kind = 'host'"
        f" AND host.given = substr(l.email, {_at('l.email')} + 1)"
        " LEFT JOIN company_word named ON named.kind = 'name' AND named.given = l.company_name"
        f" WHERE l.person <> '{ERASED}' AND NOT EXISTS (SELECT 1 FROM several o WHERE o.person_id = l.person_id)"
        " ORDER BY l.person_id"
    )


def _read_companies(connection: sa.Connection) -> None:
    """Read each site, host and name of a company once."""
    op.execute("CREATE TEMPORARY TABLE company_word (kind TEXT, given TEXT, word TEXT)")
    insert = sa.text("INSERT INTO company_word VALUES (:kind, :given, :word)")
    for kind, given, read in (
        ("site", "company_url", _domain),
        ("host", f"substr(email, {_at('email')} + 1)", _company_host),
        ("name", "company_name", _company),
    ):
        distinct = sa.text(f"SELECT DISTINCT {given} FROM lead WHERE {given} <> ''").execution_options(**STREAM)
        with connection.execute(distinct) as found:
            for batch in found.scalars().partitions(BATCH):
                rows = [{"kind": kind, "given": one, "word": read(one)} for one in batch]
                if known := [row for row in rows if row["word"]]:
                    connection.execute(insert, known)
    if connection.dialect.name == "sqlite":  # Postgres joins without, and has a limit for what an index holds
        op.execute("CREATE INDEX ix_company_word ON company_word (kind, given)")
    _analyze(connection, "company_word")


def _domain(given: str) -> str:
    text = given.strip().casefold()
    if "@" in text and "/" not in text:
        text = text.rsplit("@", 1)[1]
    elif "//" not in text:
        text = "//" + text
    try:
        host = (urlsplit(text).hostname or "") if "//" in text else text
        host = host.rstrip(".").encode("idna").decode() if not host.isascii() else host.rstrip(".")
    except (UnicodeError, ValueError):
        return ""
    return host.removeprefix("www.") if HOST.fullmatch(host) else ""


def _company_host(address: str) -> str:
    host = address.rpartition("@")[2]
    return "" if host in FREE_HOSTS else host


def _company(given: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", given).split()).casefold()
    return LEGAL_FORMS.sub("", name).strip(" ,.") or name


def _keep_several(connection: sa.Connection, at: datetime) -> None:
    """Keep the people who have several leads, with what their leads say differently."""
    sources = _sources(connection)
    people: list[dict[str, Any]] = []
    history: list[dict[str, Any]] = []
    for leads in _leads_of_several(connection):
        merged = _Merged(leads, sources[leads[0].workspace_id], at)
        people.append(merged.person)
        history += merged.history
        if len(people) == BATCH:
            _put(connection, people, history)
            people, history = [], []
    _put(connection, people, history)


def _sources(connection: sa.Connection) -> dict[int, int]:
    known = connection.execute(sa.text(f"SELECT workspace_id, id FROM data_source WHERE kind = '{EARLIER}'"))
    return {row.workspace_id: row.id for row in known}


def _put(connection: sa.Connection, people: list[dict[str, Any]], history: list[dict[str, Any]]) -> None:
    for table, rows in ((PERSON, people), (VALUE, history)):
        if rows:
            connection.execute(sa.insert(table), rows)


def _leads_of_several(connection: sa.Connection) -> Iterator[list[Any]]:
    """Yield the leads of one person after another, the oldest lead first."""
    visible = sa.and_(LEAD.c.deleted_at.is_(None), LEAD.c.list_id.is_not(None), LIST.c.deleted_at.is_(None))
    query = (
        sa.select(LEAD, sa.case((visible, 1), else_=0).label("visible"))
        .join(SEVERAL, SEVERAL.c.person_id == LEAD.c.person_id)
        .outerjoin(LIST, LIST.c.id == LEAD.c.list_id)
        .order_by(LEAD.c.person_id, LEAD.c.id)
    )
    for ids in _slices(connection, SEVERAL.c.person_id):
        rows = connection.execute(query.where(SEVERAL.c.person_id.between(ids[0], ids[-1]))).all()
        for _, leads in groupby(rows, key=lambda row: row.person_id):
            yield list(leads)


def _slices(connection: sa.Connection, column: Any) -> Iterator[Sequence[int]]:
    """Yield all numbers of a unique column, some at a time and in their order."""
    query = sa.select(column).where(column > sa.bindparam("low")).order_by(column).limit(BATCH)
    low = 0
    while found := connection.execute(query, {"low": low}).scalars().all():
        yield found
        low = found[-1]


class _Merged:
    """One person of several leads: the newest visible value stands, and the history has every other."""

    def __init__(self, leads: Sequence[Any], source: int, at: datetime) -> None:
        self._best_first = sorted(leads, key=lambda lead: (lead.visible, lead.id), reverse=True)
        self._source, self._at = source, at
        self._since = {lead.id: _utc(lead.created_at) for lead in leads}
        self._created = min(self._since.values())
        self.history: list[dict[str, Any]] = []
        self._origins: dict[str, Any] = {}
        first = leads[0]
        self.person: dict[str, Any] = {
            "id": first.person_id,
            "workspace_id": first.workspace_id,
            "public_id": self._public_id(leads),
            **{name: self._text(name) for name in FIELDS},
            "tags": self._tags(leads),
            "custom_fields": self._custom_fields(),
            "source_id": source,
            "origins": self._origins,
            "created_at": self._created,
            "erased_at": None,
        }
        self.person.update(_companies(self.person))
        known = {"workspace_id": first.workspace_id, "person_id": first.person_id, "source_id": source, "taken": True}
        self.history = [{**row, **known} for row in self.history]

    def _public_id(self, leads: Sequence[Any]) -> str:
        chosen = next((lead.person for lead in leads if not _is_made(lead.person)), "")
        since = {lead.public_id: self._since[lead.id] for lead in reversed(leads) if not _is_made(lead.public_id)}
        for value in since.keys() - {"", chosen}:
            self._remember("public_id", value, since[value], self._created)
        return chosen

    def _text(self, name: str) -> str:
        values = [getattr(lead, name) for lead in self._best_first]
        if values.count(values[0]) == len(values):
            return str(values[0])
        return str(self._decide(name, list(zip(values, self._best_first, strict=True))))

    def _custom_fields(self) -> dict[str, Any]:
        names = dict.fromkeys(name for lead in self._best_first for name in lead.custom_fields)
        fields: dict[str, Any] = {}
        for name in names:
            having = [(lead.custom_fields[name], lead) for lead in self._best_first if name in lead.custom_fields]
            fields[name] = self._decide(f"custom.{name}", having)
        while len(fields) > MOST_CUSTOM_FIELDS or len(json.dumps(fields, ensure_ascii=False)) > LONGEST_CUSTOM:
            if len(fields) <= len(self._best_first[0].custom_fields):
                break  # one lead may have had as many
            name, value = fields.popitem()
            origin = self._origins.pop(f"custom.{name}", None)
            if value not in ("", None):
                since = datetime.fromisoformat(origin["at"]) if origin else self._created
                self._remember(f"custom.{name}", value, since, self._at)
        return fields

    def _tags(self, leads: Sequence[Any]) -> list[str]:
        kept: dict[str, tuple[str, Any]] = {}
        for lead in leads:
            for tag in lead.tags:
                kept.setdefault(tag.casefold(), (tag, lead))
        tags = list(kept.values())
        for tag, lead in tags[MOST_TAGS:]:
            self._remember("tags", [tag], self._since[lead.id], self._at)
        return [tag for tag, _ in tags[:MOST_TAGS]]

    def _decide(self, name: str, having: Sequence[tuple[Any, Any]]) -> Any:
        """Return the first value that is not empty; remember the others, and since when this one is known."""
        since: dict[str, datetime] = {}
        values: dict[str, Any] = {}
        winner = None
        for value, lead in having:
            if value in ("", None):
                continue
            winner = winner or lead
            mark = value if isinstance(value, str) else f"\0{json.dumps(value, sort_keys=True)}"
            values.setdefault(mark, value)
            at = self._since[lead.id]
            since[mark] = min(since.get(mark, at), at)
        if winner is None:
            return having[0][0]
        (best, value), *others = values.items()
        if since[best] > self._created:
            self._origins[name] = {"source": self._source, "at": since[best].isoformat(), "typed": False}
        for mark, other in others:
            self._remember(name, other, since[mark], self._since[winner.id])
        return value

    def _remember(self, field: str, value: Any, since: datetime, until: datetime) -> None:
        ended = until if until >= since else self._at
        self.history.append({"field": field, "value": value, "known_at": since, "ended_at": ended})


def _companies(person: dict[str, Any]) -> dict[str, str]:
    host = _domain(person["company_url"]) if person["company_url"] else ""
    key = _company(person["company_name"]) if person["company_name"] else ""
    return {"company_domain": host or _company_host(person["email"]), "company_key": key}


def _is_made(text: str) -> bool:
    return re.fullmatch("address-[0-9a-f]{16}", text) is not None


def _keep_erased(connection: sa.Connection, at: datetime) -> None:
    """Give each erased lead a person of whom nothing is known."""
    empty = ", ".join(["''"] * (1 + len(FIELDS)))
    _run(
        connection,
        f"INSERT INTO person (id, workspace_id, public_id, {', '.join(FIELDS)}, tags, custom_fields, origins,"
        " created_at, erased_at)"
        f" SELECT id, workspace_id, {empty}, '[]', '{{}}', '{{}}', created_at, :at FROM lead"
        f" WHERE person = '{ERASED}' ORDER BY id",
        at=at,
    )


def _identify(connection: sa.Connection) -> None:
    """Give people what they are known by; an address that several have is the first one's."""
    member = MEMBER.format("public_id", MEMBER_SIGNS)
    op.execute(
        "INSERT INTO person_identity (workspace_id, kind, value, person_id)"
        f" SELECT workspace_id, CASE WHEN {member} THEN 'member' ELSE 'profile' END, public_id, id FROM person"
        " WHERE public_id <> ''"
    )
    op.execute(
        "INSERT INTO person_identity (workspace_id, kind, value, person_id)"
        " SELECT workspace_id, 'email', lower(email), min(person_id) FROM lead"
        f" WHERE email <> '' AND person <> '{ERASED}' GROUP BY workspace_id, lower(email)"
    )
    _analyze(connection, "person", "person_identity")


# --- people known by an address, and people who are in no list


def _addresses(connection: sa.Connection) -> dict[tuple[int, str], tuple[int, str]]:
    """Return whose the hashes are that no lead has, and of which address: by workspace and hash."""
    places = ((table, "person") for table in (*STANDING, *SAMPLE))
    named = " UNION ".join(
        f"SELECT workspace_id, {column} AS text FROM {table} WHERE {_made(column)}"
        for table, column in (*places, ("never_contact", "value"))
    )
    wanted: defaultdict[int, set[str]] = defaultdict(set)
    for owner, text in connection.execute(sa.text(named)):
        wanted[owner].add(text)
    found: dict[tuple[int, str], tuple[int, str]] = {}
    addresses = sa.text("SELECT value, person_id FROM person_identity WHERE workspace_id = :of AND kind = 'email'")
    addresses = addresses.execution_options(**STREAM)
    for owner, hashes in wanted.items():
        with connection.execute(addresses, {"of": owner}) as rows:
            for address, person in rows:
                if (text := _hash(address)) in hashes:
                    found[owner, text] = person, address
    return found


def _keep_made(connection: sa.Connection) -> None:
    """Keep the name of a person without a profile where it is not the hash of the address they have."""
    query = sa.text(
        "SELECT k.text, p.id, p.workspace_id, p.email, p.source_id, p.created_at FROM known_as k"
        " JOIN person p ON p.id = k.person_id"
        f" WHERE k.person_id > :low AND {_made('k.text')} AND p.public_id = '' ORDER BY k.person_id LIMIT {BATCH}"
    ).columns(created_at=MOMENT)
    low = 0
    while rows := connection.execute(query, {"low": low}).all():
        low = rows[-1].id
        _put(connection, [], [_hidden_name(row.text, row._mapping) for row in rows if _hash(row.email) != row.text])


def _keep_strangers(connection: sa.Connection, addresses: dict[tuple[int, str], tuple[int, str]], at: datetime) -> None:
    """Give a person to each name that no lead has, such as one whose lead was deleted."""
    moments = {"campaign_lead": "enrolled_at", "action": "at", "conversation": "created_at"}
    named = " UNION ALL ".join(
        f"SELECT workspace_id, person AS text, {moment} AS since FROM {table} t WHERE person <> '{ERASED}' AND NOT"
        " EXISTS (SELECT 1 FROM known_as k WHERE k.workspace_id = t.workspace_id AND k.text = t.person)"
        for table, moment in moments.items()
    )
    op.execute(
        "CREATE TEMPORARY TABLE stranger AS SELECT row_number() OVER (ORDER BY workspace_id, text) AS id,"
        f" workspace_id, text, min(since) AS since FROM ({named}) AS named GROUP BY workspace_id, text"
    )
    op.execute("CREATE INDEX ix_stranger ON stranger (id)")
    sources = _sources(connection)
    whose = sa.and_(
        IDENTITY.c.workspace_id == STRANGER.c.workspace_id,
        IDENTITY.c.kind == "email",
        IDENTITY.c.value == STRANGER.c.text,
    )
    query = sa.select(STRANGER, IDENTITY.c.person_id).outerjoin(IDENTITY, whose).order_by(STRANGER.c.id)
    for ids in _slices(connection, STRANGER.c.id):
        rows = connection.execute(query.where(STRANGER.c.id.between(ids[0], ids[-1]))).all()
        _keep_some_strangers(connection, rows, addresses, sources, at)
    op.execute("DROP TABLE stranger")


def _keep_some_strangers(
    connection: sa.Connection,
    rows: Iterable[Any],
    addresses: dict[tuple[int, str], tuple[int, str]],
    sources: dict[int, int],
    at: datetime,
) -> None:
    people: list[dict[str, Any]] = []
    history: list[dict[str, Any]] = []
    known: list[dict[str, Any]] = []
    identities: list[dict[str, Any]] = []
    number = _last_person(connection)
    for row in rows:
        person_id = row.person_id or addresses.get((row.workspace_id, row.text), (None, ""))[0]
        if person_id is None:
            person_id = number = number + 1
            person = _blank(number, row.workspace_id, _utc(row.since) if row.since else at)
            person["source_id"] = sources[row.workspace_id]
            whose = {"workspace_id": row.workspace_id, "person_id": number}
            if _is_made(row.text):
                history.append(_hidden_name(row.text, person))
            elif "@" in row.text:
                person["email"] = row.text
                identities.append({"kind": "email", "value": row.text, **whose})
            else:
                person["public_id"] = row.text
                kind = "member" if MEMBER_ID.fullmatch(row.text) else "profile"
                identities.append({"kind": kind, "value": row.text, **whose})
            people.append(person | _companies(person))
        known.append({"workspace_id": row.workspace_id, "text": row.text, "person_id": person_id})
    for table, given in ((PERSON, people), (VALUE, history), (IDENTITY, identities), (KNOWN_AS, known)):
        if given:
            connection.execute(sa.insert(table), given)


def _hidden_name(text: str, person: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the value that keeps the name which a person without a profile had."""
    since = _utc(person["created_at"])
    whose = {"workspace_id": person["workspace_id"], "person_id": person["id"], "source_id": person["source_id"]}
    return {**whose, "field": "public_id", "value": text, "taken": True, "known_at": since, "ended_at": since}


def _last_person(connection: sa.Connection) -> int:
    highest = sa.text(
        "SELECT max(id) FROM (SELECT max(id) AS id FROM lead UNION ALL SELECT max(id) FROM person) AS all_"
    )
    return connection.execute(highest).scalar() or 0


def _blank(number: int, owner: int, since: datetime) -> dict[str, Any]:
    texts = dict.fromkeys(("public_id", *FIELDS, "company_domain", "company_key"), "")
    rest: dict[str, Any] = {"tags": [], "custom_fields": {}, "origins": {}, "source_id": None, "erased_at": None}
    return {"id": number, "workspace_id": owner, **texts, **rest, "created_at": since}


def _name_everywhere(connection: sa.Connection, at: datetime) -> None:
    """Say of campaigns, actions and conversations whose they are."""
    _analyze(connection, "known_as")
    for table in STANDING:
        op.drop_index(f"ix_{table}_workspace_id_person", table)
        op.execute(
            f"UPDATE {table} SET person_id = k.person_id FROM known_as k"
            f" WHERE k.workspace_id = {table}.workspace_id AND k.text = {table}.person"
        )
        op.execute(
            f"UPDATE {table} SET person_id = l.person_id FROM lead l WHERE l.id = {table}.lead_id"
            f" AND {table}.person_id IS NULL AND l.person = '{ERASED}'"
        )
    _name_erased(connection, at)


def _name_erased(connection: sa.Connection, at: datetime) -> None:
    """Give what tells of an erased person, and of no erased lead, one for each lead or each row."""
    of_lead: dict[int, int] = {}
    for table in STANDING:
        rows = sa.text(
            f"SELECT id, workspace_id, lead_id FROM {table} WHERE person_id IS NULL AND id > :low ORDER BY id"
            f" LIMIT {BATCH}"
        )
        change = sa.text(f"UPDATE {table} SET person_id = :person_id WHERE id = :id")
        low = 0
        while found := connection.execute(rows, {"low": low}).all():
            low, number = found[-1].id, _last_person(connection)
            people, named = [], []
            for row in found:
                person_id = of_lead.get(row.lead_id)
                if person_id is None:
                    person_id = number = number + 1
                    people.append(_blank(number, row.workspace_id, at) | {"erased_at": at})
                    if row.lead_id is not None:
                        of_lead[row.lead_id] = number
                named.append({"id": row.id, "person_id": person_id})
            _put(connection, people, [])
            connection.execute(change, named)


# --- what is one now


def _join_leads(connection: sa.Connection) -> None:
    """Leave one lead of a person in a list: the oldest."""
    doubles = sa.text(
        "SELECT l.id, l.workspace_id, l.list_id, first.id AS first FROM lead l JOIN"
        " (SELECT list_id, person_id, min(id) AS id FROM lead WHERE list_id IS NOT NULL GROUP BY list_id, person_id"
        " HAVING count(*) > 1) first"
        " ON first.list_id = l.list_id AND first.person_id = l.person_id AND first.id <> l.id ORDER BY l.id"
    )
    for lead, owner, list_id, first in connection.execute(doubles).all():
        of = {"lead": lead, "first": first, "list": list_id, "owner": owner}
        both = (
            f"SELECT 1 FROM {table} a JOIN {table} b ON {same} WHERE a.lead_id = :lead AND b.lead_id = :first"
            for table, same in (
                ("campaign_lead", "a.campaign_id = b.campaign_id"),
                ("contact_lookup", "a.enrichment_id = b.enrichment_id AND a.kind = b.kind"),
            )
        )
        if connection.execute(sa.text(" UNION ALL ".join(both)), of).first():
            # Both were in one campaign: as one taken out of a list, it stays for the campaign.
            _run(connection, "UPDATE lead SET list_id = NULL WHERE id = :lead", **of)
        else:
            for table in ("campaign_lead", "approval", "action", "conversation", "contact_lookup", "event"):
                _run(
                    connection,
                    f"UPDATE {table} SET lead_id = :first WHERE lead_id = :lead AND workspace_id = :owner",
                    **of,
                )
            _run(connection, "DELETE FROM lead WHERE id = :lead", **of)
        _run(connection, "UPDATE lead_list SET lead_count = lead_count - 1 WHERE id = :list", **of)


def _stop_doubles(connection: sa.Connection, at: datetime) -> None:
    """Stop a person's second way through a campaign: of two, the one that has not begun, else the newer."""
    still = ", ".join(f"'{state}'" for state in OPEN)
    doubles = sa.text(
        "SELECT id, campaign_id, state FROM (SELECT id, campaign_id, state, row_number() OVER"
        " (PARTITION BY campaign_id, person_id ORDER BY CASE WHEN contacted THEN 0 ELSE 1 END, id) AS place"
        f" FROM campaign_lead WHERE state IN ({still})) AS ways WHERE place > 1 ORDER BY id"
    )
    for way, campaign, state in connection.execute(doubles).all():
        _run(
            connection,
            "UPDATE approval SET status = 'skipped', reason = 'same_person', decided_at = :at, decided_by = NULL,"
            " revision = revision + 1 WHERE status IN ('pending', 'approved') AND id ="
            " (SELECT approval_id FROM campaign_lead WHERE id = :way)",
            way=way,
            at=at,
        )
        _run(
            connection,
            "UPDATE campaign_lead SET state = 'stopped', reason = 'same_person', error = '', due_at = NULL,"
            " next_budget = '', approval_id = NULL, finished_at = :at WHERE id = :way",
            way=way,
            at=at,
        )
        counted = (
            f"UPDATE campaign_stats SET {state} = {state} - 1, stopped = stopped + 1 WHERE campaign_id = :campaign"
        )
        _run(connection, counted, campaign=campaign)


def _join_conversations(connection: sa.Connection) -> None:
    """Make one conversation of those that a sender has with one person: the oldest has all messages."""
    several = (
        sa.select(TALK.c.sender_id, TALK.c.person_id)
        .group_by(TALK.c.sender_id, TALK.c.person_id)
        .having(sa.func.count() > 1)
    )
    for sender, person in connection.execute(several).all():
        theirs = sa.select(TALK).where(TALK.c.sender_id == sender, TALK.c.person_id == person).order_by(TALK.c.id)
        into, *others = connection.execute(theirs).all()
        for other in others:
            _move_messages(connection, into.id, other.id)
            _move_typed(connection, into.id, other.id)
        latest_first = sorted([into, *others], key=lambda talk: (talk.last_message_at, talk.id), reverse=True)
        latest = latest_first[0]
        sentiment = next((talk.sentiment for talk in latest_first if talk.sentiment), "")
        muted = [talk.muted_at for talk in latest_first]
        values = {
            **{name: getattr(latest, name) for name in ("channel", "last_message_at", "last_direction")},
            "lead_id": next((talk.lead_id for talk in latest_first if talk.lead_id), None),
            "campaign_id": next((talk.campaign_id for talk in latest_first if talk.campaign_id), None),
            "sentiment": sentiment,
            "unread": sum(talk.unread for talk in latest_first),
            "muted_at": max(muted) if all(muted) else None,
            "created_at": min(talk.created_at for talk in latest_first),
        }
        connection.execute(sa.update(TALK).where(TALK.c.id == into.id).values(values))
        _join_words(connection, into, [talk.id for talk in latest_first], sentiment)
        connection.execute(sa.delete(TALK).where(TALK.c.id.in_([other.id for other in others])))


def _move_messages(connection: sa.Connection, into: int, other: int) -> None:
    """Move them; a double is left out, and another message of the same name gets a name of its own."""
    query = sa.select(MESSAGE).where(MESSAGE.c.conversation_id == sa.bindparam("of"))
    there = {message.provider_id: message for message in connection.execute(query, {"of": into})}
    for message in connection.execute(query, {"of": other}).all():
        known = there.get(message.provider_id)
        if known is None:
            continue
        this = MESSAGE.c.id == message.id
        if any(getattr(known, name) != getattr(message, name) for name in ("text", "subject", "direction")):
            renamed = f"{message.provider_id}#{message.id}"
            connection.execute(sa.update(MESSAGE).where(this).values(provider_id=renamed))
            continue
        links = {name: getattr(known, name) or getattr(message, name) for name in ("campaign_lead_id", "action_id")}
        kept = sa.update(MESSAGE).where(MESSAGE.c.id == known.id)
        connection.execute(kept.values(**links, sentiment=known.sentiment or message.sentiment))
        seen = sa.update(MESSAGE).where(MESSAGE.c.conversation_id.in_([into, other]), MESSAGE.c.seen_id == message.id)
        connection.execute(seen.values(seen_id=known.id))
        connection.execute(sa.delete(MESSAGE).where(this))
    moved = sa.update(MESSAGE).where(MESSAGE.c.conversation_id == other)
    connection.execute(moved.values(conversation_id=into))


def _move_typed(connection: sa.Connection, into: int, other: int) -> None:
    """Move the drafts; of two of one user the newer stays."""
    query = sa.select(TYPED).where(TYPED.c.conversation_id.in_([into, other])).order_by(TYPED.c.saved_at, TYPED.c.id)
    drafts = connection.execute(query).all()
    newest = {draft.user_id: draft.id for draft in drafts}
    older = [draft.id for draft in drafts if newest[draft.user_id] != draft.id]
    connection.execute(sa.delete(TYPED).where(TYPED.c.id.in_(older)))
    connection.execute(sa.update(TYPED).where(TYPED.c.conversation_id == other).values(conversation_id=into))


def _join_words(connection: sa.Connection, into: Any, latest_first: list[int], sentiment: str) -> None:
    rows = connection.execute(sa.select(WORDS).where(WORDS.c.conversation_id.in_(latest_first))).all()
    by_talk = {row.conversation_id: row for row in rows}
    found = [by_talk[talk] for talk in latest_first if talk in by_talk]
    own = f"w:{into.workspace_id}"
    scopes = [own, *(f"{own}:{kind}" for kind in (("answered", sentiment) if sentiment else ("silent",)))]
    names = [word for row in found for word in row.names.split() if not word.startswith("w:")]
    said = " ".join(row.said for row in found if row.said != WORDLESS)[:LONGEST_SAID].rstrip() or WORDLESS
    connection.execute(sa.delete(WORDS).where(WORDS.c.conversation_id.in_(latest_first)))
    words = {"names": " ".join(dict.fromkeys([*scopes, *names])), "said": said}
    if found:
        row = {"conversation_id": into.id, "workspace_id": into.workspace_id, **words}
        connection.execute(sa.insert(WORDS), [row])


def _forget_made(connection: sa.Connection, addresses: dict[tuple[int, str], tuple[int, str]]) -> None:
    """Name people without a profile by their address where a hash of it stood."""
    entries = sa.text(
        "SELECT n.id, n.workspace_id, n.value, n.label, p.email FROM never_contact n LEFT JOIN known_as k"
        " ON k.workspace_id = n.workspace_id AND k.text = n.value LEFT JOIN person p ON p.id = k.person_id"
        f" WHERE n.kind = 'person' AND {_made('n.value')} ORDER BY n.id"
    )
    taken = sa.text("SELECT 1 FROM never_contact WHERE workspace_id = :of AND kind = 'email' AND value = :value")
    for entry in connection.execute(entries).all():
        address = addresses.get((entry.workspace_id, entry.value), (None, ""))[1] or entry.email
        if not address:
            continue
        if connection.execute(taken, {"of": entry.workspace_id, "value": address}).first():
            _run(connection, "DELETE FROM never_contact WHERE id = :id", id=entry.id)
            continue
        label = address if entry.label == entry.value else entry.label
        change = "UPDATE never_contact SET kind = 'email', value = :value, label = :label WHERE id = :id"
        _run(connection, change, value=address, label=label, id=entry.id)
    for table in SAMPLE:
        op.execute(
            f"UPDATE {table} SET person = CASE WHEN p.public_id <> '' THEN p.public_id ELSE p.email END"
            " FROM known_as k JOIN person p ON p.id = k.person_id"
            f" WHERE k.workspace_id = {table}.workspace_id AND k.text = {table}.person"
            f" AND {_made(f'{table}.person')} AND (p.public_id <> '' OR p.email <> '')"
        )


# --- the tables that change


def _move_tables(connection: sa.Connection) -> None:
    sequences = _sequences(connection)
    _restand(connection, "lead", ("person", "public_id", *FIELDS, "tags", "custom_fields"), "list_id")
    op.create_index("ix_lead_workspace_id_id", "lead", ["workspace_id", "id"])
    for table in STANDING:
        _restand(connection, table, ("person",), "sender_id" if table == "conversation" else "")
    op.create_index("ix_campaign_lead_person_id", "campaign_lead", ["person_id"])
    op.create_index("ix_action_person_id", "action", ["person_id", "at"])
    op.create_index("ix_conversation_person_id", "conversation", ["person_id"])
    _set_sequences(connection, sequences)


def _restand(connection: sa.Connection, table: str, old: Sequence[str], unique: str) -> None:
    """Let the table name its person by number alone, once in each `unique` place."""
    sqlite = connection.dialect.name == "sqlite"
    with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
        if unique and (sqlite or table != "lead"):
            batch.drop_constraint(f"uq_{table}_{unique}_person", type_="unique")
        for column in old:
            batch.drop_column(column)
        batch.alter_column("person_id", existing_type=ID, nullable=False)
        if unique:
            batch.create_unique_constraint(f"uq_{table}_{unique}_person_id", [unique, "person_id"])
        batch.create_foreign_key(f"fk_{table}_person_id", "person", ["person_id"], ["id"], ondelete="CASCADE")
    if not sqlite:
        # Write every row anew: what the columns held would else stay in the file.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN person_id TYPE BIGINT USING person_id + 0")


def _sequences(connection: sa.Connection) -> dict[str, int]:
    """Return the last number that SQLite gave in each table; a rebuilt table begins after what it still holds."""
    if connection.dialect.name != "sqlite":
        return {}
    return {row.name: row.seq for row in connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence")}


def _set_sequences(connection: sa.Connection, given: dict[str, int]) -> None:
    for table in ("lead", *STANDING):
        if table in given:
            connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            connection.exec_driver_sql("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, given[table]))


def downgrade() -> None:
    """Move the schema back: leads get the values of their people, and the history of values goes."""
    connection = op.get_bind()
    _make_room(connection)
    sequences = _sequences(connection)
    _call(connection)
    _give_back_leads(connection)
    _give_back_names(connection)
    _set_sequences(connection, sequences)
    op.execute("DROP TABLE called")
    for table in ("person_value", "person_identity", "person", "data_source"):
        op.drop_table(table)
    for table, column, _ in reversed(SETTINGS):
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


def _call(connection: sa.Connection) -> None:
    """Give each person a text again: their public id, or a hash of their address."""
    op.execute("CREATE TEMPORARY TABLE called (person_id BIGINT PRIMARY KEY, workspace_id BIGINT, text TEXT)")
    op.execute("INSERT INTO called SELECT id, workspace_id, public_id FROM person WHERE public_id <> ''")
    op.execute(
        f"INSERT INTO called SELECT id, workspace_id, '{ERASED}' FROM person"
        " WHERE public_id = '' AND erased_at IS NOT NULL"
    )
    rest = sa.select(PERSON.c.id, PERSON.c.workspace_id, PERSON.c.email).where(
        PERSON.c.public_id == "", PERSON.c.erased_at.is_(None)
    )
    names = sa.select(VALUE.c.person_id, VALUE.c.value).where(VALUE.c.field == "public_id")
    insert = sa.text("INSERT INTO called VALUES (:person_id, :workspace_id, :text)")
    for ids in _slices(connection, PERSON.c.id):
        low, high = ids[0], ids[-1]
        values = connection.execute(names.where(VALUE.c.person_id.between(low, high)))
        kept = {row.person_id: row.value for row in values if _is_made(row.value)}
        rows = [
            {
                "person_id": number,
                "workspace_id": owner,
                "text": kept.get(number) or _hash(address or f"person {number}"),
            }
            for number, owner, address in connection.execute(rest.where(PERSON.c.id.between(low, high)))
        ]
        if rows:
            connection.execute(insert, rows)
    op.execute(
        "UPDATE called SET text = text || '-' || person_id WHERE person_id IN (SELECT person_id FROM"
        " (SELECT person_id, row_number() OVER (PARTITION BY workspace_id, text ORDER BY person_id) AS place"
        f" FROM called WHERE text <> '{ERASED}') AS same WHERE place > 1)"
    )
    _analyze(connection, "called", "person")


def _give_back_leads(connection: sa.Connection) -> None:
    columns = ("public_id", *FIELDS)
    for column in ("person", *columns):
        op.add_column("lead", sa.Column(column, sa.Text()))
    for column in ("tags", "custom_fields"):
        op.add_column("lead", sa.Column(column, sa.JSON()))
    values = ", ".join(f"{column} = p.{column}" for column in (*FIELDS, "tags", "custom_fields"))
    op.execute(
        f"UPDATE lead SET person = c.text, public_id = CASE WHEN c.text = '{ERASED}' THEN '' ELSE c.text END, {values}"
        " FROM person p JOIN called c ON c.person_id = p.id WHERE p.id = lead.person_id"
    )
    op.drop_index("ix_lead_workspace_id_id", "lead")
    _restand_by_name("lead", ("person", *columns), "list_id")
    op.create_index("ix_lead_workspace_id_email", "lead", ["workspace_id", "email"])
    for column in ("email", "phone"):
        filled: dict[str, Any] = {f"{name}_where": sa.text(f"{column} <> ''") for name in ("sqlite", "postgresql")}
        op.create_index(f"ix_lead_with_{column}", "lead", ["list_id"], **filled)
    for column in ("first_name", "last_name", "company_name"):
        beginning = {column: "text_pattern_ops"}
        op.create_index(f"ix_lead_{column}", "lead", ["workspace_id", column], postgresql_ops=beginning)


def _give_back_names(connection: sa.Connection) -> None:
    for table in STANDING:
        # A sender has one conversation with each text, and all who are erased have the same.
        text = f"CASE WHEN c.text = '{ERASED}' THEN 'erased-' || c.person_id ELSE c.text END"
        text = text if table == "conversation" else "c.text"
        op.add_column(table, sa.Column("person", sa.Text()))
        op.execute(f"UPDATE {table} SET person = {text} FROM called c WHERE c.person_id = {table}.person_id")
        _restand_by_name(table, ("person",), "sender_id" if table == "conversation" else "")
    for table in SAMPLE:
        op.execute(
            f"UPDATE {table} SET person = c.text FROM person p JOIN called c ON c.person_id = p.id"
            f" WHERE p.workspace_id = {table}.workspace_id AND p.public_id = '' AND p.email <> ''"
            f" AND p.email = {table}.person"
        )


def _restand_by_name(table: str, columns: Sequence[str], unique: str) -> None:
    """Let the table name its person by text alone, once in each `unique` place."""
    op.drop_index(f"ix_{table}_person_id", table)
    with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_constraint(f"fk_{table}_person_id", type_="foreignkey")
        if unique:
            batch.drop_constraint(f"uq_{table}_{unique}_person_id", type_="unique")
        batch.drop_column("person_id")
        for column in columns:
            batch.alter_column(column, existing_type=sa.Text(), nullable=False)
        for column in ("tags", "custom_fields") if table == "lead" else ():
            batch.alter_column(column, existing_type=sa.JSON(), nullable=False)
        if unique:
            batch.create_unique_constraint(f"uq_{table}_{unique}_person", [unique, "person"])
    op.create_index(f"ix_{table}_workspace_id_person", table, ["workspace_id", "person"])
