"""What the owner corrects stays, whatever is read later."""

import pytest

from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import documents, profile_corrections, serialization, setup, setup_stages
from app.models.workspaces import Workspace
from app.ports.writer import Fact, Profile
from tests.domain.autopilot.steering import ANSWERS, targeted, the_setup, understood, work


def test_a_correction_is_typed_and_followed_by_the_documents_that_no_person_edited(acme: Workspace) -> None:
    """Customer types follow when they are asked for, and the chosen one stays."""
    found = targeted(acme)
    documents.save(acme, "style", "Be brief.")
    setup.save(acme, profile={"pitch": "we make rubber ducks", "topic": "ducks", "business": "Ducks."})
    found = the_setup(acme)
    assert found.profile is not None
    assert (found.profile["pitch"], found.profile["confirmed"]) == ("We make rubber ducks.", True)
    assert {"business", "pitch", "topic"} <= {*found.profile["typed"]}
    kept = documents.texts(acme)
    assert "rubber ducks" in kept["icp"]
    assert kept["style"] == "Be brief."
    before = (found.customer_type_id, found.targets)
    setup_stages.suggest(acme)
    found = the_setup(acme)
    assert (found.customer_type_id, found.targets) == before
    assert before[0] in [one["id"] for one in found.customer_types]


def test_the_full_stop_that_a_sentence_lacks_counts(acme: Workspace) -> None:
    understood(acme)
    for typed, kept in (("w" * 139, f"W{'w' * 138}."), ("w" * 139 + "!", f"W{'w' * 138}!")):
        setup.save(acme, profile={"proof": typed})
        assert (the_setup(acme).profile or {})["proof"] == kept
    with pytest.raises(InvalidRequest) as refused:
        setup.save(acme, profile={"proof": "w" * 140})
    assert [one.message for one in refused.value.fields] == ["Use at most 140 characters, with the full stop."]


def test_what_the_owner_typed_survives_another_reading() -> None:
    old = Profile(
        "B", "S", topic="ducks", typed=("topic",), facts=(Fact("Mine.", "owner", "Mine."),), dropped=("Gone",)
    )
    read = Profile(
        "B2", "S2", topic="bath toys", proof="Since 1990", facts=(Fact("G", "p", "Gone"), Fact("K", "p", "Kept"))
    )
    merged = profile_corrections.merged(serialization.profile_json(old), read)
    assert (merged.topic, merged.proof, merged.business) == ("ducks", "Since 1990", "B2")
    assert [fact.text for fact in merged.facts] == ["Mine.", "K"]
    for typed, customers in (((), ("labs",)), (("examples",), ("hotels",))):  # read from a description, or typed
        old = Profile("B", "S", examples=("hotels",), typed=typed)
        anew = profile_corrections.merged(serialization.profile_json(old), Profile("B2", "S2", examples=("labs",)))
        assert anew.examples == customers


def test_a_business_described_anew_is_looked_for_in_its_own_country(acme: Workspace) -> None:
    for description, country in (
        ("We service ovens for hotels in Denmark.", "DK"),
        ("We service freezers for laboratories in Portugal.", "PT"),
    ):
        setup_stages.analyze(acme, description=description)
        work()
        assert the_setup(acme).country == country
    setup.save(acme, country="Spain")
    setup_stages.analyze(acme, description="We service scales for bakeries in Italy.")
    work()
    assert the_setup(acme).country == "Spain"


def test_a_deleted_fact_is_gone_and_a_new_one_is_the_owners(acme: Workspace) -> None:
    with pytest.raises(Conflict):
        setup.save(acme, profile={"topic": "ducks"})
    first = understood(acme).profile
    assert first is not None
    kept = first["facts"][0]
    with pytest.raises(InvalidRequest) as refused:
        setup.save(acme, profile={"topic": "d" * 41, "tone": "loud"})
    assert {field.path for field in refused.value.fields} == {"profile.topic", "profile.tone"}
    setup.save(acme, profile={"facts": [{"text": kept["text"]}, {"text": "We deliver on Sundays."}]})
    found = the_setup(acme).profile
    assert found is not None
    assert (found["facts"][0], found["facts"][1]["page"], found["pitch"]) == (kept, "owner", first["pitch"])
    assert {fact["quote"] for fact in first["facts"][1:]} <= {*found["dropped"], kept["quote"]}


def test_what_messages_need_is_asked_when_nothing_says_it() -> None:
    empty = {"business": "", "summary": "", "category": ""}
    assert set(profile_corrections.asks(empty)) == {"pitch", "topic", "examples"}
    answered = {"pitch": "We sell ducks.", "topic": "ducks", "examples": ["Hotel Post"]}
    assert profile_corrections.asks(answered) == {}
    assert set(profile_corrections.asks({**answered, "kind": "service"})) == {"area"}
    assert profile_corrections.asks({**answered, "kind": "service", "area": "Lyon"}) == {}


def test_plays_wait_for_the_sentence_and_begin_once_it_is_there(acme: Workspace) -> None:
    targeted(acme)
    setup.save(acme, profile={"topic": ""})
    setup.save(acme, **ANSWERS)
    work()
    assert setup.view(acme).plays == []
    with pytest.raises(Conflict):
        setup.design(acme)
    setup.save(acme, profile={"topic": "booking software"})
    work()
    assert setup.view(acme).plays


def test_the_first_messages_follow_what_is_typed_and_nothing_is_saved(acme: Workspace) -> None:
    found = understood(acme)
    said = "We teach people to sail on weekends."
    told = profile_corrections.first_messages(acme, found, {"pitch": said})
    assert len(told) == profile_corrections.SHOWN
    assert said in told[1][1]
    assert profile_corrections.first_messages(acme, found, {"pitch": ""}) == []
    assert the_setup(acme).profile == found.profile
