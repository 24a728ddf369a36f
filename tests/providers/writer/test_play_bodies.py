"""What a model writes: pieces of a profile, and messages one by one, if its test messages pass the checks."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from typing import Any

import pytest

from app.ports import Site, SitePage
from app.ports.models import PIECES, WRITER, Probe
from app.ports.writer import Brief, Fact, PlayIdea, PlayStep, Profile
from app.providers.http import HttpClient
from app.providers.model import ChatModel
from app.providers.writer import BuiltInWriter, ModelWriter, sequences
from app.providers.writer.probe import briefs, probe
from tests.providers.scripted_model import BAIT, FALSE, NAME, Character, ScriptedModel
from tests.providers.writer.test_claim_check import BUSINESSES, of

TEXT = (
    "Alder Works repairs pumps for breweries and dairies. A repair takes two days and costs €300. "
    "We have worked in Graz since 1998."
)
PAGE = SitePage("https://pumps.example/", "Alder Works", "Pump repair for breweries", TEXT, (), "home")
SITE = Site("pumps.example", "Alder Works", "en", [PAGE], "AT")
FOUND = Profile("", "", name="Alder Works", pitch="We repair pumps for breweries and dairies.", topic="pump repair")
COLD = PlayIdea("cold", "", "", "", "", "")


class Spare(BuiltInWriter):
    """A built-in writer that has read the site."""

    def profile(self, site: Site | None, description: str) -> Profile:
        return FOUND


class Says(ScriptedModel):
    """A model that says what the test gives it, answer by answer, to whatever it is asked."""

    said: Iterator[Any]

    def _content(self, body: Any) -> str:
        return json.dumps(next(self.said))


@pytest.fixture
def says(running: Callable[[Says], Says]) -> Says:
    return running(Says())


def writer(model: ScriptedModel, mode: str = WRITER, within: float = 20.0) -> ModelWriter:
    chat = ChatModel(HttpClient(allow_private=True), model.url, "", NAME, 0, within=within, mode=mode)
    return ModelWriter(chat, Spare())


def message(*sentences: str, facts: tuple[int, ...] = (), subject: str = "Pump repair") -> dict[str, Any]:
    return {"subject": subject, "sentences": [{"text": one, "facts": list(facts)} for one in sentences]}


def prompts(model: ScriptedModel) -> str:
    return "\n".join(one["content"] for body in model.bodies for one in body["messages"])


def built_in(brief: Brief) -> list[PlayStep]:
    return list(BuiltInWriter().sequence(brief, COLD))


def test_a_model_writes_messages_only_if_its_test_messages_pass(start_model: Callable[..., ScriptedModel]) -> None:
    """Three businesses, one of them German, two messages each, without a second try."""
    good = start_model()
    assert probe(writer(good)._model) == Probe(WRITER, "6 of 6 test messages passed all checks.")
    assert len(good.bodies) == 6
    for character in (Character.LAUNDERING, Character.HOSTILE, Character.MALFORMED, Character.GERMAN):
        found = probe(writer(start_model(character))._model)
        assert (found.mode, found.why.startswith("0 of 6 ")) == (PIECES, True), character


def test_each_message_says_who_wrote_it_on_which_facts_and_for_how_many_tokens(
    start_model: Callable[..., ScriptedModel],
) -> None:
    """It is the model's own: greeting, variables and the end are ours."""
    model, brief = start_model(), briefs()[0]
    write = writer(model)
    shown = list[tuple[int, int]]()
    steps = write.sequence(brief, COLD, progress=lambda done, of: shown.append((done, of)))
    made = write.last().steps
    assert shown == [(done, 5) for done in range(5)]
    texts = {step.id: step.text for step in steps}
    assert (write.last().by, write.last().note) == (NAME, "")
    assert {one.by for one in made.values()} == {NAME}
    assert made["s3"].facts == (brief.profile.pitch,)
    assert all(one.tokens for one in made.values())
    assert texts["s3"] == (
        "Hi {{first_name|there}}, we repair pumps for breweries and dairies. "
        "How do you handle pump repair at {{company_name|your company}} today?"
    )
    email = next(step for step in steps if step.kind == "email")
    assert email.text.startswith("Hi {{first_name|there}},\n\n")
    assert email.text.endswith("Best regards,\n{{sender_name|Maya Lind}}\nAlder Pumps")


