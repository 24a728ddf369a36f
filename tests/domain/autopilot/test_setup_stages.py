"""Stages: they move truthfully, fail in one sentence, survive being killed, and never hang."""

from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import documents, play_build, play_people, plays, setup, setup_stages, setup_state
from app.domain.platform import jobs, model_choice
from app.models.autopilot import PlayStatus
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ModelServer, Refused, Unreachable
from app.ports.models import PIECES, WRITER, Probe
from tests.domain.autopilot.steering import ANSWERS, DESCRIPTION, targeted, the_setup, understood, with_play, work
from tests.domain.autopilot.writers import Died, Pages, raises, search_at, writer_at
from tests.providers.scripted_model import NAME, Character, ScriptedModel
from tests.support.movable import Movable


def test_a_description_becomes_a_profile_customer_types_and_documents(acme: Workspace) -> None:
    """A job that died between its last record and its end changes nothing when it runs again."""
    found = understood(acme)
    assert (found.profile_state, found.error, found.progress, found.step) == ("done", None, None, 2)
    assert found.profile
    assert found.profile["business"]
    assert len({one["id"] for one in found.customer_types}) == 5
    assert [(one.kind, one.version) for one in documents.every(acme)] == [("icp", 2), ("style", 1)]
    done: dict[str, Any] = {"run": found.run, "website": False, "description": True}
    jobs.add(acme, "autopilot_profile", "again", done)
    work()
    after = the_setup(acme)
    assert (after.profile_state, after.error) == ("done", None)


def test_pages_are_counted_from_when_the_reading_began(acme: Workspace, clock: Movable) -> None:
    """How many they were stays known while the rest is done."""
    seen: list[Any] = []

    def look() -> None:
        clock.forward(seconds=5)
        seen.append((the_setup(acme).progress or {})["pages"])

    ports.site_reader.connect(Pages(look=look))
    writer_at("profile", look)
    began = (setup_stages.analyze(acme, website="tidemark.example").progress or {})["since"]
    writer_at("customer_types", lambda: seen.append((the_setup(acme).progress or {})["since"] == began))
    work()
    assert seen == [0, 1, 2, True]


def test_a_website_is_read_page_by_page_and_progress_only_grows(acme: Workspace) -> None:
    """Each task that is done stands there with its name; the country that the site names is the first answer."""
    seen: list[tuple[str, int, list[str], str]] = []

    def look() -> None:
        found = the_setup(acme)
        progress = found.progress or {}
        seen.append((found.profile_state, progress["pct"], progress["done"], progress["active"]))

    ports.site_reader.connect(reader := Pages())
    for method in ("profile", "customer_types", "documents"):
        writer_at(method, look)
    setup_stages.analyze(acme, website="tidemark.example")
    look()
    work()
    found = the_setup(acme)
    assert (found.website, found.country, found.profile_state) == ("tidemark.example", "DE", "done")
    assert reader.read_addresses == ["tidemark.example"]
    assert [state for state, *_ in seen] == ["reading", "understanding", "understanding", "writing"]
    assert [pct for _, pct, *_ in seen] == sorted(pct for _, pct, *_ in seen)
    last = seen[-1]
    assert last[2][:2] == ["Reading https://tidemark.example/", "Reading https://tidemark.example/pricing"]
    assert last[3] not in last[2]
    assert all(set(before[2]) <= set(after[2]) for before, after in pairwise(seen))


def test_a_site_that_cannot_be_read_fails_with_its_sentence_and_another_way_out(acme: Workspace) -> None:
    """What was typed stays; a description works at once and clears the error."""
    for failure in [Refused("It says nothing. Describe it instead."), Unreachable("It is down.")]:
        ports.site_reader.connect(Pages(failure))
        setup_stages.analyze(acme, website="tidemark.example")
        work()
        found = the_setup(acme)
        assert (found.profile_state, found.progress, found.website) == ("failed", None, "tidemark.example")
        assert found.error == str(failure)
        again = setup_stages.analyze(acme, description=DESCRIPTION)
        assert (again.error, again.profile_state) == (None, "reading")
        work()
        assert the_setup(acme).profile_state == "done"


