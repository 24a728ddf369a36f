"""The scripted model behaves as its character says, and the product keeps to its own rules with each of them."""

import json
from collections.abc import Callable, Iterator

import pytest

from app.ports import ANGLES, Site, SitePage
from app.ports.writer import Brief, Profile
from app.providers.http import HttpClient
from app.providers.model import ChatModel
from app.providers.writer import BuiltInWriter, ModelWriter
from tests.providers.scripted_model import BAIT, FALSE, GERMAN, NAME, Character, ScriptedModel

URL = "https://pumps.example/"
TEXT = "Alder Works repairs pumps for breweries and dairies. A repair takes two days and costs €300."
SITE = Site("pumps.example", "Alder Works", "en", [SitePage(URL, "Alder Works", "Pump repair", TEXT, (), "home")], "DE")
Start = Callable[..., ScriptedModel]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts models."""
    started: list[ScriptedModel] = []

    def model(character: Character, waits: float = 5.0) -> ScriptedModel:
        started.append(ScriptedModel(character, waits))
        return started[-1]

    yield model
    for one in started:
        one.stop()


def writer(model: ScriptedModel, within: float = 20.0) -> ModelWriter:
    """A writer that asks this model."""
    return ModelWriter(
        ChatModel(HttpClient(allow_private=True), model.url, "", NAME, 0, within=within), BuiltInWriter()
    )


def brief(profile: Profile) -> Brief:
    """Everything known at the time of writing messages."""
    return Brief(profile, BuiltInWriter().customer_types(profile)[0], sender_name="Maya Lind")


def texts(given: ModelWriter) -> list[str]:
    """What is written for a play of the business as the built-in writer knows it."""
    one = brief(BuiltInWriter().profile(SITE, ""))
    idea = BuiltInWriter().plays(one, ANGLES[:1])[0]
    return [step.text for step in given.sequence(one, idea)]


def test_every_answer_of_a_good_model_is_taken(start: Start) -> None:
    """It fills in every schema from the material, so that the built-in writer never stands in."""
    given = writer(start(Character.GOOD))
    profile = given.profile(SITE, "")
    assert (given.last().by, profile.facts[0].quote) == (NAME, "Alder Works repairs pumps for breweries and dairies.")
    assert len(given.customer_types(profile)) == 5
    assert given.last().by == NAME
    assert any("Could this be of use to you?" in text for text in texts(given))
    assert given.last().by == NAME


@pytest.mark.parametrize("character", [Character.SLOW, Character.MALFORMED])
def test_when_it_is_late_or_breaks_off_the_built_in_writer_writes(start: Start, character: Character) -> None:
    """And the note says so."""
    given = writer(start(character), within=0.3 if character is Character.SLOW else 20.0)
    assert given.profile(SITE, "") == BuiltInWriter().profile(SITE, "")
    assert given.last().by == "built-in"
    assert given.last().note.startswith(f"The model {NAME} did not write this")


def test_no_link_of_a_hostile_model_gets_through(start: Start) -> None:
    """Whatever it was made to write."""
    given = writer(start(Character.HOSTILE))
    profile = given.profile(SITE, "")
    assert BAIT not in json.dumps([profile.business, profile.summary, *(fact.text for fact in profile.facts)])
    assert not any(BAIT in text for text in texts(given))


def test_an_invented_claim_in_a_message_is_refused(start: Start) -> None:
    """Numbers and superlatives that no source has are no part of a message."""
    model = start(Character.LAUNDERING)
    assert not any(FALSE in text for text in texts(writer(model)))
    assert any(FALSE in str(body["messages"]) for body in model.bodies)  # it was told what is wrong with its answer


def test_a_german_model_answers_in_german(start: Start) -> None:
    """Its words arrive as it wrote them."""
    model = start(Character.GERMAN)
    texts(writer(model))
    assert GERMAN in model.answers[-1]


@pytest.mark.parametrize("path", ["/v1/models", "/api/tags"])
def test_its_model_is_listed_for_both_contracts(start: Start, path: str) -> None:
    """So that it can be found."""
    answer = HttpClient(allow_private=True).call("GET", start(Character.GOOD).address + path, {}, most=9000, within=5.0)
    assert NAME in answer.body.decode()


def test_the_native_chat_answers_in_the_schema_of_its_format(start: Start) -> None:
    """As Ollama does."""
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    asked = {"model": NAME, "messages": [{"role": "user", "content": "Hello."}], "format": schema, "stream": False}
    headers = {"content-type": "application/json"}
    address = f"{start(Character.GOOD).address}/api/chat"
    sent = json.dumps(asked).encode()
    answer = HttpClient(allow_private=True).call("POST", address, headers, sent, most=9000, within=5.0)
    assert list(json.loads(json.loads(answer.body)["message"]["content"])) == ["word"]