def test_no_text_of_the_built_in_writer_stands_in_a_prompt(start_model: Callable[..., ScriptedModel]) -> None:
    model = start_model()
    for brief in briefs():
        writer(model).profile(SITE, "")
        writer(model).sequence(brief, COLD)
        own = {brief.profile.pitch, brief.profile.change, brief.profile.proof}
        known = sequences.texts(brief.profile.language)["texts"]
        said = {one for key in ("note", "message", "more", "again", "email", "last_email") for one in known[key]}
        asked = prompts(model)
        assert [one for one in said - own if len(one) > 30 and one.split("{")[0][:30] in asked and one[:1] != "{"] == []
        assert not any(part in asked for step in built_in(brief) for part in [step.text] if part)


def test_a_model_that_keeps_to_pieces_writes_no_message(start_model: Callable[..., ScriptedModel]) -> None:
    model, brief = start_model(), briefs()[0]
    write = writer(model, PIECES)
    assert write.sequence(brief, COLD) == built_in(brief)
    assert (write.last().by, write.last().note, model.bodies) == ("built-in", "", [])


def test_what_is_slow_or_broken_is_written_by_the_built_in_writer_and_marked(
    start_model: Callable[..., ScriptedModel],
) -> None:
    """What was done before stays."""
    brief = briefs()[0]
    for character, within, why in ((Character.SLOW, 0.2, "took too long"), (Character.MALFORMED, 20.0, "not usable")):
        write = writer(start_model(character), within=within)
        assert write.sequence(brief, COLD, within) == built_in(brief)
        assert write.last().by == "built-in"
        assert "wrote 5 of 5 messages" in write.last().note
        assert why in write.last().note or "cannot be reached" in write.last().note
        assert {one.by for one in write.last().steps.values()} == {"built-in"}


def test_a_wrong_message_is_asked_for_twice_more_with_the_reason(says: Says) -> None:
    """Then the built-in text stands in for it alone, and says why."""
    brief = briefs()[0]
    good = message("I'm with Alder Pumps.", "I have a question about pump repair.")
    wrong = message("I'm with Alder Pumps, the market leader.", "I have a question about pump repair.")
    says.said = iter([wrong, good, *[wrong] * 3, *[message("No.", "No?", "No?")] * 99])
    write = writer(says)
    steps, made = write.sequence(brief, COLD), write.last().steps
    assert steps[1].text.startswith("Hi {{first_name|there}}, I'm with Alder Pumps. I have a question")
    assert "no such comparison or award" in says.bodies[1]["messages"][1]["content"]
    assert steps[2:] == built_in(brief)[2:]
    assert (made["s2"].by, made["s3"].by) == (NAME, "built-in")
    assert made["s3"].why
    assert len(says.bodies) == 2 + 4 * 3


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (["We repair pumps for breweries."], "asks 0 questions"),
        (["We repair pumps for breweries.", "Do you?", "Or not?"], "asks 2 questions"),
        (["See https://alder.example.", "Is that of use?"], "no links"),
        (["{{custom.anything}} is new.", "Is that of use?"], "variables that are named"),
        (["Wir reparieren Pumpen für Brauereien.", "Machen Sie das selbst?"], "write in English"),
        (["Congratulations on the new role.", "Is pump repair on your list?"], "another occasion"),
        (["A greeting with the first name stands above it.", "Is that of use?"], "do not copy"),
        (["We repair pumps. " * 15, "We repair pumps. " * 15, "Is that of use?"], "words with the greeting"),
        (["We spoke last week about pump repair.", "Is that of use?"], "happened between you"),
    ],
)
def test_form_language_and_occasion_are_checked_before_claims(says: Says, said: list[str], why: str) -> None:
    brief, steps = briefs()[0], built_in(briefs()[0])
    says.said = iter([message(*said, subject="")] * 99)
    write = writer(says)
    write.sequence(replace(brief, channel="social"), COLD)
    assert why in prompts(says)
    assert write.last().steps[steps[2].id].by == "built-in"


