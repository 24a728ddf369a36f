"""Which value of two people stays, and what is kept of the other."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.leads import leads, merge_people
from app.domain.people import identities, merge, people
from app.domain.people.identities import Identity
from app.domain.people.people import Merge
from app.domain.people.sources import Source
from app.domain.rules.contact_rules import Answer
from app.models.people import IdentityKind, Person, PersonValue, SourceKind
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.support.movable import Movable

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]
FILE, HAND = Source(SourceKind.FILE, "crm.csv", "consent"), Source(SourceKind.HAND, "Olga")


def known(workspace: Workspace, source: Source, **profile: object) -> Person:
    into = a_list(workspace, [])
    leads.add(workspace, into, [profile], source, Merge.FILL)
    end_read()
    one = Identity(IdentityKind.PROFILE, str(profile["publicId"]))
    return people.get(workspace, identities.owners(workspace.id, {one})[one])


def merged(workspace: Workspace, keep: Person, gone: Person) -> Person:
    merge_people.merge_people(workspace, keep.id, gone.id)
    end_read()
    session().expire_all()
    return people.get(workspace, keep.id)


def test_typed_wins_else_the_kept_and_empty_is_filled(acme: Workspace) -> None:
    """For columns and custom fields; who the person is stays, with the link of that profile."""
    keep = known(acme, FILE, publicId="ada", firstName="Ada", position="Clerk", customFields={"tier": "A", "desk": "1"})
    typed = {"publicId": "augusta", "firstName": "Augusta", "phone": "+44 1", "customFields": {"tier": "B"}}
    gone = known(acme, HAND, **typed, profileUrl="https://network.example/in/augusta")
    found = merged(acme, keep, gone)
    assert (found.public_id, found.profile_url, found.first_name, found.position) == ("ada", "", "Augusta", "Clerk")
    assert (found.phone, found.custom_fields) == ("+44 1", {"tier": "B", "desk": "1"})


def test_what_gives_way_stays_in_the_history_with_its_source_and_time(acme: Workspace, clock: Movable) -> None:
    """Also the history that the other had."""
    keep = known(acme, FILE, publicId="ada", firstName="Ada")
    clock.forward(days=1)
    gone = known(acme, FILE._replace(name="old.csv"), publicId="augusta", firstName="Gussie", phone="1")
    since = gone.created_at
    known(acme, HAND, publicId="augusta", firstName="Augusta")
    clock.forward(days=1)
    merged(acme, keep, gone)
    query = sa.select(PersonValue.field, PersonValue.value, PersonValue.taken, PersonValue.known_at).where(
        PersonValue.person_id == keep.id
    )
    rows = {(row.field, row.value): (row.taken, row.known_at) for row in session().execute(query)}
    assert rows["first_name", "Ada"] == (True, keep.created_at)
    assert rows["first_name", "Gussie"] == (True, since)
    assert rows["public_id", "augusta"] == (False, since)
    origins = merge.origins_of(people.get(acme, keep.id), ["first_name", "phone", "public_id"])
    assert [one.typed for one in origins.values()] == [True, False, False]
    assert (origins["phone"].at, origins["public_id"].at) == (since, keep.created_at)


def test_tags_are_those_of_both_up_to_the_limit(acme: Workspace) -> None:
    """In any case once; those without room stay in the history."""
    keep, gone = known(acme, FILE, publicId="ada"), known(acme, FILE, publicId="augusta")
    with transaction():
        people.get(acme, keep.id).tags = ["VIP", *(f"t{number}" for number in range(people.MOST_TAGS - 2))]
        people.get(acme, gone.id).tags = ["vip", "wool", "late"]
    found = merged(acme, keep, gone)
    assert (len(found.tags), found.tags[0], found.tags[-1]) == (people.MOST_TAGS, "VIP", "wool")
    assert session().scalars(sa.select(PersonValue.value).where(PersonValue.field == "tags")).all() == [["late"]]


def test_the_strictest_of_what_they_said_counts(acme: Workspace, clock: Movable) -> None:
    keep, gone = known(acme, FILE, publicId="ada"), known(acme, FILE, publicId="augusta")
    before, later = clock(), clock() + timedelta(days=1)
    with transaction():
        keep, gone = people.get(acme, keep.id), people.get(acme, gone.id)
        keep.answer, keep.replied_at = Answer.NEGATIVE, before
        gone.answer, gone.replied_at, gone.come_back_at = Answer.POSITIVE, later, later
    found = merged(acme, keep, gone)
    assert (found.answer, found.replied_at, found.come_back_at) == (Answer.NEGATIVE, later, later)
