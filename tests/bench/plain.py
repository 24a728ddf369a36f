"""The same work written plainly with Flask, Flask-SQLAlchemy, pydantic and waitress, without product features.

`python -m tests.bench.plain serve DATABASE PORT` answers, `python -m tests.bench.plain import DATABASE CSV LIST`
imports.
"""

import csv
import hashlib
import json
import sqlite3
import sys
import time
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, cast

import sqlalchemy as sa
from flask import Flask, Response, abort, request
from flask_sqlalchemy import SQLAlchemy
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from app.core.http_server import WebServer
from tests.bench import stock

CONSTANT = b'{"id":1,"name":"Long","type":"people","leadCount":1000000,"createdAt":"2026-03-02T09:00:00Z"}'
CHUNK = 1000


class Base(DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)


class ApiKey(Base):
    __tablename__ = "api_key"

    digest: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]


class LeadList(Base):
    __tablename__ = "lead_list"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    type: Mapped[str] = mapped_column(default="people")
    lead_count: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]


class Lead(Base):
    """A lead with the columns of a person of ours and as many indexes: an upsert has to keep them all."""

    __tablename__ = "lead"
    __table_args__ = (
        sa.UniqueConstraint("list_id", "person"),
        sa.Index("ix_lead_list", "list_id", "id"),
        *(sa.Index(f"ix_lead_{name}", "workspace_id", name) for name in ("person", "email")),
        *(sa.Index(f"ix_lead_{name}", "workspace_id", name) for name in ("first_name", "last_name", "company_name")),
        sa.Index("ix_lead_with_email", "list_id", sqlite_where=sa.text("email <> ''")),
        sa.Index("ix_lead_with_phone", "list_id", sqlite_where=sa.text("phone <> ''")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    workspace_id: Mapped[int]
    list_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_list.id"))
    person: Mapped[str]
    public_id: Mapped[str]
    profile_url: Mapped[str]
    first_name: Mapped[str]
    last_name: Mapped[str]
    headline: Mapped[str]
    position: Mapped[str]
    company_name: Mapped[str]
    company_url: Mapped[str]
    location: Mapped[str]
    image_url: Mapped[str]
    email: Mapped[str]
    phone: Mapped[str]
    tags: Mapped[list[str]] = mapped_column(sa.JSON)
    custom_fields: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    created_at: Mapped[datetime]


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


Text = Annotated[str, Field(max_length=500)]


class Profile(Camel):
    profile_url: Text = ""
    public_id: Annotated[str, Field(min_length=1, max_length=200)]
    first_name: Text = ""
    last_name: Text = ""
    headline: Text = ""
    position: Text = ""
    company_name: Text = ""
    company_url: Text = ""
    location: Text = ""
    image_url: Text = ""
    email: Text = ""
    phone: Text = ""
    custom_fields: dict[str, str | int | float | bool] = {}


class NewLeads(Camel):
    profiles: Annotated[list[Profile], Field(min_length=1, max_length=CHUNK)]


class ListOut(Camel):
    id: int
    name: str
    type: str
    lead_count: int
    created_at: datetime


class LeadOut(Camel):
    id: int
    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    headline: str
    position: str
    company_name: str
    company_url: str
    location: str
    image_url: str
    email: str
    phone: str
    tags: list[str]
    custom_fields: dict[str, Any]
    created_at: datetime


class Page(Camel):
    data: list[LeadOut]
    next_cursor: str


_LEAD = cast(sa.Table, Lead.__table__)
_LEADS = TypeAdapter(list[LeadOut])
_PAGE = [_LEAD.c[name] for name in LeadOut.model_fields]
_KEPT = ("id", "workspace_id", "list_id", "person", "created_at")
_NEW = insert(_LEAD)
_UPSERT = _NEW.on_conflict_do_update(
    index_elements=["list_id", "person"],
    set_={column.name: _NEW.excluded[column.name] for column in _LEAD.c if column.name not in _KEPT},
)


def application(file: Path) -> Flask:
    """A constant without any check; a list, a page of leads, and adding leads, for those with a key."""
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{file}"
    db.init_app(app)
    with app.app_context():
        sa.event.listen(db.engine, "connect", _settings)

    @app.get("/constant")
    def constant() -> Response:
        return _json(CONSTANT)

    @app.get("/v1/lists/<int:list_id>")
    def show(list_id: int) -> Response:
        _authenticate()
        found = db.session.execute(sa.select(LeadList.__table__).where(LeadList.id == list_id)).one_or_none()
        return _json(ListOut.model_validate(found or abort(404)).model_dump_json(by_alias=True))

    @app.get("/v1/lists/<int:list_id>/leads")
    def page(list_id: int) -> Response:
        _authenticate()
        after, limit = request.args.get("cursor", 0, int), min(request.args.get("limit", 25, int), 100)
        wanted = sa.select(*_PAGE).where(_LEAD.c.list_id == list_id, _LEAD.c.id > after).order_by(_LEAD.c.id)
        rows = db.session.execute(wanted.limit(limit + 1)).all()
        cursor = str(rows[limit - 1].id) if len(rows) > limit else ""
        found = Page(data=_LEADS.validate_python(rows[:limit]), next_cursor=cursor)
        return _json(found.model_dump_json(by_alias=True))

    @app.post("/v1/lists/<int:list_id>/leads")
    def add(list_id: int) -> Response:
        _authenticate()
        try:
            body = NewLeads.model_validate_json(request.get_data())
        except ValidationError as problem:
            abort(_json(problem.json(), 400))
        added = upsert(list_id, body.profiles)
        return _json(json.dumps({"added": added, "updated": len(body.profiles) - added}))

    return app


def upsert(list_id: int, profiles: list[Profile]) -> int:
    """The profiles are in the list, each once; how many are new there."""
    at = datetime.now(UTC).replace(tzinfo=None)
    common = {"workspace_id": 1, "list_id": list_id, "tags": [], "created_at": at}
    rows = {one.public_id.lower(): {**one.model_dump(), "person": one.public_id.lower(), **common} for one in profiles}
    here = sa.select(sa.func.count()).where(_LEAD.c.list_id == list_id, _LEAD.c.person.in_(list(rows)))
    added = len(rows) - (db.session.scalar(here) or 0)
    db.session.execute(_UPSERT, list(rows.values()))
    more = LeadList.lead_count + added
    db.session.execute(sa.update(LeadList.__table__).where(LeadList.id == list_id).values(lead_count=more))
    db.session.commit()
    return added


def import_csv(list_id: int, file: Path) -> dict[str, int]:
    """The people of the file are in the list; how many are new there, and how many rows are none."""
    added = wrong = 0
    with file.open(newline="", encoding="utf-8") as opened:
        rows = csv.DictReader(opened)
        while chunk := list(islice(rows, CHUNK)):
            people = []
            for row in chunk:
                try:
                    people.append(Profile.model_validate(_as_profile(row)))
                except ValidationError:
                    wrong += 1
            added += upsert(list_id, people)
    return {"added": added, "invalid": wrong}


def _as_profile(row: dict[str, str]) -> dict[str, Any]:
    return {
        "profile_url": row["Profile URL"],
        "public_id": row["Profile URL"].rpartition("/")[2],
        "first_name": row["First name"],
        "last_name": row["Last name"],
        "headline": row["Headline"],
        "position": row["Title"],
        "company_name": row["Company"],
        "company_url": row["Company URL"],
        "location": row["Location"],
        "email": row["Email"],
        "custom_fields": {"tier": row["Tier"], "note": row["Note"]},
    }


def database(file: Path, lists: dict[int, str], key: str) -> None:
    """An empty database with those lists and a key."""
    app = application(file)
    with app.app_context():
        Base.metadata.create_all(db.engine)
        at = datetime.now(UTC).replace(tzinfo=None)
        db.session.add(ApiKey(digest=_digest(key), name="Bench"))
        db.session.add_all([LeadList(id=number, name=name, created_at=at) for number, name in lists.items()])
        db.session.commit()
        db.session.remove()
        db.engine.dispose()


def people(file: Path, ours: stock.People) -> None:
    """The same people as in ours, in lists of the same ids and with the same key."""
    database(file, {ours.short: "Short", ours.long: "Long"}, ours.key)
    names = [column.name for column in _LEAD.c]
    of_lead = {"id", "workspace_id", "list_id", "created_at"}
    told = ["l." + name if name in of_lead else "p." + name for name in names if name != "person"]
    connection = stock.connect(file)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("PRAGMA cache_size=-400000")
    connection.execute("ATTACH ? AS ours", (str(ours.file),))
    names.remove("person")
    connection.execute(
        f"INSERT INTO lead (person, {', '.join(names)}) SELECT p.public_id, {', '.join(told)}"
        " FROM ours.lead l JOIN ours.person p ON p.id = l.person_id WHERE l.list_id IN (?, ?) ORDER BY l.id",
        (ours.short, ours.long),
    )
    for list_id, size in ((ours.short, ours.short_size), (ours.long, ours.long_size)):
        connection.execute("UPDATE lead_list SET lead_count = ? WHERE id = ?", (size, list_id))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _settings(connection: sqlite3.Connection, _: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=15000", "foreign_keys=ON"):
        connection.execute("PRAGMA " + pragma)


def _authenticate() -> None:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    known = sa.select(ApiKey.__table__.c.name).where(ApiKey.digest == _digest(key))
    if scheme != "Bearer" or db.session.scalar(known) is None:
        abort(401)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _json(body: str | bytes, status: int = 200) -> Response:
    return Response(body, status, content_type="application/json")


def main(work: str, file: Path, *given: str) -> None:
    app = application(file)
    if work == "serve":
        server = WebServer(app, "127.0.0.1", int(given[0]), threads=4)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        server.run()
        return
    with app.app_context():
        began = time.perf_counter()
        counts = import_csv(int(given[1]), Path(given[0]))
        sys.stdout.write(json.dumps({"seconds": time.perf_counter() - began, **counts}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
