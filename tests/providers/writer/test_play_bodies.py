"""The messages of a play come sentence by sentence, and each rests on the quote of the fact it names."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from app.ports import ANGLES, Site, SitePage
from app.ports.writer import Brief, PlayStep
from app.providers.http import HttpClient
from app.providers.model import ChatModel
from app.providers.writer import BuiltInWriter, ModelWriter
from tests.providers.scripted_model import NAME, ScriptedModel

TEXT = (
    "Alder Works repairs pumps for breweries and dairies. A repair takes two days and costs €300. "
    "We have worked in Graz since 1998."
)
PAGE = SitePage("https://pumps.example/", "Alder Works", "Pump repair", TEXT, (), "home")
SITE = Site("pumps.example", "Alder Works", "en", [PAGE], "AT")
# A true quote stands under each of these, and none of them is what it says.
LAUNDERED = (
    "We repair pumps for every brewery in Austria.",
    "A repair takes two days and costs €200.",
    "We are the only workshop that repairs pumps for breweries.",
    "Our customers save 40% on pump repairs.",
    "We repair pumps and guarantee them for five years.",
    "We have worked in Graz and Vienna since 1998.",
    "A repair takes two days and is free for new customers.",
    "We never take longer than two days for a repair.",
    "More than 300 breweries have their pumps repaired by us.",
    "We are certified to repair pumps for breweries and dairies.",
    "Dairies lose €300 with every pump that we do not repair.",
    "The Lark Dairy has its pumps repaired by us.",
    "Your brewery loses two days with every repair.",
)
Sentences = list[tuple[str, str]]  # each with the words of the fact that it names, or ''


class Says(ScriptedModel):
    """A model that says the same sentences in every message, and finds every claim supported."""

    said: Sentences = []
    repaired: Sentences | None = None

    def _content(self, body: Any) -> str:
        asked = body["messages"][1]["content"]
        if "verdicts" in asked:
            return super()._content(body)
        given = json.loads(asked.split("\n\n")[1].split("\n")[1])
        several = self.repaired if self.repaired and "not right yet" in asked else self.said
        parts = []
        for text, rests_on in several:
            named = [one["id"] for one in given["facts"] if rests_on and rests_on in one["quote"]][:1]
            parts.append({"text": text, "facts": named, "paragraph": bool(parts)})
        subjects = {one["id"]: "Pumps" * (one["kind"] == "email") for one in given["steps"]}
        steps = [{"id": name, "subject": subject, "sentences": parts} for name, subject in subjects.items()]
        return json.dumps({"steps": steps})


@pytest.fixture
def model(running: Callable[[Says], Says]) -> Says:
    return running(Says())


def write(model: Says, said: Sentences, repaired: Sentences | None = None) -> tuple[list[PlayStep], ModelWriter]:
    """Write the messages of one play with a model that says this."""
    model.said, model.repaired, model.bodies = said, repaired, []
    chat = ChatModel(HttpClient(allow_private=True), model.url, "", NAME, 0, within=20.0)
    writer = ModelWriter(chat, BuiltInWriter())
    return list(writer.sequence(brief(), BuiltInWriter().plays(brief(), ANGLES[:1])[0])), writer


def brief() -> Brief:
    return Brief(BuiltInWriter().profile(SITE, ""), sender_name="Maya Lind")


def test_sentences_that_name_their_facts_become_the_message(model: Says) -> None:
    said = [
        ("Hi {{first_name|there}},", ""),
        ("we repair pumps for breweries.", "breweries"),
        ("A repair takes two days.", "two days"),
        ("Who looks after pumps at {{company_name|your company}}?", ""),
    ]
    steps, writer = write(model, said)
    whole = "\n\n".join(text for text, _ in said)
    assert {step.text for step in steps if step.text} == {whole}
    assert (writer.last().by, writer.last().note) == (NAME, "")


def test_the_same_words_under_another_fact_or_none_are_refused(model: Says) -> None:
    """The model is told once what is wrong, and the built-in writer's text stands in."""
    for claim, rests_on, problem in (
        ("A repair takes two days.", "breweries", "Nothing that was read or typed says this."),
        ("A repair takes two days.", "", "name the fact that says this."),
        ("We repair pumps for airports.", "breweries", "Nothing that was read or typed says this."),
    ):
        steps, writer = write(model, [("Hi {{first_name|there}},", ""), (claim, rests_on)])
        assert not any(claim in step.text for step in steps)
        assert writer.last().by == "built-in"
        assert problem in model.bodies[1]["messages"][1]["content"]


def test_only_what_was_wrong_is_written_a_second_time(model: Says) -> None:
    good: Sentences = [("Hi {{first_name|there}}, we repair pumps for breweries.", "breweries")]
    steps, writer = write(model, [("We are the market leader.", "breweries")], good)
    assert {step.text for step in steps if step.text} == {good[0][0]}
    assert "a second time" in writer.last().note


def test_no_true_quote_launders_a_false_claim(model: Says) -> None:
    """Whichever of the business's facts it names, and although the model finds it supported."""
    let_through = []
    for claim, rests_on in product(LAUNDERED, ("breweries", "two days", "1998")):
        steps, _ = write(model, [("Hi {{first_name|there}},", ""), (claim, rests_on)])
        let_through += [(claim, rests_on)] if any(claim in step.text for step in steps) else []
    assert let_through == []
