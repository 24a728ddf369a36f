"""Lists, and adding people to them."""

import threading
from typing import Any

import pytest
from flask import Flask

from app.core.db import end_read, session
from app.core.errors import InvalidRequest
from app.domain.leads import leads, lists
from app.domain.leads.leads import AddResult
from app.domain.people.exclusions import never_contact
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.domain.leads.conftest import people

pytestmark = pytest.mark.postgres

URL = "https://network.example/in/"


def test_a_profile_becomes_a_lead_with_all_its_fields_in_any_script(acme: Workspace, founders: LeadList) -> None:
    profile = {
        "profileUrl": URL + "Ada-Lovelace/?trk=1",
        "firstName": "Ada",
        "lastName": "Lovelace",
        "headline": "Analyst",
        "position": "CTO",
        "companyName": "Engine Ltd",
        "companyUrl": "https://engine.example",
        "location": "London",
        "email": "Ada@Engine.example",
        "phone": "+44 1",
        "customFields": {"tier": "A", "score": 3},
        "unknown": 1,
    }
    assert leads.add(acme, founders.id, [profile]) == AddResult(added=1)
    (ada,) = people(acme, founders.id)
    assert (ada.public_id, ada.profile_url) == ("ada-lovelace", URL + "Ada-Lovelace/?trk=1")
    assert ada.custom_fields == {"tier": "A", "score": 3}
    assert (ada.name, ada.position, ada.company_name) == ("Ada Lovelace", "CTO", "Engine Ltd")
    assert (ada.email, ada.phone, ada.tags) == ("ada@engine.example", "+44 1", [])
    assert lists.get_list(acme, founders.id).lead_count == 1
    texts = {"firstName": "نور", "lastName": "🦊" * 50, "headline": "é" * 4000, "customFields": {"ключ": "值 \\u0000"}}
    assert leads.add(acme, founders.id, [{"publicId": "nour", **texts}]) == AddResult(added=1)
    _, nour = people(acme, founders.id)
    assert (nour.first_name, nour.last_name, nour.headline) == ("نور", "🦊" * 50, "é" * 4000)
    assert nour.custom_fields == {"ключ": "值 \\u0000"}


def test_the_same_person_is_one_lead_however_they_are_spelled(acme: Workspace, founders: LeadList) -> None:
    """Scheme, host, query, case and slashes make no second lead, and nothing new. Leads stand as they were given."""
    spellings = [
        {"profileUrl": URL + "ada"},
        {"publicId": "ADA"},
        {"profileUrl": "http://de.network.example/in/Ada/?x=1"},
    ]
    assert leads.add(acme, founders.id, spellings) == AddResult(added=1, skipped=2)
    assert leads.add(acme, founders.id, spellings) == AddResult(skipped=3)
    assert lists.get_list(acme, founders.id).lead_count == 1
    leads.add(acme, founders.id, [{"publicId": name} for name in ("c", "a", "b")])
    assert [lead.public_id for lead in people(acme, founders.id)] == ["ada", "c", "a", "b"]


def test_given_fields_win_and_absent_ones_stay(acme: Workspace, founders: LeadList) -> None:
    """An empty text is given too: a field can be emptied."""
    leads.add(acme, founders.id, [{"publicId": "ada", "firstName": "Ada", "phone": "1", "customFields": {"a": 1}}])
    again = {"publicId": "ada", "firstName": "Augusta", "location": "", "customFields": {"b": 2}}
    assert leads.add(acme, founders.id, [again]) == AddResult(updated=1)
    (ada,) = people(acme, founders.id)
    assert (ada.first_name, ada.phone, ada.custom_fields) == ("Augusta", "1", {"a": 1, "b": 2})
    assert leads.add(acme, founders.id, [again]) == AddResult(skipped=1)
    assert leads.add(acme, founders.id, [{"publicId": "ada", "phone": ""}]) == AddResult(updated=1)
    assert people(acme, founders.id)[0].phone == ""


def test_counts_are_exact_within_one_call(acme: Workspace, founders: LeadList) -> None:
    leads.add(acme, founders.id, [{"publicId": "old", "firstName": "Old"}])
    given: list[Any] = [
        {"publicId": "new"},
        {"publicId": "NEW", "firstName": "N"},
        {"publicId": "new", "firstName": "N"},
        {"publicId": "old", "firstName": "Old"},
        {"publicId": "old", "lastName": "L"},
        {"publicId": "old", "firstName": "Older"},
        {"firstName": "Nobody"},
        {"publicId": 7},
        "ada",
    ]
    result = leads.add(acme, founders.id, given)
    assert (result.added, result.updated, result.skipped, result.invalid) == (1, 3, 2, 3)
    old, new = people(acme, founders.id)
    assert (old.first_name, old.last_name, new.first_name) == ("Older", "L", "N")
    assert lists.get_list(acme, founders.id).lead_count == 2


