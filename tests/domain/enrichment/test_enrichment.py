"""What the people of a list lack is looked up; only what is found is paid for, once, whatever happens on the way."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotSupported, PlanLimitExceeded, SubscriptionRequired
from app.domain.billing import credits
from app.domain.billing.credits import Balance
from app.domain.enrichment import enrichment
from app.domain.leads import leads, lists
from app.domain.ledger import recount
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.leads import Lead
from app.models.people import Person
from app.models.platform.jobs import Job
from app.models.signals import ContactLookup, Enrichment
from app.models.workspaces import Subscription, Workspace
from app.ports import Contact, ContactQuestion
from app.providers.sandbox.enrichment import SandboxContacts
from tests.conftest import PASSWORD
from tests.domain.outreach import a_campaign, a_list, email, forward, person_id, told
from tests.support.movable import Movable


class Meanwhile(SandboxContacts):
    """The sandbox's contacts, with something that happens at a question."""

    def __init__(self, happens: Callable[[int], object]) -> None:
        self.happens, self.asked = happens, 0

    def find(self, question: ContactQuestion) -> Contact | None:
        """The answer, after what happens meanwhile."""
        self.asked += 1
        self.happens(self.asked)
        return super().find(question)


def people(workspace: Workspace, *public_ids: str, name: str = "People") -> int:
    """A list of people of whom nothing is known but their profile."""
    return a_list(workspace, [{"publicId": one, "firstName": one.title()} for one in public_ids], name)


def the_run(workspace: Workspace) -> Enrichment:
    found = session().scalars(enrichment.page(workspace).order_by(Enrichment.id.desc())).first()
    assert found is not None
    session().refresh(found)
    return found


def numbers(run: Enrichment) -> tuple[str, int, int, int, int]:
    """State, found, missed, skipped, credits."""
    return run.state, run.found, run.missed, run.skipped, run.credits


def lead(list_id: int, person: str) -> Lead:
    query = sa.select(Lead).where(Lead.list_id == list_id, Person.public_id == person).join(Lead.person)
    return session().scalars(query.execution_options(populate_existing=True)).one()


def test_found_values_are_kept_with_source_and_date_and_a_miss_is_free(acme: Workspace) -> None:
    """And the end is told, with what was found and cost."""
    found = people(acme, "known-ada", "no-phone-bob", "nothing-cy")
    assert enrichment.quote(acme, found) == {"email": 3, "phone": 3}
    assert enrichment.start(acme, found, "both") == (6, 30)
    assert credits.balance(acme) == Balance(1000, 30)
    assert the_run(acme).state == "queued"
    jobs.run_due()
    assert numbers(the_run(acme)) == ("finished", 3, 3, 0, 12)
    assert credits.balance(acme) == Balance(988, 0)
    assert lead(found, "known-ada").email == "known.ada@people.example"
    assert lead(found, "known-ada").phone.startswith("+1555")
    assert (lead(found, "no-phone-bob").phone, lead(found, "nothing-cy").email) == ("", "")
    looked = enrichment.lookups_of_leads(acme, [lead(found, "known-ada").id])
    (_, bought), *_ = looked.items()
    assert (bought.source, bought.credits) == ("sandbox", 2)
    assert bought.answered_at is not None
    assert list(recount.wallets()) == []
    (data,) = told(acme, "enrichment_finished")
    assert data["enrichment"] == {
        **{"id": the_run(acme).id, "what": "both", "state": "finished", "list": {"id": found, "name": "People"}},
        **{"queued": 6, "found": 3, "missed": 3, "skipped": 0, "credits": 12, "error": ""},
    }


def test_who_has_the_value_or_is_being_looked_up_is_skipped(acme: Workspace) -> None:
    """Two requests for the same cost as much as one; nothing is queued, and nothing held, where no one lacks it."""
    found = a_list(acme, ["accepts-ada", {"publicId": "known-bob"}])
    assert enrichment.start(acme, found, "email") == (1, 2)
    assert enrichment.start(acme, found, "both") == (2, 16)
    jobs.run_due()
    assert credits.balance(acme) == Balance(1000 - 2 - 16, 0)
    assert enrichment.start(acme, found, "email") == (0, 0)
    assert session().scalar(sa.select(sa.func.count()).select_from(Enrichment)) == 2


