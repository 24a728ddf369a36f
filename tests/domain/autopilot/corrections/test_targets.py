"""Customer types and targets follow when the buyers are corrected, unless a person edited the targets."""

from app.core.db import end_read
from app.domain.autopilot import play_people, plays, profile_corrections, setup
from app.domain.autopilot.corrections import preview
from app.models.autopilot import Setup
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import another_play, targeted, the_play, the_setup, with_play, work

HOTELS = {"for": "hotels"}


def on(found: Setup, key: str) -> list[str]:
    assert found.targets
    return [chip["label"] for row in found.targets["rows"] if row["key"] == key for chip in row["chips"] if chip["on"]]


def test_targets_follow_the_buyers_and_come_back_with_them(acme: Workspace) -> None:
    """Targets saved as they were are not edited; a correction of the offer leaves them."""
    found = targeted(acme)
    before, kinds = (found.targets, found.customer_type_id, found.customer_types), on(found, "companyType")
    setup.save(acme, profile={"sells": "rubber ducks"})
    work()
    assert the_setup(acme).targets == before[0]
    setup.save(acme, targets=before[0])
    effect = preview.preview(acme, HOTELS)
    setup.save(acme, profile=HOTELS)
    work()
    after = the_setup(acme)
    assert after.customer_type_id == "hotels"
    assert on(after, "companyType") == ["Hotels"]
    assert kinds != ["Hotels"]
    assert effect.targets == (before[0], after.targets)
    assert effect.chosen
    assert effect.types
    assert effect.types[1] == [one["title"] for one in after.customer_types]
    profile_corrections.take_back(acme, 2)
    work()
    back = the_setup(acme)
    assert (back.targets, back.customer_type_id, back.customer_types) == before


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


def test_plays_in_review_look_for_the_new_buyers(acme: Workspace) -> None:
    """A name that a person gave stays."""
    play, named = with_play(acme), another_play(acme, "new_role")
    before = {one.person for one in play_people.samples(acme, play.id)}
    plays.rename(acme, named.id, "My play")
    setup.save(acme, profile=HOTELS)
    work()
    again = the_play(acme)
    assert again.status == "review"
    assert "hotels" in again.name.casefold()
    assert {one.person for one in play_people.samples(acme, play.id)} != before
    assert the_play(acme, "new_role").name == "My play"
