"""plain ids: a row's id is its id everywhere, so whatever was stored under another number is written anew.

Since revision 0058 rows were shown under a number of 13 digits, which a key of the database led to and from. Texts and
JSON that hold such numbers get the ids. What a key of the installation binds to such a number is bound to the id.
Links and codes that people have can't be changed: `former_id` keeps the rows that they mean.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import context, op

from app import config
from app.core.crypto import Keyring
from app.core.errors import Conflict

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None

ROUNDS, HALF = 6, 20
MASK, FIRST = (1 << HALF) - 1, 1 << 2 * HALF
NUMBER = re.compile(r"(?<![0-9A-Za-z.])[12]\d{12}(?![0-9A-Za-z]|\.\d)")
# Columns of text or JSON in which ids stand.
NAMED = """
    account.absences audit_entry.subject audit_entry.before audit_entry.after bulk_change.about bulk_part.leads
    calendar_forecast.body campaign.account_ids campaign.mailbox_ids campaign.on_reply campaign.contact_rules
    campaign_revision.before campaign_revision.after company_hold.former_senders contact_proof.asked
    conversation_words.names credit_entry.ref credit_entry.resolves credit_hold.ref delivery.test_body event.body
    event.once job.open_key job.payload job.next_payload learnt_rule.drafts marked_answer.before meeting.ref
    person.origins reply_action.rule saved_view.place saved_view.query webhook.campaign_ids