def test_a_failed_stage_leaves_earlier_answers_alone(acme: Workspace) -> None:
    """Reading another site in vain changes nothing that is known."""
    before = targeted(acme)
    profile, types, targets = before.profile, before.customer_types, before.targets
    ports.site_reader.connect(Pages(Unreachable("It is down.")))
    setup_stages.analyze(acme, website="other.example")
    work()
    found = the_setup(acme)
    assert (found.profile_state, found.error) == ("failed", "It is down.")
    assert (found.profile, found.customer_types, found.targets) == (profile, types, targets)


def test_what_cannot_be_analyzed_is_refused_at_once(acme: Workspace, rival: Workspace) -> None:
    """By its form, before anyone is called; while one runs, another is too. The stranger's is another matter."""
    with pytest.raises(InvalidRequest) as refused:
        setup_stages.analyze(acme, website="  ", description="")
    assert [field.path for field in refused.value.fields] == ["website", "description"]
    for website in ("not a site", "ftp://tidemark.example", "tidemark", "http://", "x" * 3000, "a.b\0"):
        with pytest.raises(InvalidRequest):
            setup_stages.analyze(acme, website=website)
    assert the_setup(acme).profile_state == ""
    setup_stages.analyze(acme, description=DESCRIPTION)
    with pytest.raises(Conflict) as refusal:
        setup_stages.analyze(acme, description=DESCRIPTION)
    assert "progress" in refusal.value.recovery or "profileState" in refusal.value.recovery
    setup_stages.analyze(rival, description=DESCRIPTION)


def test_a_killed_profile_and_killed_targets_go_on(acme: Workspace, clock: Movable) -> None:
    """Once their lease has ended, from their beginning."""
    for method in ("profile", "customer_types", "documents"):
        writer_at(method, raises(Died()))
        setup_stages.analyze(acme, description=DESCRIPTION)
        with pytest.raises(Died):
            jobs.run_due()
        assert the_setup(acme).profile_state in ("reading", "understanding", "writing")
        assert jobs.run_due() == 0
        clock.forward(seconds=61)
        work()
        found = the_setup(acme)
        assert (found.profile_state, found.error, len(found.customer_types)) == ("done", None, 5), method
    for method, customers in zip(("targeting", "documents"), found.customer_types, strict=False):
        writer_at(method, raises(Died()))
        setup.save(acme, customer_type_id=customers["id"])
        with pytest.raises(Died):
            jobs.run_due()
        clock.forward(seconds=61)
        work()
        after = the_setup(acme)
        assert after.targets
        assert (after.customer_type_id, after.progress, after.error) == (customers["id"], None, None), method


def test_killed_plays_go_on_and_none_is_there_twice(acme: Workspace, clock: Movable) -> None:
    """Designing, writing sequences, finding people and judging them each go on where they stood."""
    targeted(acme)
    for method, number in (("plays", 1), ("sequence", 3), ("judge", 12)):
        writer_at(method, raises(Died()), number)
    search_at("find", raises(Died()), 2)
    setup.save(acme, **ANSWERS)
    for _ in range(4):
        with pytest.raises(Died):
            work()
        clock.forward(seconds=61)
    work()
    found = plays.every(acme)
    assert {play.status for play in found} == {"review"}
    assert len({play.angle for play in found}) == len(found) == 3
    assert (the_setup(acme).progress, the_setup(acme).error) == (None, None)


def test_a_play_that_is_killed_while_its_messages_are_written_shows_no_one_else(acme: Workspace) -> None:
    play = with_play(acme)
    before = [one.id for one in play_people.samples(acme, play.id)]
    with transaction():
        play_build.locked(acme, play.id).status = PlayStatus.WRITING
        jobs.add(acme, "autopilot_build", "again", {"play": play.id, "run": play.run})
    work()
    assert [one.id for one in play_people.samples(acme, play.id)] == before
    assert {one.status for one in plays.every(acme)} == {"review"}