def test_a_run_that_exceeds_the_credits_is_refused(acme: Workspace) -> None:
    """Otherwise nothing is queued, and the sentence says how many are missing."""
    credits.hold(acme, 997, ref="other", purpose="signals")
    found = people(acme, "known-ada", "known-bob")
    with pytest.raises(PlanLimitExceeded, match="needs 4 credits, and you have 3"):
        enrichment.start(acme, found, "email")
    assert session().scalar(sa.select(sa.func.count()).select_from(ContactLookup)) == 0
    assert enrichment.start(acme, found, "email", max_credits=2) == (2, 2)


def test_a_cap_ends_it_when_so_much_is_spent(acme: Workspace) -> None:
    """Misses do not use it up; what remains is not looked up."""
    found = people(acme, "nothing-ada", "known-bob", "known-cy", "known-dee")
    assert enrichment.start(acme, found, "email", max_credits=5) == (4, 5)
    jobs.run_due()
    assert numbers(the_run(acme)) == ("finished", 2, 1, 0, 4)
    assert the_run(acme).left_over == 1
    assert lead(found, "known-dee").email == ""
    assert credits.balance(acme) == Balance(996, 0)
    with pytest.raises(InvalidRequest, match="not valid"):
        enrichment.start(acme, found, "phone", max_credits=7)


def test_never_contact_is_respected(acme: Workspace) -> None:
    """Before anything is asked, and for an address that turns out to be on the list."""
    never_contact.add(acme, [("person", "known-ada"), ("domain", "people.example")])
    found = lists.create_list(acme, "People").id
    known = [person_id(acme, person) for person in ("known-ada", "known-bob")]
    with transaction() as current:
        common = {"workspace_id": acme.id, "list_id": found, "created_at": acme.now()}
        current.add_all([Lead(person_id=person, **common) for person in known])
    assert enrichment.start(acme, found, "email") == (1, 2)
    jobs.run_due()
    assert numbers(the_run(acme)) == ("finished", 0, 0, 1, 0)
    assert lead(found, "known-bob").email == ""
    assert credits.balance(acme) == Balance(1000, 0)


def test_values_that_came_and_people_who_went_meanwhile_are_passed_over(acme: Workspace) -> None:
    """What someone typed is worth more than what was bought, which is then not paid for."""
    found = people(acme, "known-ada", "known-bob")

    def typed(number: int) -> None:
        leads.add(acme, found, [{"publicId": "known-ada", "email": "ada@hers.example"}])

    ports.sandbox_contacts.connect(Meanwhile(typed))
    enrichment.start(acme, found, "email")
    jobs.run_due()
    assert numbers(the_run(acme)) == ("finished", 1, 0, 1, 2)
    assert lead(found, "known-ada").email == "ada@hers.example"
    found = people(acme, "known-eve", "known-dan", name="Others")

    def gone(number: int) -> None:
        leads.remove(acme, found, [lead(found, "known-dan").id] if number == 1 else [])

    ports.sandbox_contacts.connect(Meanwhile(gone))
    enrichment.start(acme, found, "email")
    leads.remove(acme, found, [lead(found, "known-eve").id])
    jobs.run_due()
    run = the_run(acme)
    assert (run.state, run.found) == ("finished", 0)
    lists.delete_list(acme, found)
    assert the_run(acme).list_id is None
    assert credits.balance(acme) == Balance(998, 0)


def test_a_cancellation_frees_what_remains(acme: Workspace) -> None:
    """Also in the middle of a chunk, whose answers then cost nothing; twice is a conflict."""
    found = people(acme, *(f"known-{number}" for number in range(30)))

    def cancel(number: int) -> None:
        if number == 25:
            enrichment.cancel(acme, the_run(acme).id)

    ports.sandbox_contacts.connect(Meanwhile(cancel))
    enrichment.start(acme, found, "email")
    jobs.run_due()
    assert numbers(the_run(acme)) == ("canceled", 20, 0, 0, 40)
    assert credits.balance(acme) == Balance(960, 0)
    with pytest.raises(Conflict, match="are canceled"):
        enrichment.cancel(acme, the_run(acme).id)


