"""Customer types and targets follow when the buyers are corrected, unless a person edited the targets."""

from app.core.db import end_read
from app.domain.autopilot import play_people, plays, profile_corrections, setup
from app.domain.autopilot.corrections import preview
from app.models.autopilot import Setup
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import targeted, the_play, the_setup, with_play, work

HOTELS = {"for": "hotels"}


def on(found: Setup, key: str) -> list[str]:
    assert found.targets
    return [chip["label"] for row in found.targets["rows"] if row["key"] == key for chip in row["chips"] if chip["on"]]


def test_targets_follow_the_buyers(acme: Workspace) -> None:
    found = targeted(acme)
    before, kinds = found.targets, on(found, "companyType")
    effect = preview.preview(acme, HOTELS)
    setup.save(acme, profile=HOTELS)
    work()
    after = the_setup(acme)
    assert after.customer_type_id == "hotels"
    assert on(after, "companyType") == ["Hotels"]
    assert kinds != ["Hotels"]
    assert effect.targets == (before, after.targets)
    assert effect.chosen
    assert effect.types
    assert effect.types[1] == [one["title"] for one in after.customer_types]


def test_targets_that_a_person_edited_stay(acme: Workspace) -> None:
    found = targeted(acme)
    assert found.targets
    chosen, edited = found.customer_type_id, {**found.targets, "summary": "Whom I want."}
    setup.save(acme, targets=edited)
    end_read()
    assert preview.preview(acme, HOTELS).targets is None
    setup.save(acme, profile=HOTELS)
    work()
    after = the_setup(acme)
    assert after.targets == edited
    assert after.customer_type_id == chosen
    assert "hotels" in [one["id"] for one in after.customer_types]


def test_targets_saved_as_they_were_are_not_edited(acme: Workspace) -> None:
    found = targeted(acme)
    setup.save(acme, targets=found.targets)
    setup.save(acme, profile=HOTELS)
    work()
    assert on(the_setup(acme), "companyType") == ["Hotels"]


def test_a_correction_of_the_offer_leaves_the_targets(acme: Workspace) -> None:
    before = targeted(acme).targets
    setup.save(acme, profile={"sells": "rubber ducks"})
    work()
    assert the_setup(acme).targets == before


def test_a_play_in_review_looks_for_the_new_buyers(acme: Workspace) -> None:
    play = with_play(acme)
    before = {one.person for one in play_people.samples(acme, play.id)}
    setup.save(acme, profile=HOTELS)
    work()
    again = the_play(acme)
    assert again.status == "review"
    assert "hotels" in again.name.casefold()
    assert {one.person for one in play_people.samples(acme, play.id)} != before


def test_a_name_that_a_person_gave_stays(acme: Workspace) -> None:
    play = with_play(acme)
    plays.rename(acme, play.id, "My play")
    setup.save(acme, profile=HOTELS)
    work()
    assert the_play(acme).name == "My play"


def test_targets_come_back_when_the_correction_is_taken_back(acme: Workspace) -> None:
    found = targeted(acme)
    before = (found.targets, found.customer_type_id, found.customer_types)
    setup.save(acme, profile=HOTELS)
    work()
    assert the_setup(acme).targets != before[0]
    profile_corrections.take_back(acme, 1)
    work()
    after = the_setup(acme)
    assert (after.targets, after.customer_type_id, after.customer_types) == before