def test_a_stage_that_breaks_again_and_again_fails_with_a_sentence(acme: Workspace, clock: Movable) -> None:
    """After three tries, so that no progress bar hangs for good."""
    for number in (1, 2, 3):
        writer_at("profile", raises(ValueError("a bug")), number)
    setup_stages.analyze(acme, description=DESCRIPTION)
    for _ in range(3):
        work()
        clock.forward(minutes=6)
    found = the_setup(acme)
    assert (found.profile_state, found.error, found.progress) == ("failed", setup_stages.BROKEN, None)


def test_a_stage_that_is_started_again_wins_over_the_former(acme: Workspace) -> None:
    """Whoever works for the first one stops, and changes nothing."""
    found = understood(acme)
    first, second = (one["id"] for one in found.customer_types[:2])
    writer_at("targeting", lambda: setup.save(acme, customer_type_id=second))
    setup.save(acme, customer_type_id=first)
    work()
    after = the_setup(acme)
    assert after.customer_type_id == second
    assert after.targets
    assert session().scalar(sa.select(sa.func.count()).select_from(Job).where(Job.state == "failed")) == 0


def test_progress_tells_how_many_plays_are_built_and_one_that_fails_can_be_retried(acme: Workspace) -> None:
    targeted(acme)
    seen: list[tuple[str, int]] = []

    def look() -> None:
        progress = the_setup(acme).progress or {}
        seen.append((progress["phase"], progress["pct"]))

    for number in (1, 5):
        writer_at("judge", look, number)
    writer_at("sequence", raises(Unreachable("The model does not answer.")), 2)
    writer_at("sequence", look)
    writer_at("plays", look)
    setup.save(acme, **ANSWERS)
    work()
    assert [phase for phase, _ in seen[:3]] == ["plays", "sequence", "build"]
    built = [pct for phase, pct in seen if phase == "build"]
    assert built == sorted(built)
    assert built[-1] > built[0]
    (failed,) = [play for play in plays.every(acme) if play.status == "failed"]
    assert failed.log[-1]["text"] == "The model does not answer."
    assert the_setup(acme).error == f"{failed.name}: The model does not answer."
    plays.retry(acme, failed.id)
    assert the_setup(acme).error is None
    work()
    assert {play.status for play in plays.every(acme)} == {"review"}


def test_every_part_that_a_model_did_not_write_is_named(acme: Workspace) -> None:
    """The profile's and that of the customer types, once each; the texts of a play stand with the play."""
    broken = ScriptedModel(Character.MALFORMED)
    model_choice.keep(ModelServer("OpenAI-compatible", broken.url, (NAME,)), NAME, "", Probe(PIECES))
    setup_stages.analyze(acme, description=DESCRIPTION)
    work()
    broken.stop()
    found = the_setup(acme)
    assert found.note == f"The model {NAME} did not write this: its response was not usable. The built-in writer did."


def test_a_whole_stage_is_bounded(acme: Workspace, clock: Movable) -> None:
    """What is left when its time is over is written without the model, and each play says so."""
    targeted(acme)
    model = ScriptedModel()
    model_choice.keep(ModelServer("OpenAI-compatible", model.url, (NAME,)), NAME, "", Probe(WRITER))
    writer_at("sequence", lambda: clock.forward(seconds=setup_state.LONGEST_STAGE + 1), number=2)
    setup.save(acme, **ANSWERS)
    work()
    model.stop()
    written = [play for play in plays.every(acme) if play.written_by]
    assert written[0].written_by == NAME
    assert {play.written_by for play in written[2:]} == {"built-in"}
    assert all("writing all plays took too long" in play.note for play in written[2:])
