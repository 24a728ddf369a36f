"""Answers of the setup: each is kept, wrong ones change nothing, some set a stage going."""

from typing import Any

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import transaction
from app.core.errors import InvalidRequest
from app.domain.autopilot import play_design, plays, serialization, setup, setup_state
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import Account, Channel
from app.models.workspaces import Workspace
from app.ports.writer import Chip, Fact, PlayStep, Profile, Targeting, Wait
from tests.domain.autopilot.steering import ANSWERS, another_play, targeted, the_setup, understood, with_play, work
from tests.domain.autopilot.writers import NoOne

TARGETS: dict[str, Any] = {
    "summary": "Founders of sailing schools",
    "rows": [
        {"key": "titles", "chips": [{"label": "Founder", "on": True}, {"label": "Owner", "on": False}]},
        {"key": "location", "chips": [{"label": "Germany", "on": True}]},
    ],
    "evenBetter": ["Hired in the last 90 days"],
}


def test_messages_are_written_for_the_first_mailbox_where_no_linkedin_account_is(
    acme: Workspace, rival: Workspace
) -> None:
    mailbox = next(one.name for one in accounts.every(acme) if one.channel == Channel.EMAIL)
    theirs = accounts.every(rival)[0].name
    assert setup_state.sender_name(rival) == theirs
    with transaction() as current:
        current.execute(sa.delete(Account).where(Account.workspace_id == acme.id, Account.channel == Channel.SOCIAL))
    assert (setup_state.sender_name(acme), setup_state.sender_name(rival)) == (mailbox, theirs)
    assert (setup_state.usual_channel(acme), setup_state.usual_channel(rival)) == ("email", "social_email")
    with transaction() as current:
        current.execute(sa.delete(Account).where(Account.workspace_id == acme.id))
    assert setup_state.sender_name(acme) == ""


def test_answers_are_kept_and_the_last_missing_one_designs_the_first_plays(acme: Workspace, rival: Workspace) -> None:
    """Once; later answers do not. The stranger's setup is another."""
    targeted(acme)
    setup.save(acme, country=" Germany ", step=4)
    assert setup.save(acme, offer={"kind": "other", "text": "a trial month"}).setup.progress is None
    assert (setup.save(acme, channel="social").setup.progress or {})["phase"] == "plays"
    found = the_setup(acme)
    kept = ("social", "Germany", {"kind": "other", "text": "a trial month"})
    assert (found.channel, found.country, found.offer) == kept
    assert the_setup(rival).channel is None
    work()
    assert {play.channel for play in plays.every(acme)} == {"social"}
    assert setup.save(acme, channel="social_email").setup.progress is None


def test_plays_by_email_only_are_one_thread_of_emails(acme: Workspace) -> None:
    targeted(acme)
    setup.save(acme, channel="email", offer={"kind": "call"})
    work()
    for play in plays.every(acme):
        assert (play.channel, [step["kind"] for step in play.steps]) == ("email", ["email"] * 3), play.name
        first, *later = play.steps
        assert {one["subject"] for one in later} == {first["subject"]}
        assert not {"accept", "connect"} & {word for one in play.steps for word in one["text"].lower().split()}


def test_a_view_counts_senders_and_who_is_never_contacted(acme: Workspace) -> None:
    """Made when it is looked at first."""
    never_contact.add(acme, ["bob@example.com", "acme.com"])
    found = setup.view(acme)
    assert (dict(found.senders), found.never_contact, list(found.plays)) == ({"social": 2, "email": 1}, 2, [])
    assert found.setup.status == "setup"
    assert setup.view(acme).setup.id == found.setup.id


def test_targets_are_replaced_as_a_whole_and_the_estimate_follows_at_once(acme: Workspace) -> None:
    """Rows that were not given are empty. It names some companies, or the row without which the most match."""
    targeted(acme)
    found = play_design.estimate(acme)
    assert found.audience > 0
    assert found.invented
    assert found.companies
    assert all(found.companies)
    setup.save(acme, targets=TARGETS)
    kept = the_setup(acme).targets
    assert kept
    assert [row["key"] for row in kept["rows"]] == ["titles", "companyType", "size", "location"]
    assert kept["rows"][0]["chips"] == TARGETS["rows"][0]["chips"]
    assert kept["rows"][1]["chips"] == []
    nowhere = {"key": "location", "chips": [{"label": "Atlantis", "on": True}]}
    setup.save(acme, targets={**TARGETS, "rows": [TARGETS["rows"][0], nowhere]})
    found = play_design.estimate(acme)
    assert (found.audience, found.without) == (0, "location")
    assert found.then > 0
    ports.sandbox_people.connect(NoOne())
    assert (play_design.estimate(acme).without, play_design.estimate(acme).then) == ("", 0)


