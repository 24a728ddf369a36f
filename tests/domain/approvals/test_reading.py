"""Drafts read together: all that is approved stood on the page, each text once, and nothing else is approved."""

from typing import Any

import pytest

from app.core.db import end_read, session, transaction
from app.core.errors import InvalidRequest
from app.domain.approvals import approvals, bulk, reading
from app.domain.approvals.reading import Read, Reading
from app.models.approvals import Approval
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, email, forward, message
from tests.domain.reviewing import A, drafts, held

TEXT = "Dear {{first_name}}, is {{company_name}} growing?\n\nBest, {{sender_name}}\n"


PEOPLE: list[Any] = [
    {"publicId": f"quiet-{name}", "firstName": first, "lastName": last, "companyName": company, "email": address}
    for name, first, last, company, address in (
        ("ada", "Eve", "Byron", "Engines", "a@e.example"),
        ("bob", "Bob", "Ross", "Paint & Co", "b@p.example"),
        ("is", "Is", "Growing", "Eve", "c@i.example"),
    )
]


def looked(workspace: Workspace) -> Reading:
    found = reading.look(workspace)
    end_read()
    return found


def read_out(one: Read) -> tuple[str, str]:
    parts = ["".join(piece.text for piece in part) for part in one.parts]
    return "".join(piece.text for piece in one.subject), "\n---\n".join(parts)


def marks(found: Reading) -> dict[int, str]:
    return {one.id: one.mark for group in found.groups for one in group.drafts}


def outcomes(results: list[bulk.Result]) -> dict[int, str]:
    return {one.id: one.outcome for one in results}


def test_a_text_stands_once_with_what_differs_and_an_edited_one_by_itself(acme: Workspace) -> None:
    held(acme, PEOPLE, [email(TEXT, "{{company_name}} and us")])
    (group,) = looked(acme).groups
    assert group.labels == ["Company", "First name"]
    assert [one.own for one in group.drafts][:2] == [
        [("Company", "Engines"), ("First name", "Eve")],
        [("Company", "Paint & Co"), ("First name", "Bob")],
    ]
    marked = [piece.text for part in group.drafts[1].parts for piece in part if piece.label]
    assert marked == ["Bob", "Paint & Co"]
    assert not any("Best" in piece.text for one in group.drafts for part in one.parts for piece in part if piece.label)
    first = drafts(acme)[0]
    approvals.edit(acme, first.id, text="Dear Eve, only for you.")
    groups = looked(acme).groups
    assert sorted(len(group.drafts) for group in groups) == [1, 2]
    assert next(group for group in groups if len(group.drafts) == 1).labels == []


def test_what_stands_there_is_exactly_what_each_person_gets(acme: Workspace) -> None:
    """Also where a name is a word of the text, and where a text has several parts."""
    held(acme, PEOPLE, [email(TEXT, "{{company_name}} and us")])
    steps_of_notes = [INVITE | {"message": "Is {{first_name}} in?"}, message("Hi {{first_name}}\n---\nIs it you?")]
    others = [{**one, "publicId": f"{one['publicId']}-2", "email": f"2{one['email']}"} for one in PEOPLE]
    held(acme, others, steps_of_notes, name="Notes")
    held(acme, ["accepts-ada"], [INVITE, message("Hi {{first_name}}\n---\nIs it {{first_name}}?")], name="Parts")
    forward(acme, days=3)
    shown = {one.id: read_out(one) for group in looked(acme).groups for one in group.drafts}
    assert shown == {one.id: (one.subject, one.text.strip()) for one in drafts(acme)}
    assert len(shown) == 7
    assert ("", "Hi Ada\n---\nIs it Ada?") in shown.values()


def test_only_what_was_read_is_approved(acme: Workspace) -> None:
    """What was changed since, what has a warning, what came later and what is another's keep waiting."""
    held(acme, [*PEOPLE, {"publicId": "quiet-x", "email": "x@x.example"}], [email(TEXT)])
    found = looked(acme)
    assert len(found.warned) == 1  # without a name
    seen = marks(found)
    first, second, third = seen
    approvals.edit(acme, second, text="Dear Bob, something else.")
    held(acme, ["quiet-late"], [email("Dear {{first_name}}")], name="Later")
    read = {first: seen[first], second: seen[second], found.warned[0].Approval.id: "", 999_999: "x"}
    warned = found.warned[0].Approval
    read[warned.id] = bulk.mark(warned)
    assert outcomes(reading.approve(acme, read)) == {
        first: "approved",
        second: "changed",
        warned.id: "has_warnings",
        999_999: "not_found",
    }
    assert [one.id for one in drafts(acme, A.APPROVED)] == [first]
    assert {second, third, warned.id} < {one.id for one in drafts(acme, A.PENDING)}
    assert outcomes(reading.approve(acme, {first: seen[first]})) == {first: "not_waiting"}


def test_drafts_of_another_workspace_or_sender_are_not_approved(acme: Workspace, rival: Workspace) -> None:
    held(acme, PEOPLE[:1], [email("Dear {{first_name}}")])
    seen = marks(looked(acme))
    assert looked(rival).groups == []
    assert set(outcomes(reading.approve(rival, seen)).values()) == {"not_found"}
    with pytest.raises(InvalidRequest):
        reading.approve(acme, {})
    with transaction():
        for number in seen:
            session().get_one(Approval, number).sender_id = None
    assert set(outcomes(reading.approve(acme, seen)).values()) == {"changed"}


def test_the_same_text_for_new_people_comes_last_and_says_so(acme: Workspace) -> None:
    held(acme, PEOPLE[:2], [email(TEXT)])
    first, _ = marks(looked(acme)).items()
    reading.approve(acme, dict([first]))
    held(acme, PEOPLE[2:], [email("Hello {{first_name}}")], name="Other")
    assert [group.known for group in looked(acme).groups] == [False, True]


def test_a_page_has_a_hundred_and_says_how_many_more_wait(acme: Workspace) -> None:
    held(acme, [f"quiet-p{number}" for number in range(reading.MOST + 5)], [email("Dear {{first_name}}")])
    found = looked(acme)
    assert (found.shown, found.more) == (reading.MOST, 5)
    assert list(outcomes(reading.approve(acme, marks(found))).values()) == ["approved"] * reading.MOST
    assert looked(acme).shown == 5