def test_no_lie_reaches_a_message_or_a_profile(says: Says) -> None:
    """Whatever else stands in the message, and whichever fact it names."""
    for one in BUSINESSES[:8]:
        brief, lies = of(one), one["lies"]
        says.said = (
            message(f"{one['pitch']} {lies[number % len(lies)]}", "Ist das etwas für Sie?", facts=(1,))
            for number in range(999)
        )
        steps = writer(says).sequence(brief, COLD)
        assert [lie for lie in lies if any(lie in step.text for step in steps)] == [], one["name"]
        quote = next(said for said in TEXT.split(". ") if said.startswith("Alder"))
        for some in (lies[n : n + 2] for n in range(0, len(lies), 2)):  # as many as an answer has room for
            pitches = [{"quote": f"{quote}.", "sentence": lie, "topic": "pumps"} for lie in some]
            details = [{"quote": f"{quote}.", "sentence": lie} for lie in some]
            says.said = repeat({"pitches": pitches, "details": details})
            found = writer(says).profile(SITE, "")
            assert (found.candidates, found.facts) == ((), ())


def test_pieces_rest_on_a_sentence_of_the_page_and_wait_for_a_tick(says: Says) -> None:
    """The quotation is one of those that the schema lists; one retry with another seed, without a reason."""
    quotes = {
        "costs": "A repair takes two days and costs €300.",
        "who": "Alder Works repairs pumps for breweries and dairies.",
    }
    lie = {"quote": quotes["who"], "sentence": "We guarantee every pump.", "topic": "pumps"}
    says.said = iter(
        [
            {"pitches": [lie], "details": []},
            {
                "pitches": [{**lie, "sentence": "We repair pumps for dairies and breweries."}, lie],
                "details": [
                    {"quote": quotes["costs"], "sentence": "A repair costs €300 and takes two days."},
                    {"quote": quotes["who"], "sentence": "We repair pumps for breweries."},
                ],
            },
        ]
    )
    found = writer(says, PIECES).profile(SITE, "")
    assert [(one.pitch, one.page, one.quote, one.topic) for one in found.candidates] == [
        ("We repair pumps for dairies and breweries.", PAGE.url, quotes["who"], "pumps")
    ]
    assert found.facts == (Fact("A repair costs €300 and takes two days.", PAGE.url, quotes["costs"], "detail"),)
    assert found.pitch == FOUND.pitch
    schema = says.bodies[0]["response_format"]["json_schema"]["schema"]
    assert set(quotes.values()) <= set(schema["$defs"]["ModelDetail"]["properties"]["quote"]["enum"])
    assert [body.get("seed") for body in says.bodies] == [None, 1]
    assert "guarantee" not in says.bodies[1]["messages"][1]["content"]


def test_a_ticked_detail_is_said_and_an_unticked_one_is_not() -> None:
    brief, detail = briefs()[0], Fact("A repair costs €300.", PAGE.url, "A repair costs €300.", "detail")
    for ticked in (False, True):
        facts = (replace(detail, quotable=ticked),)
        steps = built_in(replace(brief, profile=replace(brief.profile, facts=facts)))
        assert any(detail.text in step.text for step in steps) == ticked


def test_bait_on_a_page_reaches_nothing(start_model: Callable[..., ScriptedModel]) -> None:
    for character in (Character.HOSTILE, Character.LAUNDERING):
        write = writer(start_model(character))
        found, steps = write.profile(SITE, ""), write.sequence(briefs()[0], COLD)
        assert found == FOUND
        assert not any(said in step.text for step in steps for said in (BAIT, FALSE))


def test_a_wish_in_free_words_is_for_a_model_that_writes(says: Says) -> None:
    """Its words are checked as all are; one that keeps to pieces is not asked, and the answer says so."""
    brief = briefs()[0]
    steps = built_in(brief)
    for said, kept in (("we repair pumps for dairies.", True), ("we are the market leader for dairies.", False)):
        text = f"Hi {{{{first_name|there}}}}, {said}"
        answer = [{"id": step.id, "text": text, "subject": "Pumps"} for step in steps if step.text]
        says.said, write = iter([{"steps": answer}] * 2), writer(says)
        change = write.change(brief, COLD, steps, "Speak of the dairies alone, please")
        assert all((step.text == text) == kept for step in change.steps if step.text)
        assert write.last().by == (NAME if kept else "built-in")
        assert {step.subject for step in change.steps if step.kind != "email"} == {""}
    says.bodies.clear()
    write = writer(says, PIECES)
    change = write.change(brief, COLD, steps, "Speak of the dairies alone, please")
    assert says.bodies == []
    assert "keeps to pieces" in change.reply