def test_targets_said_while_they_are_worked_out_win(acme: Workspace) -> None:
    """While another site is read, no customer type can be chosen, not even one that is known from before."""
    found = understood(acme)
    setup.save(acme, customer_type_id=found.customer_types[0]["id"])
    setup.save(acme, targets=TARGETS)
    work()
    kept = the_setup(acme)
    assert kept.targets
    assert kept.targets["summary"] == TARGETS["summary"]
    assert kept.progress is None
    setup.analyze(acme, description="Something else entirely, for other people in other places.")
    with pytest.raises(InvalidRequest):
        setup.save(acme, customer_type_id=found.customer_types[0]["id"])


def test_a_country_is_taken_by_any_of_its_names_or_as_the_website_named_it(acme: Workspace) -> None:
    names = "United Kingdom; UK; the States; Deutschland; Großbritannien; GB; de; DACH; Spain and Portugal"
    for name in (*names.split("; "), "Bosnia and Herzegovina", "Korea, Republic of", "Austria, DE / Schweiz", ""):
        assert setup.save(acme, country=name).setup.country == name
    with transaction():
        setup_state.locked(acme).country = "EN"
    assert setup.save(acme, country="EN").setup.country == "EN"


def test_a_wrong_answer_changes_nothing(acme: Workspace) -> None:
    for answers, paths in [
        ({"step": 0}, ["step"]),
        ({"step": 9, "channel": "fax"}, ["step", "channel"]),
        ({"customer_type_id": "astronauts"}, ["customerTypeId"]),
        ({"country": "Atlantis"}, ["country"]),
        ({"country": "Spain and Narnia"}, ["country"]),
        ({"offer": {"kind": "gift"}}, ["offer.kind"]),
        ({"offer": {"kind": "other", "text": " "}}, ["offer.text"]),
        ({"country": "x" * 101, "timezone": "Mars/Olympus"}, ["country", "timezone"]),
        ({"targets": {**TARGETS, "rows": [{"key": "shoes", "chips": []}]}}, ["targets.rows[0].key"]),
        ({"targets": {**TARGETS, "rows": [TARGETS["rows"][1]] * 2}}, ["targets.rows[1].key"]),
        (
            {"targets": {**TARGETS, "rows": [{"key": "size", "chips": [{"label": " ", "on": True}]}]}},
            ["targets.rows[0].chips[0].label"],
        ),
        (
            {"targets": {**TARGETS, "evenBetter": [""], "summary": "x" * 3000}},
            ["targets.summary", "targets.evenBetter[0]"],
        ),
    ]:
        with pytest.raises(InvalidRequest) as refusal:
            setup.save(acme, **{"country": "France", **answers})
        assert [field.path for field in refusal.value.fields] == paths
        assert the_setup(acme).country == ""


def test_the_time_zone_is_the_workspaces_and_rules_are_kept_once_each(acme: Workspace) -> None:
    """Answers need nothing else: they are kept before anything is understood."""
    setup.save(acme, **ANSWERS, timezone="Europe/Berlin")
    assert (the_setup(acme).channel, list(plays.every(acme))) == ("social_email", [])
    assert workspaces.get(acme.id).timezone == "Europe/Berlin"
    kept = setup.set_rules(acme, ["Never mention AI.", " never mention ai. ", "Be brief"]).rules
    assert kept == ["Never mention AI.", "Be brief"]
    with pytest.raises(InvalidRequest) as refusal:
        setup.set_rules(acme, ["fine", " ", "x" * 501])
    assert [field.path for field in refusal.value.fields] == ["rules[1]", "rules[2]"]


def test_designing_again_replaces_what_was_not_launched(acme: Workspace) -> None:
    """And another play of one angle is only added."""
    before = {with_play(acme).id, another_play(acme, "hiring").id}
    play_design.design(acme)
    work()
    after = plays.every(acme)
    assert len(after) == 3
    assert not before & {play.id for play in after}
    setup.design(acme, "hiring")
    work()
    more = plays.every(acme)
    assert len(more) == 4
    assert [play.rank for play in more] == sorted(play.rank for play in more)
    assert more[-1].angle == "hiring"


def test_what_writers_speak_in_is_kept_without_loss() -> None:
    profile = Profile("B", "S", "cat", "DE", "de", (Fact("t", "p", "q", "price"),), "N", "O")
    assert serialization.profile_of(serialization.profile_json(profile)) == profile
    rows = {"titles": (Chip("A"), Chip("B", False)), "companyType": (), "size": (), "location": ()}
    targeting = Targeting("S", rows, ("better",))
    assert serialization.targeting_of(serialization.targets_json(targeting)) == targeting
    steps = [PlayStep("a", "email", Wait(1, "days"), "previous", "text", "subject")]
    assert serialization.steps_of(serialization.steps_json(steps)) == steps
