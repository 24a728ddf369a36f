"""The copy of a sandbox: what people brought comes along once, the simulation never, and all of it can be undone."""

from io import BytesIO
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, Forbidden, InvalidRequest
from app.domain.autopilot import documents, setup_state, templates
from app.domain.installation.go_live import live_workspace, sandbox_copy
from app.domain.leads import csv_import, leads, lists
from app.domain.people import people
from app.domain.people.exclusions import never_contact
from app.domain.people.sources import Source
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.autopilot import Play, PlayStatus, PlayTemplate, ProfileState
from app.models.campaigns import CampaignTemplate
from app.models.leads import Lead, LeadList, NeverContact
from app.models.people import Person, SourceKind
from app.models.workspaces import CopiedRow, CopyState, Membership, Role, User, Workspace
from tests.domain.outreach import VIEW

EVERYTHING = ["settings", "documents", "plays", "never_contact", "people"]
CSV = b"First name,Email,Company\nGrace,grace@cobol.example,Cobol\nAlan,alan@enigma.example,Enigma\n"


@pytest.fixture
def ada(acme: Workspace) -> User:
    return workspaces.user_of("ada@acme.example")


@pytest.fixture
def live(acme: Workspace, ada: User) -> Workspace:
    return live_workspace.create(acme, ada, "Acme live", "Europe/Berlin")


def brought(acme: Workspace) -> LeadList:
    """A list with two people of a file, a typed one, and an invented one."""
    into = lists.create_list(acme, "Customers", lawful_basis="contract")
    found = csv_import.create(acme, into.id, "customers.csv", BytesIO(CSV))
    csv_import.start(acme, found.id)
    jobs.run_due()
    leads.add_person(acme, into.id, {"firstName": "Edsger", "email": "edsger@shortest.example"}, ["vip"])
    invented = [{"firstName": "Ines", "email": "ines@invented.example"}]
    leads.add(acme, into.id, invented, Source(SourceKind.SEARCH, "play"), by_email=True)
    return into


def everything(acme: Workspace) -> None:
    brought(acme)
    only = lists.create_list(acme, "Only invented")
    leads.add(acme, only.id, [{"email": "iris@invented.example"}], Source(SourceKind.SEARCH, "play"), by_email=True)
    never_contact.add(acme, ["rude@blocked.example", "enigma.example"], "They asked by phone.")
    documents.save(acme, "style", "Short and kind.")
    with transaction() as current:
        found = current.get_one(Workspace, acme.id)
        found.lawful_basis = "legitimate interest"
        found.contact_caps = {"perDay": 1}
        setup = setup_state.locked(acme)
        setup.profile, setup.profile_state, setup.website = {"name": "Acme"}, ProfileState.DONE, "acme.example"
        play = {"workspace_id": acme.id, "rank": 1, "angle": "growth", "created_at": acme.now(), "name": "Growth"}
        steps = [{"id": "s1", "kind": "message", "text": "Hi", "delay": {"count": 0, "unit": "days"}}]
        current.add(Play(**play, steps=steps, status=PlayStatus.RUNNING, approved_at=acme.now(), audience=40))
        kept = {"workspace_id": acme.id, "name": "Good one", "created_at": acme.now()}
        current.add(CampaignTemplate(**kept, sequence=[VIEW], branches=None))
        current.add(PlayTemplate(**kept, channel="social", steps=steps))


def copied(live: Workspace, by: User, parts: list[str] = EVERYTHING) -> None:
    sandbox_copy.start(live, by, parts)
    while jobs.run_due():
        pass


def emails(workspace: Workspace) -> list[str]:
    query = sa.select(Person.email).join(Lead, Lead.person_id == Person.id).where(Lead.workspace_id == workspace.id)
    return sorted(session().scalars(query))


def test_what_people_brought_comes_along_without_the_simulation(acme: Workspace, live: Workspace, ada: User) -> None:
    """A second copy brings only what is new: what was deleted does not come back, and its own words stay."""
    everything(acme)
    copied(live, ada)
    run = live_workspace.find(live)
    assert run.state == CopyState.DONE
    assert run.copied["settings"] == 3  # the cast has contact rules of its own
    (mine,) = session().scalars(lists.lists(live))
    assert (mine.name, mine.lead_count, mine.lawful_basis) == ("Customers", 2, "contract")
    assert emails(live) == ["edsger@shortest.example", "grace@cobol.example"]  # Enigma is on the do-not-contact list
    assert live.lawful_basis == "legitimate interest"
    assert live.contact_caps == {"perDay": 1}
    assert [one.markdown for one in documents.every(live)] == ["Short and kind."]
    (play,) = session().scalars(sa.select(Play).where(Play.workspace_id == live.id))
    assert (play.name, play.status, play.approved_at) == ("Growth", "review", None)
    assert (play.campaign_id, play.audience) == (None, 0)
    assert [(one.name, one.sequence) for one in templates.sequences(live)] == [("Good one", [VIEW])]
    entries = session().scalars(sa.select(NeverContact.value).where(NeverContact.workspace_id == live.id))
    assert sorted(entries) == ["enigma.example", "rude@blocked.example"]
    assert setup_state.get(live).website == "acme.example"
    mine_too = sa.select(Person.first_name, Person.company_name).where(Person.workspace_id == live.id)
    assert session().execute(mine_too.where(Person.email == emails(live)[1])).one() == ("Grace", "Cobol")
    documents.save(live, "style", "Our own words.")
    entry = session().scalars(sa.select(NeverContact).where(NeverContact.value == "rude@blocked.example")).all()[-1]
    never_contact.remove(live, entry.id)
    theirs = next(one for one in session().scalars(lists.lists(acme)) if one.name == "Customers")
    leads.add_person(acme, theirs.id, {"firstName": "Barbara", "email": "barbara@clu.example"}, [])
    copied(live, ada)
    assert emails(live) == ["barbara@clu.example", "edsger@shortest.example", "grace@cobol.example"]
    assert [one.id for one in session().scalars(lists.lists(live))] == [mine.id]
    assert session().scalar(sa.select(sa.func.count()).select_from(Play).where(Play.workspace_id == live.id)) == 1
    assert documents.texts(live)["style"] == "Our own words."
    assert never_contact.count(live) == 1