def test_after_a_crash_nothing_is_paid_for_twice(acme: Workspace, clock: Movable) -> None:
    """What was recorded stays, the rest is looked up again when the lease is over."""
    clock.to(acme.now())
    found = people(acme, *(f"known-{number}" for number in range(30)))

    def crash(number: int) -> None:
        if number == 26:
            raise KeyboardInterrupt

    ports.sandbox_contacts.connect(Meanwhile(crash))
    enrichment.start(acme, found, "email")
    with pytest.raises(KeyboardInterrupt):
        jobs.run_due()
    assert numbers(the_run(acme)) == ("running", 20, 0, 0, 40)
    clock.forward(minutes=2)
    jobs.run_due()
    assert numbers(the_run(acme)) == ("finished", 30, 0, 0, 60)
    assert credits.balance(acme) == Balance(940, 0)
    assert list(recount.wallets()) == []


def test_a_source_that_fails_is_tried_again_and_then_given_up(acme: Workspace, clock: Movable) -> None:
    """What was found before stays; the rest costs nothing, and the run says why."""
    clock.to(acme.now())
    found = people(acme, "known-ada", "unreachable-bob", "known-cy")
    enrichment.start(acme, found, "email")
    for _ in range(3):
        jobs.run_due()
        clock.forward(minutes=6)
    run = the_run(acme)
    assert numbers(run) == ("failed", 1, 0, 0, 2)
    assert "is not reachable" in run.error
    assert credits.balance(acme) == Balance(998, 0)


def test_a_hold_that_expired_or_a_subscription_that_ended_ends_it(acme: Workspace, clock: Movable) -> None:
    """No one pays for what was not held any more."""
    clock.to(acme.now())
    found = people(acme, "known-ada")
    ports.sandbox_contacts.connect(Meanwhile(lambda number: (clock.forward(hours=25), credits.expire_due())))
    enrichment.start(acme, found, "email")
    jobs.run_due()
    assert the_run(acme).state == "failed"
    assert lead(found, "known-ada").email == ""
    assert credits.balance(acme) == Balance(1000, 0)
    enrichment.start(acme, found, "email")
    with transaction() as current:
        current.get_one(Workspace, acme.id).subscription = Subscription.ENDED
    jobs.run_due()
    assert numbers(the_run(acme)) == ("failed", 0, 0, 0, 0)
    assert session().scalars(sa.select(Job.state).where(Job.kind == "enrichment")).all() == ["failed"] * 2
    with pytest.raises(SubscriptionRequired):
        enrichment.start(acme, found, "phone")


def test_a_bought_address_that_bounces_is_refunded_once(acme: Workspace) -> None:
    """A bounce that is not final costs nothing back, nor does an address that was not bought."""
    found = people(acme, "known-ada")
    enrichment.start(acme, found, "both")
    jobs.run_due()
    with transaction():
        assert enrichment.refund(acme, "known.ada@people.example") == 2
        assert enrichment.refund(acme, "known.ada@people.example") == 0
        assert enrichment.refund(acme, "somebody@else.example") == 0
    assert credits.balance(acme) == Balance(992, 0)
    assert the_run(acme).credits == 8
    assert list(recount.wallets()) == []


def test_a_workspace_without_a_source_is_told(acme: Workspace) -> None:
    """Nothing pretends."""
    real = workspaces.create("Real", "ada@acme.example", PASSWORD)
    theirs = people(real, "known-ada")
    with pytest.raises(NotSupported, match="No service"):
        enrichment.start(real, theirs, "email")


def test_a_bounce_that_comes_in_refunds(acme: Workspace) -> None:
    """Through the engine: the mailbox hears that the address is dead."""
    list_id = people(acme, "bounces-ada", name="Bought")
    enrichment.start(acme, list_id, "email")
    jobs.run_due()
    assert credits.balance(acme).posted == 998
    a_campaign(acme, [{"publicId": "bounces-ada", "email": lead(list_id, "bounces-ada").email}], [email()])
    forward(acme, days=3)
    assert credits.balance(acme).posted == 1000
