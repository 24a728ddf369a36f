"""What the owner corrects stays, and what is built on it follows."""

import pytest

from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import plays, profile_corrections, serialization, setup
from app.domain.autopilot.corrections import preview
from app.models.workspaces import Workspace
from app.ports.writer import Fact, Profile
from tests.domain.autopilot.steering import another_play, the_setup, understood, with_play, work


def test_a_correction_reaches_every_play_in_review_and_the_buyers_whom_it_names(acme: Workspace) -> None:
    with_play(acme)
    another_play(acme, "hiring")
    before = preview.preview(acme, {"sells": "rubber ducks"})
    assert [name for name, _, _ in before.fields] == ["sells", "facts"]
    assert [play.name for play in before.plays] == [play.name for play in plays.every(acme)]
    setup.save(acme, profile={"sells": "rubber ducks", "name": "Duckworth"})
    work()
    found = the_setup(acme)
    assert found.profile is not None
    assert (found.profile["sells"], found.profile["typed"]) == ("rubber ducks", ["name", "sells"])
    for play in plays.every(acme):
        assert play.status == "review"
        assert any("rubber ducks" in step.get("text", "") for step in play.steps)
        assert play.log[-1]["text"].startswith("I wrote this again")
    assert preview.preview(acme, {"for": "restaurants and hotels"}).types is not None
    setup.save(acme, profile={"for": "restaurants and hotels"})
    work()
    found = the_setup(acme)
    assert [one["id"] for one in found.customer_types[:2]] == ["restaurants", "hotels"]
    assert [one["guess"] for one in found.customer_types[:3]] == [False, False, True]
    assert found.customer_type_id == "restaurants"
    assert "restaurants" in str(found.targets).casefold()


def test_what_the_owner_typed_survives_another_reading() -> None:
    old = Profile(
        "B", "S", sells="ducks", typed=("sells",), facts=(Fact("Mine.", "owner", "Mine."),), dropped=("Gone",)
    )
    read = Profile(
        "B2", "S2", sells="bath toys", proof="Since 1990", facts=(Fact("G", "p", "Gone"), Fact("K", "p", "Kept"))
    )
    merged = profile_corrections.merged(serialization.profile_json(old), read)
    assert (merged.sells, merged.proof, merged.business) == ("ducks", "Since 1990", "B2")
    assert [fact.text for fact in merged.facts] == ["Mine.", "K"]


def test_a_deleted_fact_is_gone_and_a_new_one_is_the_owners(acme: Workspace) -> None:
    with pytest.raises(Conflict):
        setup.save(acme, profile={"sells": "ducks"})
    first = understood(acme).profile
    assert first is not None
    kept = first["facts"][0]
    with pytest.raises(InvalidRequest) as refused:
        setup.save(acme, profile={"sells": "d" * 161, "tone": "loud"})
    assert {field.path for field in refused.value.fields} == {"profile.sells", "profile.tone"}
    setup.save(acme, profile={"facts": [{"text": kept["text"]}, {"text": "We deliver on Sundays."}]})
    found = the_setup(acme).profile
    assert found is not None
    assert (found["facts"][0], found["facts"][1]["page"], found["sells"]) == (kept, "owner", first["sells"])
    assert {fact["quote"] for fact in first["facts"][1:]} <= {*found["dropped"], kept["quote"]}


def test_who_sells_is_asked_when_nothing_says_it() -> None:
    assert set(profile_corrections.asks({"sells": "", "category": ""})) == {"sells", "examples"}
    assert profile_corrections.asks({"sells": "ducks", "audience": "hotels"}) == {}
