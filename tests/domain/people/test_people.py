"""People: one per workspace, found by what they are known by, changed in the way that is asked for."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict
from app.domain.leads import leads, lists
from app.domain.people import identities, people, sources
from app.domain.people.people import Merge
from app.domain.people.sources import Source
from app.models.people import DataSource, IdentityKind, Person, PersonValue, SourceKind
from app.models.workspaces import Workspace

pytestmark = pytest.mark.postgres

FILE = Source(SourceKind.FILE, "fair.csv", "legitimate interest")
HAND = Source(SourceKind.HAND, "Ada")


def put(
    workspace: Workspace, *given: dict[str, Any], source: Source = FILE, merge: Merge = Merge.OVERWRITE
) -> list[Person]:
    with transaction():
        found = people.match(workspace, given)
        people.put(workspace, found, source, merge)
    session().expire_all()
    return [session().get_one(Person, found.person_of(number)["id"]) for number in range(len(given))]


def history(person: Person) -> list[tuple[str, Any, bool]]:
    query = sa.select(PersonValue).where(PersonValue.person_id == person.id).order_by(PersonValue.id)
    return [(one.field, one.value, one.taken) for one in session().scalars(query)]


def test_a_profile_in_any_list_is_one_person(acme: Workspace, rival: Workspace) -> None:
    """The stranger's person of that name is another one."""
    for workspace in (acme, acme, rival):
        found = lists.create_list(workspace, "Founders")
        leads.add(workspace, found.id, [{"publicId": "ada", "firstName": "Ada"}])
    query = sa.select(Person.workspace_id, sa.func.count()).group_by(Person.workspace_id)
    assert {row[0]: row[1] for row in session().execute(query)} == {acme.id: 1, rival.id: 1}


def test_an_address_alone_names_a_person_who_may_get_a_profile_later(acme: Workspace) -> None:
    """Also within one call, and by the network's own id."""
    (before,) = put(acme, {"email": "ada@engine.example"})
    (after,) = put(acme, {"public_id": "ada", "email": "ada@engine.example"})
    (again,) = put(acme, {"public_id": "ada"})
    assert before.id == after.id == again.id
    assert (after.public_id, after.email) == ("ada", "ada@engine.example")
    first, second, third = put(
        acme, {"email": "bo@x.example"}, {"public_id": "bo", "email": "bo@x.example"}, {"public_id": "bo"}
    )
    assert first.id == second.id == third.id
    member = "acoaa" + "b" * 30
    (cy,) = put(acme, {"public_id": "cy", "member_id": member})
    (same,) = put(acme, {"public_id": member})
    assert (same.id, same.public_id) == (cy.id, "cy")
    assert {one.kind for one in identities.of_people([cy.id])[cy.id]} == {IdentityKind.PROFILE, IdentityKind.MEMBER}


def test_an_address_does_not_join_two_profiles(acme: Workspace) -> None:
    """It stays with the first who had it."""
    shared = "info@engine.example"
    ada, bob, by_address = put(
        acme, {"public_id": "ada", "email": shared}, {"public_id": "bob", "email": shared}, {"email": shared}
    )
    assert ada.id != bob.id
    assert by_address.id == ada.id
    assert (ada.email, bob.email) == (shared, shared)


def test_known_people_change_as_it_is_asked_for(acme: Workspace) -> None:
    for merge, name, phone in (
        (Merge.FILL, "Ada", "1"),
        (Merge.OVERWRITE, "Augusta", "1"),
        (Merge.REPLACE, "Augusta", "1"),
        (Merge.KEEP, "Ada", ""),
    ):
        put(acme, {"public_id": f"ada-{merge}", "first_name": "Ada"})
        (ada,) = put(acme, {"public_id": f"ada-{merge}", "first_name": "Augusta", "phone": "1"}, merge=merge)
        assert (ada.first_name, ada.phone) == (name, phone), merge


