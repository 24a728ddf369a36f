"""The same work written plainly with Flask, Flask-SQLAlchemy, pydantic and waitress, without product features.

`python -m tests.bench.plain DATABASE PORT` answers.
"""

import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import sqlalchemy as sa
import waitress
from flask import Flask, Response, abort, request
from flask_sqlalchemy import SQLAlchemy
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.alias_generators import to_camel
from sqlalchemy.dialects.sqlite import insert

from tests.bench import stock

CONSTANT = b'{"id":1,"name":"Long","type":"people","leadCount":1000000,"createdAt":"2026-03-02T09:00:00Z"}'
CHUNK = 1000


db = SQLAlchemy()


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


TEXTS = (
    *("public_id", "profile_url", "first_name", "last_name", "headline", "position", "company_name", "company_url"),
    *("location", "image_url", "email", "phone"),
)
Texts: type[Camel] = create_model("Texts", __base__=Camel, **dict.fromkeys(TEXTS, (str, "")))  # type: ignore[call-overload]


class Profile(Texts):
    model_config = ConfigDict(str_max_length=500)

    public_id: Annotated[str, Field(min_length=1, max_length=200)]
    custom_fields: dict[str, str | int | float | bool] = {}


class NewLeads(Camel):
    profiles: Annotated[list[Profile], Field(min_length=1, max_length=CHUNK)]


class LeadOut(Texts):
    id: int
    tags: list[str]
    custom_fields: dict[str, Any]
    created_at: datetime


class Page(Camel):
    data: list[LeadOut]
    next_cursor: str


def _column(name: str, kind: Any, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False, **more)


_KEY = db.Table("api_key", _column("digest", sa.Text, primary_key=True))
_LIST = db.Table("lead_list", _column("id", sa.Integer, primary_key=True), _column("lead_count", sa.Integer))
# A lead has the columns of a person of ours and as many indexes: an upsert has to keep them all.
_LEAD = db.Table(
    "lead",
    _column("id", sa.Integer, primary_key=True),
    _column("workspace_id", sa.Integer),
    sa.Column("list_id", sa.ForeignKey("lead_list.id"), nullable=False),
    *(_column(name, sa.Text) for name in ("person", *TEXTS)),
    *(_column(name, sa.JSON) for name in ("tags", "custom_fields")),
    _column("created_at", sa.DateTime),
    sa.UniqueConstraint("list_id", "person"),
    sa.Index("ix_lead_list", "list_id", "id"),
    *(
        sa.Index(f"ix_lead_{name}", "workspace_id", name)
        for name in ("person", "email", "first_name", "last_name", "company_name")
    ),
    *(
        sa.Index(f"ix_lead_with_{name}", "list_id", sqlite_where=sa.text(f"{name} <> ''"))
        for name in ("email", "phone")
    ),
)
_LEADS = TypeAdapter(list[LeadOut])
_PAGE = [_LEAD.c[name] for name in LeadOut.model_fields]
_KEPT = ("id", "workspace_id", "list_id", "person", "created_at")
_NEW = insert(_LEAD)
_UPSERT = _NEW.on_conflict_do_update(
    index_elements=["list_id", "person"],
    set_={column.name: _NEW.excluded[column.name] for column in _LEAD.c if column.name not in _KEPT},
)


def application(file: Path) -> Flask:
    """A constant without any check; a page of leads, and adding leads, for those with a key."""
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{file}"
    db.init_app(app)
    with app.app_context():
        sa.event.listen(db.engine, "connect", stock.settings)

    @app.get("/constant")
    def constant() -> Response:
        return _json(CONSTANT)

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
    more = _LIST.c.lead_count + added
    db.session.execute(sa.update(_LIST).where(_LIST.c.id == list_id).values(lead_count=more))
    db.session.commit()
    return added


def people(file: Path, ours: stock.People) -> None:
    """The same people as in ours, in lists of the same ids and with the same key."""
    app = application(file)
    with app.app_context():
        db.create_all()
        db.session.execute(sa.insert(_KEY), [{"digest": _digest(ours.key)}])
        sizes = ((ours.short, ours.short_size), (ours.long, ours.long_size))
        db.session.execute(sa.insert(_LIST), [{"id": number, "lead_count": size} for number, size in sizes])
        db.session.commit()
        db.session.remove()
        db.engine.dispose()
    of_lead = ("id", "workspace_id", "list_id", "created_at")
    told = {one.name: f"{'l' if one.name in of_lead else 'p'}.{one.name}" for one in _LEAD.c}
    told["person"] = "p.public_id"
    connection = stock.connect(file, "synchronous=OFF", "cache_size=-400000")
    connection.execute("ATTACH ? AS ours", (str(ours.file),))
    connection.execute(
        f"INSERT INTO lead ({', '.join(told)}) SELECT {', '.join(told.values())} FROM ours.lead l"
        " JOIN ours.person p ON p.id = l.person_id WHERE l.list_id IN (?, ?) ORDER BY l.id",
        (ours.short, ours.long),
    )
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _authenticate() -> None:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    known = sa.select(_KEY.c.digest).where(_KEY.c.digest == _digest(key))
    if scheme != "Bearer" or db.session.scalar(known) is None:
        abort(401)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _json(body: str | bytes, status: int = 200) -> Response:
    return Response(body, status, content_type="application/json")


if __name__ == "__main__":
    server = waitress.create_server(
        application(Path(sys.argv[1])), host="127.0.0.1", port=int(sys.argv[2]), threads=4, asyncore_use_poll=True
    )
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    server.run()