def test_values_of_the_simulation_stay_there(acme: Workspace, live: Workspace, ada: User) -> None:
    """An invented value that replaced an imported one gives way to it, and answers are not copied."""
    into = brought(acme)
    grace = session().scalars(sa.select(Person).where(Person.email == "grace@cobol.example")).one()
    with transaction():
        given = [{"email": grace.email, "company_name": "Invented Ltd", "headline": "Invented"}]
        found = people.match(acme, given)
        people.put(acme, found, Source(SourceKind.NETWORK), people.Merge.REPLACE)
        session().get_one(Person, grace.id, populate_existing=True).answer = "no"
    assert into.id
    copied(live, ada, ["people"])
    query = sa.select(Person).where(Person.workspace_id == live.id, Person.email == "grace@cobol.example")
    mine = session().scalars(query).one()
    assert (mine.company_name, mine.headline, mine.answer) == ("Cobol", "", "")


def test_undo_takes_everything_away_and_can_be_done_again(acme: Workspace, live: Workspace, ada: User) -> None:
    everything(acme)
    copied(live, ada)
    sandbox_copy.undo(live, ada)
    jobs.run_due()
    assert emails(live) == []
    assert session().scalars(lists.lists(live)).all() == []
    for model in (Play, CampaignTemplate, PlayTemplate, NeverContact, CopiedRow, Person):
        assert session().scalars(sa.select(model).where(model.workspace_id == live.id)).all() == [], model
    assert documents.every(live) == []
    assert setup_state.get(live).profile is None
    assert (live.lawful_basis, live.contact_caps) == ("", None)
    assert emails(acme)
    copied(live, ada)
    assert emails(live) == ["edsger@shortest.example", "grace@cobol.example"]
    sandbox_copy.keep(live, ada)
    with pytest.raises(Conflict, match="no copy to undo"):
        sandbox_copy.undo(live, ada)


def test_a_copy_killed_between_batches_goes_on_where_it_was(
    acme: Workspace, live: Workspace, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything(acme)
    monkeypatch.setattr("app.domain.installation.go_live.copied_parts.BATCH", 1)
    monkeypatch.setattr("app.domain.installation.go_live.sandbox_copy.TURN_SECONDS", -1.0)
    sandbox_copy.start(live, ada, EVERYTHING)
    seen = [(0, 0)]
    while jobs.run_due(1):  # one step each, as if the process began anew every time
        session().expire_all()
        run = live_workspace.find(live)
        assert run
        if run.state == CopyState.RUNNING:
            seen.append((EVERYTHING.index(run.part), run.after))
    assert seen == sorted(seen)
    assert len(set(seen)) > len(EVERYTHING)
    assert emails(live) == ["edsger@shortest.example", "grace@cobol.example"]


def test_only_owners_of_both_workspaces_copy(acme: Workspace, live: Workspace, ada: User, rival: Workspace) -> None:
    """And nothing but the sandbox beside which the workspace was made."""
    rob = workspaces.user_of("rob@rival.example")
    for act in (
        lambda: sandbox_copy.start(live, rob, EVERYTHING),
        lambda: sandbox_copy.keep(live, rob),
        lambda: sandbox_copy.undo(live, rob),
        lambda: live_workspace.create(acme, rob, "Stolen", "UTC"),
    ):
        with pytest.raises(Forbidden):
            act()
    with pytest.raises(Conflict, match="has no sandbox"):
        sandbox_copy.start(rival, rob, EVERYTHING)
    with transaction() as current:  # an owner there, but an operator in the sandbox
        current.add(Membership(workspace_id=live.id, user_id=rob.id, role=Role.OWNER, created_at=live.now()))
        current.add(Membership(workspace_id=acme.id, user_id=rob.id, role=Role.OPERATOR, created_at=live.now()))
    with pytest.raises(Forbidden):
        sandbox_copy.start(live, rob, EVERYTHING)
    everything(rival)
    copied(live, ada)
    assert emails(live) == []


def test_members_come_along_with_roles_and_required_two_factor(acme: Workspace, ada: User, rival: Workspace) -> None:
    rob = workspaces.user_of("rob@rival.example")
    with transaction() as current:
        workspaces.get(acme.id).two_factor_required = True
        current.add(Membership(workspace_id=acme.id, user_id=rob.id, role=Role.REVIEWER, created_at=acme.now()))
    made = live_workspace.create(acme, ada, "Acme live", "UTC")
    assert (made.sandbox, made.approve_first, made.two_factor_required) == (False, 10, True)
    query = sa.select(Membership.user_id, Membership.role).where(Membership.workspace_id == made.id)
    assert dict(session().execute(query).all()) == {ada.id: "owner", rob.id: "reviewer"}
    with pytest.raises(InvalidRequest):
        live_workspace.create(acme, ada, "Acme live", "UTC")
    beside: Any = live_workspace.beside(acme)
    assert beside[0].id == made.id
