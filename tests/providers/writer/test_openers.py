"""The opener of one person: each sentence rests on the quote it names, whatever the model is like."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from app.ports.writer import Brief, Evidence, Opener, PlayIdea, Profile, Sentence
from app.providers.http import HttpClient
from app.providers.model import ChatModel
from app.providers.writer import BuiltInWriter, ModelWriter, material
from tests.providers.scripted_model import FALSE_OF_THEM, NAME, Character, ScriptedModel
from tests.providers.writer.test_claim_check import BUSINESSES, of

QUOTE = "The Lark Dairy opened a second plant in Leeds in 2026."
EVIDENCE = (
    Evidence(1, "title", "Title", "Head of Purchasing at Lark Dairy", "https://net.example/in/anna", "2026-11-01"),
    Evidence(2, "company", "Website of Lark Dairy", QUOTE, "https://lark.example/about", "2026-11-20"),
    Evidence(3, "business", "Your profile", "A repair takes two days and costs €300."),
)
COLD = PlayIdea("cold", "", "", "", "", "")
Write = Callable[..., Opener]


def brief(language: str = "en") -> Brief:
    profile = Profile("", "", language=language, name="Alder Works", pitch="We repair pumps for breweries and dairies.")
    return Brief(profile, sender_name="Maya Lind", recipient="Anna Berg, Lark Dairy", evidence=EVIDENCE)


@pytest.fixture
def models() -> list[ScriptedModel]:
    return []


@pytest.fixture
def write(models: list[ScriptedModel], start_model: Callable[..., ScriptedModel]) -> Write:

    def opener(character: Character, within: float = 20.0, one: Brief | None = None) -> Opener:
        models.append(model := start_model(character))
        client = HttpClient(allow_private=True)
        writer = ModelWriter(ChatModel(client, model.url, "", NAME, 0, within=within), BuiltInWriter())
        return writer.opener(one or brief(), COLD, "Hi Anna, would a call help?")

    return opener


def problems(*said: Sentence, text: str = "") -> list[tuple[str, str]]:
    """What is found in a text that begins with these sentences."""
    one = replace(brief(), opener=said)
    found = BuiltInWriter().check(one, text or " ".join(each.text for each in said), ["Anna", "Lark Dairy"])
    return [(each.words, each.about) for each in found]


def test_a_good_models_sentences_name_the_fact_they_rest_on(write: Write, models: list[ScriptedModel]) -> None:
    """The language that was chosen stands in the rules, where no stranger writes, and is that of the sentences."""
    opener = write(Character.GOOD)
    assert [(one.text, one.facts) for one in opener.sentences] == [
        (f"I read on your website: {QUOTE}", (2,)),
        ("That is why I write to you.", (2,)),
    ]
    assert (opener.note, opener.later) == ("", False)
    assert write(Character.GERMAN, one=brief("de")).sentences[0].text == f"Auf Ihrer Website steht: {QUOTE}"
    assert "Write in German" in models[1].bodies[0]["messages"][0]["content"]


def test_a_late_or_broken_answer_leaves_the_text_of_the_play_alone(write: Write) -> None:
    for character, within in ((Character.SLOW, 0.3), (Character.MALFORMED, 20.0)):
        opener = write(character, within)
        assert opener.sentences == ()
        assert opener.note.startswith(f"No opener: the model {NAME} did not write one, because ")


def test_no_bait_and_no_false_claim_gets_through(write: Write, models: list[ScriptedModel]) -> None:
    """The answer is asked for once more with what is wrong, then each such part is left out with the reason."""
    for character in (Character.HOSTILE, Character.LAUNDERING):
        opener = write(character)
        assert opener.sentences == []
        assert all(f"{part} was left out" in opener.note for part in ("opener", "reason"))
        assert len(models[-1].bodies) == 2
        assert "not right yet" in models[-1].bodies[1]["messages"][-1]["content"]


def test_a_model_is_asked_with_facts_and_a_budget_only(write: Write, models: list[ScriptedModel]) -> None:
    """The first answer counts 900 tokens, so that a budget of 100 is over."""
    assert (write(Character.GOOD, one=replace(brief(), evidence=EVIDENCE[2:])).sentences, models[0].bodies) == ((), [])
    writer = ModelWriter(ChatModel(HttpClient(allow_private=True), models[0].url, "", NAME, 100), BuiltInWriter())
    writer.opener(brief(), COLD, "")
    second = writer.opener(brief(), COLD, "")
    assert (second.sentences, second.later) == ((), True)


def test_a_claim_is_compared_with_the_quote_it_names_alone() -> None:
    """Other facts, those of the other side too, do not support it; what is said of the recipient comes first."""
    said = "You opened a second plant in Leeds."
    assert problems(Sentence(said, (2,))) == []
    assert problems(Sentence(said, (1,))) == [(said, "recipient")]
    assert problems(Sentence(FALSE_OF_THEM, (2,)))[0] == (FALSE_OF_THEM, "recipient")
    theirs = "We opened a second plant in Leeds in 2026."
    assert [words for words, _ in problems(Sentence(theirs, (3,)))] == [theirs]
    assert problems(Sentence("Our repair takes two days.", (3,))) == []


def test_no_lie_becomes_an_opener_or_an_answer() -> None:
    """Whichever facts it names: none, what they wrote, or what we say of ourselves."""
    wrote = Evidence(1, "conversation", "Their message", "Who are you, and what does it cost?")
    passed = []
    for one in BUSINESSES:
        ours = [Evidence(10 + n, "business", "Your profile", one[name]) for n, name in enumerate(("pitch", "change"))]
        known = [Evidence(2 + n, "signal", "Signal", said) for n, said in enumerate(one["known"])]
        given = replace(of(one), evidence=[wrote, *known, *ours])
        for lie, named in product(one["lies"], ((), (1,), (2,), (10, 11))):
            said = Sentence(lie, named)
            passed += [] if material.reply_problems(given, [said]) else [lie]
            if named in ((1,), (2,)):  # an opener that names no fact of theirs is refused for that
                passed += [] if material.opener_problems(given, "opener", said) else [lie]
    assert passed == []


def test_an_edited_sentence_about_the_recipient_may_rest_on_any_of_their_facts() -> None:
    assert problems(text="As Head of Purchasing at Lark Dairy, you opened a plant in York.") != []
    assert problems(text="You opened a second plant in Leeds in 2026.") == []
    assert problems(text="We opened a second plant in Leeds in 2026.") != []
