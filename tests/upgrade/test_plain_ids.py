"""Ids of 13 digits under which rows were shown until revision 0064: every trace names the row by its id now.

Quay and Jetty, their owners and all that is theirs were shown so; `installation.json` has their former ids.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core import migrations
from app.core.crypto import Keyring
from app.core.errors import Conflict
from app.domain.conversations import meeting_links
from app.domain.platform import audit_heads, secret_files
from tests.support.clients import Api
from tests.upgrade.conftest import KNOWN, Installation, every, in_database, load
from tests.upgrade.test_upgrade import values

# What keeps former ids: the table for links, and the log of what was called. Cursors of inboxes hold moments.
KEEPERS = {"former_id.number", "api_request.path", "account.inbound_cursor"}


def numbers(known: Any) -> Iterator[int]:
    """All former ids that are written down."""
    if isinstance(known, dict):
        known = [*known.values()]
    for one in known if isinstance(known, list) else ():
        yield from numbers(one) if isinstance(one, (dict, list)) else [one] if isinstance(one, int) else []


def quay(old: Installation) -> Api:
    return Api(old.app.test_client(), old.known["quay"]["key"])  # type: ignore[arg-type]


def named(api: Api, path: str) -> dict[str, int]:
    """The ids of what that path lists, by name."""
    return {one["name"]: one["id"] for one in every(api, path)}


def test_no_row_is_named_by_a_former_id(kind: str, upgraded: str) -> None:
    """Not in a text, in JSON, or in a number outside of all keys; only links that people have go on naming some."""
    former = {str(one) for one in numbers(KNOWN[kind]["quay"]) if one >= 2**40}
    assert len(former) > 12
    found = {
        column
        for column, cells in in_database(upgraded, values).items()
        for cell in cells
        if former & set(re.findall(r"\d{13}", str(cell)))
    }
    assert found <= KEEPERS
    assert "former_id.number" in found


def test_what_refers_to_rows_refers_to_the_same_ones(old: Installation) -> None:
    """Lists, senders and campaigns of campaigns, webhooks, and of the events that are kept."""
    api, known = quay(old), old.known["quay"]
    lists, senders = named(api, "lists"), [one["id"] for one in every(api, "accounts")]
    campaigns = {one["name"]: one for one in every(api, "campaigns")}
    mail, social = campaigns["mail"], campaigns["social"]
    assert api.get("me").json["workspace"]["name"] == "Quay"
    assert (mail["listId"], social["listIds"]) == (lists["first"], [lists["second"], lists["third"]])
    assert (mail["exclude"]["listIds"], social["exclude"]["campaignIds"]) == ([lists["third"]], [mail["id"]])
    assert sorted(social["accountIds"]) == sorted(senders)
    assert [rule["listId"] for rule in social["onReply"]] == [lists["third"]]
    assert [one["campaignIds"] for one in every(api, "webhooks")] == [[social["id"]]]
    assert [one["absences"][0]["handOverTo"] for one in every(api, "accounts") if one["absences"]] == [max(senders)]
    for name, number in known["campaigns"].items():
        assert api.get(f"campaigns/{number}").status_code == 404
        assert (
            known["stats"][name].items() <= api.get(f"campaigns/{campaigns[name]['id']}/stats").json["totals"].items()
        )
    events = every(api, "events")
    assert [[one["type"], (one["data"].get("lead") or {}).get("publicId")] for one in events] == known["events"]
    people = {lead["id"]: lead["publicId"] for lead in every(api, "leads")}
    told = [one["data"]["lead"] for one in events if one["data"].get("lead")]
    assert {people[lead["id"]] == lead["publicId"] for lead in told} == {True}
    assert {lead["list"]["id"] for lead in told} <= set(lists.values())


def test_a_mark_and_the_hold_of_a_company_can_be_taken_back(old: Installation) -> None:
    api = quay(old)
    met = next(one for one in every(api, "leads") if one["publicId"] == "accepts-col-0")
    assert len(every(api, "company-holds")) == 1
    assert api.post(f"people/{met['personId']}/answer", {"answer": "none"}).status_code == 200
    assert every(api, "company-holds") == []


def test_stored_answers_name_today_s_ids(old: Installation) -> None:
    api, stored = quay(old), old.known["quay"]["stored"]
    again = api.post(stored["path"], stored["body"], idempotency_key=stored["key"])
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == stored["answer"] | {"id": named(api, "lists")["once"]}


def test_links_that_were_sent_still_lead_where_they_did(old: Installation) -> None:
    """Out of all emails of the workspace, and to the person who books a meeting."""
    api, links = quay(old), old.known["quay"]["links"]
    for link in links["unsubscribe"]:
        assert "Quay" in old.visitor().get(link["path"]).text
        client = old.app.test_client()
        assert client.post(link["path"], data={"List-Unsubscribe": "One-Click"}).status_code == 200
    entries = {entry["value"] for entry in every(api, "never-contact")}
    assert {link["address"] for link in links["unsubscribe"]} <= entries
    tells = [one["data"] for one in every(api, "events") if one["type"] == "unsubscribed"]
    assert {one["campaign"]["name"] for one in tells} == {"mail"}
    people = {one["personId"]: one["email"] for one in every(api, "leads")}
    for link in links["meeting"]:
        origin = meeting_links.read(link["token"])
        assert origin.workspace_id == api.get("me").json["workspace"]["id"]
        assert (people[origin.person_id], origin.campaign_id) == (link["email"], named(api, "campaigns")["mail"])


def test_the_upgrade_asks_for_the_secret_key_that_was_in_use(
    kind: str, empty: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """With another one, nothing that is encrypted could be opened any more."""
    load(kind, empty)
    monkeypatch.setenv("SECRET_KEY", "quite another key than that of this installation")
    monkeypatch.setenv("OVERTURE_INSTANCE", str(tmp_path))
    with pytest.raises(Conflict, match="SECRET_KEY is not the one"):
        migrations.upgrade(empty)
    assert migrations.current(empty) == "0063"


def test_what_is_signed_with_ids_is_signed_anew(
    kind: str, empty: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The note of the log's last entry beside the database, and the name of an action that will be tried again."""
    load(kind, empty)
    known, folder = KNOWN[kind], tmp_path / "instance"
    monkeypatch.setenv("SECRET_KEY", known["secret_key"])
    monkeypatch.setenv("OVERTURE_INSTANCE", str(folder))
    action, entry, workspace, kept = (
        sa.table(name, *map(sa.column, columns.split()))
        for name, columns in (
            ("action", "id workspace_id campaign_lead_id step part state token"),
            ("audit_entry", "workspace_id number digest"),
            ("workspace", "id name"),
            ("kept_key", "purpose sealed"),
        )
    )
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    with engine.begin() as connection:
        keys = dict(map(tuple, connection.execute(sa.select(kept))))
        ring = Keyring(known["secret_key"], [], lambda: keys)
        number = connection.scalar(sa.select(workspace.c.id).where(workspace.c.name == "Quay"))
        newest = sa.select(entry).where(entry.c.workspace_id == number).order_by(entry.c.number.desc()).limit(1)
        last = connection.execute(newest).one()
        mine = sa.select(sa.func.max(action.c.id)).where(action.c.workspace_id == number, action.c.part >= 0)
        tried = connection.scalar(mine.where(action.c.campaign_lead_id.is_not(None)))
        connection.execute(sa.update(action).where(action.c.id == tried).values(state="again"))

    def line(workspace_id: int, digest: bytes) -> str:
        words = f"{workspace_id} {last.number} {digest.hex()}"
        return f"{words} {ring.sign('audit', words.encode()).hex()[:32]}\n"

    heads = audit_heads.file_of(folder, empty)
    secret_files.append(heads, line(known["quay"]["workspaceId"], last.digest))
    migrations.upgrade(empty)
    with engine.begin() as connection:
        row = connection.execute(sa.select(action).where(action.c.id == tried)).one()
        words = f"{row.workspace_id}|{row.campaign_lead_id}|{row.step}|{row.part}"
        assert row.token == ring.sign("action", words.encode()).hex()[:32]
        assert heads.read_text() == line(number, connection.execute(newest).one().digest)
