"""The never-contact list and its gate."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import db, session
from app.core.errors import InvalidRequest
from app.domain.people import identities
from app.domain.people.exclusions import never_contact
from app.domain.people.exclusions.never_contact import Candidate
from app.models.leads import NeverContact
from app.models.workspaces import Workspace
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def someone(id: int, public_id: str, *columns: str, **named: str) -> Candidate:
    return Candidate(id, [identities.of_profile(public_id)], *columns, **named)


ADA = someone(1, "ada", "ada@mail.engine.example", "Engine, Inc.", "https://www.engine.example/about")


def entries(workspace: Workspace, q: str = "") -> list[NeverContact]:
    return list(session().scalars(never_contact.page(workspace, q).order_by(NeverContact.id)))


LINES = {
    "https://www.network.example/in/Ada-L%C3%B6/?x=1": ("person", "ada-lö"),
    "network.example/in/ada": ("person", "ada"),
    "ada-lovelace-123": ("person", "ada-lovelace-123"),
    "person: ada": ("person", "ada"),
    "  Ada@Engine.Example ": ("email", "ada@engine.example"),
    "Ada Lovelace <Ada@Engine.Example>": ("email", "ada@engine.example"),
    "@engine.example": ("domain", "engine.example"),
    "Engine.example": ("domain", "engine.example"),
    "https://www.engine.example/about?x=1": ("domain", "engine.example"),
    "domain: engine.example": ("domain", "engine.example"),
    "Engine  Ltd.": ("company", "engine"),
    "Zendesk": ("company", "zendesk"),
    "Company: booking.com": ("company", "booking.com"),
    "Müller GmbH": ("company", "müller"),
    "company: Design @ Work": ("company", "design @ work"),
}
NO_LINES = [("ada@", "email"), ("a b", "person")]
NO_LINES += [(line, "") for line in ("", "   ", "a\0b", "x" * 501, "ada@@x.de", "Ada <@>", "???", "company: –")]
NO_LINES += [(line, "") for line in ("profile: ada", "linkedin:ada", "publicId: ada-x")]
NO_LINES += [(line, "") for line in ("a@x.example, b@x.example", "Ada ada@x.example")]


def test_a_line_is_recognised_or_refused() -> None:
    """A link, an address, a domain or a company; a prefix decides where the line alone does not."""
    assert {line: never_contact.match(line) for line in LINES} == LINES
    for line, kind in NO_LINES:
        with pytest.raises(InvalidRequest) as refusal:
            never_contact.match(line, kind)
        assert refusal.value.fields[0].path == "value", line


def test_every_kind_of_entry_blocks_and_what_only_looks_alike_does_not(acme: Workspace) -> None:
    """A domain holds for what is below it, a company whatever its legal form; no prefix, no substring."""
    never_contact.add(acme, ["person: adam", "ada@engine.example", "gine.example", "x.mail.engine.example", "Eng"])
    assert never_contact.blocked(acme.id, [ADA]) == {}
    for entry in (
        *("person: ada", "ada@mail.engine.example", "mail.engine.example", "engine.example", "company: ENGINE"),
        "Engine Inc",
    ):
        never_contact.add(acme, [entry])
        assert list(never_contact.blocked(acme.id, [ADA])) == [1], entry
        never_contact.remove(acme, entries(acme)[-1].id)
        assert never_contact.blocked(acme.id, [ADA]) == {}


def test_the_prefix_of_an_entry_is_no_part_of_its_name(acme: Workspace) -> None:
    never_contact.add(acme, ["company: Acme", "Wool: Iron & Co", ("company", "Company: Two")])
    assert {one.label for one in entries(acme)} == {"Acme", "Wool: Iron & Co", "Company: Two"}


def test_entries_are_found_by_their_text(acme: Workspace) -> None:
    never_contact.add(acme, ["engine.example", "Wool Ltd"])
    numbers = {"": 2, "engine": 1, "ENGINE": 1, "wo": 1, "%": 0, "engine wool": 0}
    assert {q: len(entries(acme, q)) for q in numbers} == numbers


def test_the_gate_asks_the_same_for_one_and_for_many(acme: Workspace) -> None:
    never_contact.add(acme, ["engine.example", "company: Wool", "bob@x.example", "person: p7"])
    many = [someone(number, f"p{number}") for number in range(3000)]
    many[5] = ADA._replace(id=5)
    many[9] = someone(9, "x", "bob@x.example")
    many[11] = someone(11, "y", company_name="Wool AG")
    statements: list[str] = []
    sa.event.listen(db.engine, "before_cursor_execute", lambda *parts: statements.append(parts[2]))
    found = never_contact.blocked(acme.id, many)
    assert sorted(found) == [5, 7, 9, 11]
    assert len([statement for statement in statements if statement.startswith("SELECT")]) <= 2
    assert all(list(never_contact.blocked(acme.id, [someone])) == [someone.id] for someone in (many[5], many[9]))


def test_a_paste_is_taken_line_by_line(acme: Workspace) -> None:
    never_contact.add(acme, ["acme.example"])
    result = never_contact.add(acme, ["ACME.example", "ada@x.example", "ADA@x.example", "bad@", "", "Wool Ltd"])
    assert (result.added, result.known) == (2, 1)
    assert [number for number, _, _ in result.refused] == [4, 5]
    assert {(entry.kind, entry.value, entry.label) for entry in entries(acme)} == {
        ("domain", "acme.example", "acme.example"),
        ("email", "ada@x.example", "ada@x.example"),
        ("company", "wool", "Wool Ltd"),
    }


def test_an_entry_blocks_its_own_workspace_until_it_is_removed(acme: Workspace, rival: Workspace) -> None:
    never_contact.add(rival, ["engine.example"])
    assert (never_contact.blocked(acme.id, [ADA] * 100), never_contact.blocked(acme.id, [])) == ({}, {})
    never_contact.add(acme, ["engine.example"], reason="client")
    (entry,) = entries(acme)
    gone = never_contact.remove(acme, entry.id)
    assert never_contact.blocked(acme.id, [ADA]) == {}
    never_contact.add(acme, [(gone.kind, gone.label)], reason=gone.reason)
    assert never_contact.blocked(acme.id, [ADA]) != {}


def test_too_much_at_once_is_refused(acme: Workspace) -> None:
    with pytest.raises(InvalidRequest):
        never_contact.add(acme, ["x.example"] * 10_001)
    with pytest.raises(InvalidRequest):
        never_contact.add(acme, ["x.example"], reason="x" * 501)
    assert never_contact.count(acme) == 0


def test_an_entry_with_an_end_date_counts_until_then_unless_someone_says_longer(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    today = acme.now().date()
    tomorrow, later = today + timedelta(days=1), today + timedelta(days=30)
    with pytest.raises(InvalidRequest):
        never_contact.add(acme, ["x.example"], until=today - timedelta(days=1))
    for workspace in (acme, rival):
        never_contact.add(workspace, ["x.example", "y.example", "z.example"], "Client", tomorrow)
    never_contact.add(acme, ["y.example"], "Longer", later)
    never_contact.add(acme, ["y.example"], "Shorter", tomorrow)
    never_contact.add(acme, ["z.example"], "Opted out")
    told = [(one.value, one.reason, one.until) for one in entries(acme)]
    assert told == [("x.example", "Client", tomorrow), ("y.example", "Longer", later), ("z.example", "Opted out", None)]
    clock.forward(days=1)
    assert never_contact.end_due() == 0
    clock.forward(days=1)
    assert never_contact.end_due() == 4
    assert ([one.value for one in entries(acme)], entries(rival)) == (["y.example", "z.example"], [])