def test_a_broken_profile_and_a_bad_field_are_named_and_harm_no_other(acme: Workspace, founders: LeadList) -> None:
    broken: list[Any] = [
        {},
        {"profileUrl": ""},
        {"profileUrl": URL},
        {"profileUrl": "https://network.example/company/acme"},
        {"publicId": "two words"},
        {"publicId": None},
        {"publicId": "x" * 301},
        {"email": "ada@x.example"},
        None,
        [],
    ]
    result = leads.add(acme, founders.id, [{"publicId": "bob"}, *broken])
    assert (result.added, result.invalid) == (1, len(broken))
    assert [one.at for one in result.problems if not one.field] == list(range(1, len(broken) + 1))
    bad: list[tuple[str, Any]] = [
        ("firstName", 5),
        ("email", None),
        ("email", "no address"),
        ("customFields", []),
        ("customFields", "x"),
        ("customFields", {"": 1}),
        ("customFields", {"a": "\0"}),
        ("customFields", {"a": float("nan")}),
        ("customFields", {"a": "x" * 20_001}),
        ("customFields", {str(number): 1 for number in range(101)}),
        ("headline", "a\0b"),
        ("headline", "\ud800"),
        ("headline", "x" * 4001),
    ]
    given = [{"publicId": f"ada-{at}", "phone": "1", field: value} for at, (field, value) in enumerate(bad)]
    result = leads.add(acme, founders.id, given)
    assert (result.added, result.invalid) == (len(bad), 0)
    assert [(one.at, one.field) for one in result.problems] == [(at, field) for at, (field, _) in enumerate(bad)]
    for ada in people(acme, founders.id)[1:]:
        assert (ada.phone, ada.first_name, ada.email, ada.custom_fields, ada.headline) == ("1", "", "", {}, "")


def test_people_on_the_never_contact_list_are_skipped(acme: Workspace, founders: LeadList) -> None:
    """Whatever kind of entry names them; what is known about someone counts, too, when an update leaves it out."""
    leads.add(acme, founders.id, [{"publicId": "cy", "email": "cy@engine.example"}])
    profile = {"publicId": "ada", "email": "ada@engine.example", "companyName": "Engine, Inc."}
    entries = ("https://network.example/in/Ada", "ada@engine.example", "engine.example", "company: Engine")
    for number, entry in enumerate(entries):
        never_contact.add(acme, [entry])
        result = leads.add(acme, founders.id, [profile, {"publicId": f"bob-{number}"}])
        assert result == AddResult(added=1, skipped=1, blocked=1), entry
        if entry == "engine.example":
            assert leads.add(acme, founders.id, [{"publicId": "cy", "firstName": "Cy"}]) == AddResult(
                skipped=1, blocked=1
            )
        for row in session().scalars(never_contact.page(acme)).all():
            never_contact.remove(acme, row.id)


def test_no_more_than_a_thousand_at_once(acme: Workspace, founders: LeadList) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        leads.add(acme, founders.id, [{"publicId": str(number)} for number in range(1001)])
    assert refusal.value.fields[0].path == "profiles"
    assert leads.add(acme, founders.id, [{"publicId": str(number)} for number in range(1000)]) == AddResult(added=1000)


def test_two_calls_at_once_neither_fail_nor_double(app: Flask, acme: Workspace, founders: LeadList) -> None:
    results, given = [], [{"publicId": f"p{number}"} for number in range(200)]
    barrier = threading.Barrier(3)

    def work(order: int) -> None:
        with app.app_context():
            barrier.wait()
            results.append(leads.add(acme, founders.id, given[:: order or 1]))

    end_read()
    threads = [threading.Thread(target=work, args=(order,)) for order in (1, -1, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(result.added for result in results) == [0, 0, 200]
    session().expire_all()
    assert lists.get_list(acme, founders.id).lead_count == len(people(acme, founders.id)) == 200


def test_removed_people_are_not_counted(acme: Workspace, founders: LeadList) -> None:
    other = lists.create_list(acme, "Others")
    leads.add(acme, founders.id, [{"publicId": "ada"}, {"publicId": "bob"}])
    leads.add(acme, other.id, [{"publicId": "ada"}])
    ids = [lead.id for lead in people(acme, founders.id) + people(acme, other.id)]
    assert leads.remove(acme, founders.id, [ids[0], ids[2], 99, 0, 2**70]) == 1
    session().expire_all()
    assert lists.get_list(acme, founders.id).lead_count == len(people(acme, founders.id)) == 1
    assert lists.get_list(acme, other.id).lead_count == 1


def test_a_profile_that_is_found_later_is_the_persons(acme: Workspace, founders: LeadList) -> None:
    """Who was known by email alone has the profile then, also when nothing else is new."""
    leads.add(acme, founders.id, [{"email": "ada@engine.example"}], by_email=True)
    both = {"publicId": "ada", "email": "ada@engine.example"}
    assert leads.add(acme, founders.id, [both]) == AddResult(updated=1)
    assert leads.add(acme, founders.id, [both, {"publicId": "ada"}]) == AddResult(skipped=2)
    (ada,) = session().scalars(lists.query_list(acme, founders.id))
    assert (ada.public_id, ada.email) == ("ada", "ada@engine.example")