""".split()
# Numbers outside of all keys, which were stored as they were shown.
NUMBERS = ("copied_row.source_id", "copied_row.copy_id", "go_live.after")
# Sealed columns, and what a value is bound to.
SEALED = {
    "webhook.secret": "webhook|secret|{id}|{workspace_id}",
    "webhook.former_secret": "webhook|secret|{id}|{workspace_id}",
    "second_factor.secret": "second_factor|secret|{user_id}|-",
    "mailbox_login.sealed": "mailbox_login|sealed|{id}|{workspace_id}",
    "service_login.sealed": "service_login|sealed|{id}|{workspace_id}",
    "source_connection.sealed": "source_connection|sealed|{id}|{workspace_id}",
    "autopilot_setup.alerts_sealed": "autopilot_setup|alerts_sealed|{id}|{workspace_id}",
    "idempotency_key.answer": "idempotency_key|answer|{key}|{workspace_id}",
    "sign_in.sealed": "sign_in|sealed|{id}|{workspace_id}",
    "network_hook.sealed": "network_hook|sealed|{id}|{workspace_id}",
    "model_choice.sealed": "model_choice|sealed|{id}|-",
}
ANSWER = "idempotency_key.answer"
# Rows that links and codes name: of the campaigns' tables only those of whom the ledger knows.
LINKED = {
    "workspace": "",
    "user_account": "",
    "campaign": "campaign_id",
    "campaign_lead": "campaign_lead_id",
    "person": "person_id",
}
BATCH = 1000


class Shown:
    """The numbers by which rows were shown: up to `kept` those of each table are its ids, then they are enciphered."""

    def __init__(self, key: bytes, kept: Mapping[str, int], last: Mapping[str, int]) -> None:
        self._kept = {table: kept.get(table, 0) for table in last}
        self._last = last
        self._keys = {table: hashlib.blake2b(table.encode(), key=key, digest_size=32).digest() for table in last}

    def of(self, table: str, row_id: int | None) -> int | None:
        """Return the number by which the row was shown."""
        if row_id is None or row_id <= self._kept[table]:
            return row_id
        left, right = row_id >> HALF, row_id & MASK
        for each in range(ROUNDS):
            left, right = right, left ^ self._turn(table, each, right)
        return FIRST + (left << HALF | right)

    def row_id(self, number: int) -> int:
        """Return the id of the one row that was shown by this number; the number itself if there is none."""
        found = [row_id for table in self._last if (row_id := self._row_id(table, number))]
        return found[0] if FIRST <= number < 2 * FIRST and len(found) == 1 else number

    def plain(self, text: str) -> str:
        """Return the text with ids in the place of shown numbers."""
        return NUMBER.sub(lambda found: str(self.row_id(int(found[0]))), text)

    def _row_id(self, table: str, number: int) -> int | None:
        left, right = (number - FIRST) >> HALF, (number - FIRST) & MASK
        for each in reversed(range(ROUNDS)):
            left, right = right ^ self._turn(table, each, left), left
        row_id = left << HALF | right
        return row_id if self._kept[table] < row_id <= self._last[table] else None

    def _turn(self, table: str, each: int, half: int) -> int:
        drawn = hashlib.blake2b(half.to_bytes(3, "big") + bytes((each,)), key=self._keys[table], digest_size=3).digest()
        return int.from_bytes(drawn, "big") & MASK


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "former_id",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("row_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("kind", "number", name=op.f("pk_former_id")),
    )
    op.create_index(op.f("ix_former_id_kind_row_id"), "former_id", ["kind", "row_id"])
    connection = op.get_bind()
    tables = sa.MetaData()
    tables.reflect(connection, only=lambda name, _: not name.startswith(("fulltext_", "procrastinate_")))
    row = connection.execute(sa.select(tables.tables["shown_ids"])).first()
    if row is not None:
        _Change(connection, tables, row).make()
    op.drop_table("shown_ids")


def downgrade() -> None:
    """Move the schema back; without a key, ids are shown as they are."""
    op.create_table(
        "shown_ids",
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("kept", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_shown_ids")),
    )
    op.drop_table("former_id")


class _Change:
    """What is changed in the rows of one database."""

    def __init__(self, connection: sa.Connection, tables: sa.MetaData, row: Any) -> None:
        self._connection, self._tables = connection, tables.tables
        numbered = [table for table in tables.tables.values() if "id" in table.c and table.c.id.primary_key]
        last = {table.name: connection.scalar(sa.select(sa.func.max(table.c.id))) or 0 for table in numbered}
        self._shown = Shown(bytes(row.key), row.kept, last)
        self._settings = config.load()
        kept = self._tables["kept_key"]
        self._keys = Keyring(
            self._settings["SECRET_KEY"],
            self._settings["OVERTURE_OLD_SECRET_KEYS"],
            lambda: {row.purpose: row.sealed for row in connection.execute(sa.select(kept))},
        )

    def make(self) -> None:
        """Change all rows; a value that was shut already stays so."""
        try:
            for purpose in ("action", "audit"):
                self._keys.key(purpose)
        except ValueError:
            raise _wrong_key() from None
        opened = [opens for name, place in SEALED.items() for opens in self._seal(name, place)]
        if opened and not any(opened):
            raise _wrong_key()
        self._note_former_ids()
        self._sign_audit_log()
        self._name_actions()
        for name in NAMED:
            self._rewrite(name)
        for name in NUMBERS:
            self._renumber(name)

    def _rows(self, query: sa.Select[Any]) -> Iterator[Any]:
        yield from self._connection.execute(query.execution_options(yield_per=BATCH))

    def _put(self, table: sa.Table, row: Any, **values: Any) -> None:
        mine = (column == getattr(row, column.name) for column in table.primary_key)
        self._connection.execute(sa.update(table).where(*mine).values(values))

    def _note_former_ids(self) -> None:
        former = self._tables["former_id"]
        for kind, column in LINKED.items():
            table, ledger = self._tables[kind], self._tables["action"]
            query = sa.select(table.c.id)
            if column:
                query = query.where(sa.exists().where(ledger.c[column] == table.c.id))
            ids = [(row_id, self._shown.of(kind, row_id)) for row_id in self._connection.scalars(query)]
            rows = [{"kind": kind, "number": number, "row_id": row_id} for row_id, number in ids if number != row_id]
            for start in range(0, len(rows), BATCH):
                self._connection.execute(sa.insert(former), rows[start : start + BATCH])

    def _seal(self, name: str, place: str) -> Iterator[bool]:
        """Bind sealed values to ids, and put ids into stored answers; yield of each value whether a key opens it."""
        table = self._tables[name.partition(".")[0]]
        column = table.c[name.partition(".")[2]]
        owners = {"id": table.name, "workspace_id": "workspace", "user_id": "user_account"}
        for row in self._rows(sa.select(table).where(column.is_not(None))):
            now = place.format_map(row._mapping)
            shown = {one: self._shown.of(owners[one], row._mapping[one]) for one in owners if one in table.c}
            was = place.format_map({**row._mapping, **shown})
            if was == now and name != ANSWER:
                continue
            try:
                opened = self._keys.unseal(row._mapping[column.name], was)
            except ValueError:
                yield False
                continue
            if name == ANSWER:
                opened = self._shown.plain(opened.decode(errors="surrogateescape")).encode(errors="surrogateescape")
            self._put(table, row, **{column.name: self._keys.seal(opened, now)})
            yield True

    def _rewrite(self, name: str) -> None:
        table = self._tables[name.partition(".")[0]]
        column = table.c[name.partition(".")[2]]
        if self._is_sqlite:
            as_text: Any = sa.type_coerce(column, sa.Text())
            likely = as_text.op("GLOB")("*[12]" + "[0-9]" * 12 + "*")
        else:
            as_text = sa.cast(column, sa.Text())
            likely = as_text.op("~")("[12][0-9]{12}")
        for row in self._rows(sa.select(*table.primary_key, as_text.label("_text")).where(likely)):
            if (plain := self._shown.plain(row[-1])) != row[-1]:
                value: Any = sa.literal(plain, sa.Text())
                self._put(table, row, **{column.name: value if self._is_sqlite else sa.cast(value, column.type)})

    @property
    def _is_sqlite(self) -> bool:
        return self._connection.dialect.name == "sqlite"

    def _renumber(self, name: str) -> None:
        table = self._tables[name.partition(".")[0]]
        column = table.c[name.partition(".")[2]]
        for number in self._connection.scalars(sa.select(column).where(column >= FIRST).distinct()).all():
            change = sa.update(table).where(column == number).values({column: self._shown.row_id(number)})
            self._connection.execute(change)

    def _sign_audit_log(self) -> None:
        """Sign the entries that were as they had been signed; others still show that they were changed."""
        entry, heads = self._tables["audit_entry"], dict[str, str]()
        rows = self._rows(sa.select(entry).order_by(entry.c.workspace_id, entry.c.number))
        for workspace_id, entries in groupby(rows, lambda row: row.workspace_id):
            shown, was, now = self._shown.of("workspace", workspace_id), b"", b""
            for row in entries:
                user = self._shown.of("user_account", row.user_id)
                fits = hmac.compare_digest(row.digest, self._audit_digest(row, was, shown, user, str))
                was = row.digest
                own = self._audit_digest(row, now, workspace_id, row.user_id, self._shown.plain)
                now = own if fits else was
                if now != was:
                    self._put(entry, row, digest=now)
                heads[f"{shown} {row.number} {was.hex()}"] = f"{workspace_id} {row.number} {now.hex()}"
        self._write_heads(heads)

    def _audit_digest(self, row: Any, before: bytes, workspace: Any, user: Any, change: Callable[[str], str]) -> bytes:
        parts = (json.loads(change(json.dumps(part))) for part in (row.before, row.after))
        told = [workspace, row.number, row.kind, row.actor, user, change(row.subject), *parts]
        told += [row.address, row.request_id, _moment(row.at)]
        return self._keys.sign("audit", before + json.dumps(told, sort_keys=True, separators=(",", ":")).encode())

    def _write_heads(self, heads: Mapping[str, str]) -> None:
        """Change what stands beside the database of the log's last entries."""
        place = hashlib.sha256(context.config.attributes["database_url"].encode()).hexdigest()[:8]
        file = Path(self._settings["OVERTURE_INSTANCE"]).absolute() / f"audit_heads_{place}"
        lines = file.read_text(errors="replace").splitlines() if file.exists() else []
        for number, line in enumerate(lines):
            words, _, signature = line.rpartition(" ")
            if words in heads and signature == self._head_signature(words):
                lines[number] = f"{heads[words]} {self._head_signature(heads[words])}"
        if lines:
            file.write_text("\n".join(lines) + "\n")

    def _head_signature(self, words: str) -> str:
        return self._keys.sign("audit", words.encode()).hex()[:32]

    def _name_actions(self) -> None:
        """Give actions that will be tried again the name that their next try has."""
        action, message = self._tables["action"], self._tables["message"]
        query = sa.select(action, message.c.id.label("message_id"))
        query = query.outerjoin(message, message.c.action_id == action.c.id)
        for row in self._rows(query.where(action.c.state.in_(("again", "failed")))):
            table, row_id, words = "campaign_lead", row.campaign_lead_id, f"{{}}|{{}}|{row.step}|{row.part}"
            if row_id is None:
                table, row_id, words = "message", row.message_id, "{}|message|{}"
            shown = words.format(self._shown.of("workspace", row.workspace_id), self._shown.of(table, row_id))
            if row.token == self._token(shown):
                self._put(action, row, token=self._token(words.format(row.workspace_id, row_id)))

    def _token(self, words: str) -> str:
        return self._keys.sign("action", words.encode()).hex()[:32]


def _wrong_key() -> Conflict:
    return Conflict("SECRET_KEY is not the one that this database was used with.", "Set that one, then upgrade again.")


def _moment(at: datetime) -> str:
    """Return a moment as the audit log signs it; SQLite forgets that it is one of UTC."""
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return at.isoformat(timespec="microseconds")