def test_a_typed_value_gives_way_only_when_that_is_asked_for(acme: Workspace) -> None:
    """Whether the person was typed, or only the value."""
    (ada,) = put(acme, {"public_id": "ada", "first_name": "Ada"})
    with transaction():
        people.change(acme, ada, {"first_name": "Typed"}, HAND)
    put(acme, {"public_id": "bob", "first_name": "Typed"}, source=HAND)
    given = [{"public_id": one, "first_name": "Augusta"} for one in ("ada", "bob")]
    for merge, name in ((Merge.OVERWRITE, "Typed"), (Merge.REPLACE, "Augusta")):
        assert [one.first_name for one in put(acme, *given, merge=merge)] == [name, name]


def test_every_value_that_gave_way_or_was_not_taken_stays_in_the_history_once(acme: Workspace) -> None:
    put(acme, {"public_id": "ada", "first_name": "Ada", "custom_fields": {"tier": "A", "pet": "cat"}})
    (ada,) = put(acme, {"public_id": "ada", "first_name": "Augusta", "custom_fields": {"tier": "B"}})
    assert ada.custom_fields == {"tier": "B", "pet": "cat"}
    assert history(ada) == [("first_name", "Ada", True), ("custom.tier", "A", True)]
    put(acme, {"public_id": "bo", "first_name": "Bo"}, source=HAND)
    for _ in range(2):
        (bo,) = put(acme, {"public_id": "bo", "first_name": "Bob"})
    assert history(bo) == [("first_name", "Bob", False)]


def test_a_value_says_where_it_is_from_and_tags_come_once_in_any_case(acme: Workspace) -> None:
    (ada,) = put(acme, {"public_id": "ada", "first_name": "Ada"})
    (ada,) = put(acme, {"public_id": "ada", "phone": "1"}, source=Source(SourceKind.API, "CRM"))
    assert session().get_one(DataSource, ada.source_id).name == "fair.csv"
    assert session().get_one(DataSource, ada.origins["phone"]["source"]).name == "CRM"
    assert ada.origins["phone"]["typed"] is False
    assert "first_name" not in ada.origins
    put(acme, {"public_id": "bo", "tags": ["VIP"]})
    (bo,) = put(acme, {"public_id": "bo", "tags": ["vip", "north"]})
    assert bo.tags == ["VIP", "north"]


def test_a_profile_of_another_person_is_taken_by_no_change(acme: Workspace) -> None:
    (ada, _) = put(acme, {"public_id": "ada"}, {"public_id": "bob"})
    with pytest.raises(Conflict, match="already one of your people"), transaction():
        people.change(acme, ada, {"public_id": "bob"}, HAND)


def test_a_stranger_of_the_network_is_made_once(acme: Workspace) -> None:
    for handle, column in (("zoe-zhang", "public_id"), ("zoe@x.example", "email")):
        with transaction():
            made = people.ensure(acme, handle)
            assert people.ensure(acme, handle) == made
        assert getattr(session().get_one(Person, made), column) == handle


def test_people_of_whom_nothing_tells_are_deleted_and_a_source_is_written_down_once(
    acme: Workspace, rival: Workspace
) -> None:
    found = lists.create_list(acme, "Founders")
    leads.add(acme, found.id, [{"publicId": "ada"}])
    (ada, bob) = put(acme, {"public_id": "ada"}, {"public_id": "bob"})
    with transaction():
        people.discard_unplaced([ada.id, bob.id])
    assert list(session().scalars(sa.select(Person.public_id))) == ["ada"]
    with transaction():
        first, again, other = (sources.ensure(one, FILE) for one in (acme, acme, rival))
    assert first == again != other


def test_a_company_is_known_by_its_domain_else_by_its_name(acme: Workspace) -> None:
    for number, (url, email, domain) in enumerate(
        [
            ("https://www.engine.example/about", "ada@gmail.com", "engine.example"),
            ("", "ada@mail.engine.example", "engine.example"),
            ("", "eve@gmail.com", ""),
        ]
    ):
        given = {"public_id": f"p{number}", "company_name": "Engine GmbH", "company_url": url, "email": email}
        (one,) = put(acme, given)
        assert (one.company_domain, one.company_key) == (domain, "engine")
