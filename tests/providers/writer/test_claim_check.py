"""The claim check: what was read or typed may be said, in several languages, and nothing else."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.ports.writer import ANGLES, Brief, Evidence, Fact, Profile
from app.providers.writer import sequences
from app.providers.writer.claims.claim_check import links, problems

BUSINESSES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "claims.toml").read_text(encoding="utf-8"))[
    "business"
]
PAGE = "https://alder.example/"
# A quotation and a sentence that says the same, in other forms of the words, and with a number in words or digits.
SAID = [
    ("Pump repair for breweries since 1998", "We have repaired pumps for breweries since 1998."),
    ("Free delivery within five days", "Delivery is free within 5 days."),
    ("Wartung von Pumpen und Ventilen", "Wir warten Pumpen und Ventile."),
    ("Established in 1998, Alder Works repairs pumps", "Alder Works was founded in 1998."),
    ("Inspection of all pump types", "We inspect pumps of every type."),
]
# A quotation and a sentence that says more: a number, a name, the opposite.
SAID_MORE = [
    ("Pump repair for breweries since 1998", "We have repaired pumps for breweries since 1978."),
    ("A repair costs €300 for breweries", "300 breweries have their pumps repaired by us."),
    ("Pump repair for breweries", "Heineken lets us repair its pumps."),
    ("Alder Works never subcontracts a repair", "We subcontract a repair."),
]
CLAIMS_NOTHING = [
    "Congratulations on the Series A!",
    "How do you handle DeFi reporting today?",
    "Wäre ein kurzes Gespräch für Sie interessant?",
    "Wenn die Wartung der Pumpen ein Thema ist, melden Sie sich gern.",
    "Would 15 minutes on Tuesday suit you?",
    "What is the best time for a short call?",
    "Hi Anna, thanks for connecting.",
    "Best regards,\nMaya Lind",
]


def of(one: dict[str, Any]) -> Brief:
    """The brief of a business of the lists."""
    known = {name: one[name] for name in ("language", "name", "pitch", "topic", "change", "proof")}
    facts = tuple(Fact(said, PAGE, said, "detail", quotable=True) for said in one["details"])
    evidence = [Evidence(number, "signal", "Signal", said) for number, said in enumerate(one["known"], 1)]
    return Brief(
        Profile("", "", facts=facts, confirmed=True, **known),
        offer=one["offer"], sender_name=one["sender"], recipient=one["recipient"], evidence=evidence,
    )  # fmt: skip


def brief(*quotes: str, **profile: Any) -> Brief:
    facts = [Fact(one, PAGE, one, "claim", quotable=True) for one in quotes]
    return Brief(Profile("", "", name="Alder Works", facts=facts, **profile), sender_name="Maya Lind")


def objected(text: str, *quotes: str, known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(one.words, one.about) for one in problems(brief(*quotes), text, known)]


def test_no_lie_passes_and_few_honest_sentences_are_refused() -> None:
    """They stand alone and in a message; at most three of fifty honest ones may be refused."""
    honest = [said for one in BUSINESSES for said in one["honest"]]
    assert {one["language"] for one in BUSINESSES} == set(sequences.LANGUAGES)
    lies = [said for one in BUSINESSES for said in one["lies"] if not problems(of(one), said)]
    refused = [said for one in BUSINESSES for said in one["honest"] if problems(of(one), said)]
    assert lies == []
    assert len(refused) <= 3 * len(honest) // 50
    english = BUSINESSES[0]
    message = f"Hi Tom,\n\n{english['pitch']} {{}} Would a call be useful?\n\nBest regards,\n{english['sender']}"
    for said in english["lies"]:
        assert [one.words for one in problems(of(english), message.format(said))] == [said]


@pytest.mark.parametrize("one", BUSINESSES[:8], ids=lambda one: str(one["name"]))
def test_the_built_in_writers_own_texts_say_only_what_is_known(one: dict[str, Any]) -> None:
    """As a template, and filled in for a person."""
    values = {"first_name": one["recipient"].split()[0], "company_name": one["recipient"].split(", ")[1]}
    told = set()
    for angle in ANGLES:
        fact = sequences.texts(one["language"])[angle.code].get("fact", "")
        known = (fact, "Nordlicht") if angle.code == "former_customers" else ("Nordlicht",)
        for step in sequences.steps(of(one), angle.code):
            filled = re.sub(r"\{\{([\w.]+)\|[^}]*\}\}", lambda it: values.get(it[1], "Nordlicht"), step.text)
            told |= {(text, known) for text in (step.text, filled, step.subject)}
    assert [text for text, known in told if problems(of(one), text, known)] == []


def test_a_sentence_may_say_what_its_quotation_says_and_no_more() -> None:
    assert [(quote, text, found) for quote, text in SAID if (found := objected(text, quote))] == []
    assert [(quote, text) for quote, text in SAID_MORE if objected(text, quote) != [(text, "business")]] == []


def test_what_the_founder_said_settles_a_sentence_in_parts_and_joined() -> None:
    """Whatever it says, also in the middle of another sentence, and as soon as it is typed or stood by."""
    bold = "We are the best bakery in town, and every customer comes back."
    for own in (
        brief(pitch=bold),
        brief(stands=(bold,)),
        replace(brief(), offer=bold),
        replace(brief(), profile=replace(brief().profile, facts=(Fact(bold, "owner", bold),))),
    ):
        for said in (bold, "We are the best bakery in town.", "To add one thing: every customer comes back."):
            assert list(problems(own, said)) == [], said
        assert list(problems(own, "We are the best bakery in France.")) != []
    both = brief(pitch="We bake for hotels.", proof="Three of them won the Golden Whisk.")
    assert list(problems(both, "We bake for hotels, and three of them won the Golden Whisk.")) == []


def test_what_a_fact_is_said_to_mean_proves_nothing_and_an_unticked_one_neither() -> None:
    claim = "We cut the costs of every brewery by 40%."
    fact = Fact(claim, PAGE, "Pump repair", "claim", quotable=True)
    assert problems(Brief(Profile("", "", facts=(fact,))), claim)
    unticked = Fact("Pump repair", PAGE, "Pump repair for breweries", "claim")
    assert problems(Brief(Profile("", "", facts=(unticked,))), "We repair pumps for breweries.")
    assert problems(replace(brief("Pump repair"), icp=claim, style=claim), claim)


def test_questions_wishes_and_greetings_claim_nothing_but_hide_no_claim() -> None:
    known = ("Anna", "Pine Labs raised a Series A of $4 million")
    assert [text for text in CLAIMS_NOTHING if objected(text, "Pump repair", known=known)] == []
    for text in ("Did you know that we halve the costs of breweries?", "Would you like to save 40%?"):
        assert [words for words, _ in objected(text, "Pump repair")] == [text]


def test_what_is_claimed_of_the_recipient_comes_first() -> None:
    known = ("Anna", "Head of Operations", "Nordfrakt", "Nordfrakt is hiring a Warehouse Manager")
    assert objected("I saw that you are Head of Operations at Nordfrakt.", known=known) == []
    assert objected("We won an award. Nordfrakt is losing drivers.", known=known) == [
        ("Nordfrakt is losing drivers.", "recipient"),
        ("We won an award.", "business"),
    ]


def test_what_they_wrote_may_be_spoken_of_once_they_did() -> None:
    text = "Thank you for your message about pump repair."
    wrote = Evidence(1, "conversation", "Their message", "What does a pump repair cost?")
    assert problems(brief("Pump repair"), text)
    assert list(problems(replace(brief("Pump repair"), evidence=[wrote]), text)) == []


def test_the_words_of_the_website_need_a_tick() -> None:
    """What the owner typed is no quotation, and neither are two words in quotation marks."""
    cut = "Parcelwise cut its tickets by a third"
    fact = Fact(cut, PAGE, f"{cut} in two months.", "proof")

    def unticked(one: Fact, text: str) -> list[str]:
        found = problems(Brief(Profile("", "", facts=(one,))), text)
        return [it.words for it in found if "quotes your website" in it.sentence]

    for marks in ("“{}”", "„{}“", '"{}"', "« {} »"):
        text = f"Hello, our site says {marks.format(cut)}. Is that of use?"
        assert (unticked(fact, text), unticked(replace(fact, quotable=True), text)) == ([cut], []), marks
    assert unticked(replace(fact, page="owner"), f"Our site says “{cut}”.") == []
    assert unticked(fact, "Hello, what does “a third” mean to you?") == []
    assert list(problems(brief(cut), f"From our website: “{cut}.”")) == []


def test_links_that_are_not_ours_and_broken_rules_are_named() -> None:
    """Also where nothing is claimed."""
    ruled = replace(brief("Pump repair"), rules=("Never mention AI.",))
    for text, words in (
        ("See https://alder.example/ for more.", None),
        ("See https://evil.example/pay for more.", "https://evil.example/pay"),
        ("Write to boss@evil.example now.", "boss@evil.example"),
        ("See evil.shop for more.", "evil.shop"),
        ("See evil.top/pay for more.", "evil.top/pay"),
        ("See злой.рф for more.", "злой.рф"),
        ("See EVIL.CLUB for more.", "EVIL.CLUB"),
        ("See 192.168.0.1/pay for more.", "192.168.0.1/pay"),
        ("See 10.0.0.1:8080/pay for more.", "10.0.0.1:8080/pay"),
        ("See [2001:db8::1]/pay for more.", "[2001:db8::1]/pay"),
        ("See xn--e1afmkfd.xn--p1ai for more.", "xn--e1afmkfd.xn--p1ai"),
        ("See evil。shop for more.", "evil。shop"),
        ("See ｅｖｉｌ．ｃｏｍ for more.", "ｅｖｉｌ．ｃｏｍ"),
        ("See ev\u200bil.com for more.", "ev\u200bil.com"),
        ("Do you use node.js now.So it goes, z.B. at St.Gallen?", None),
        ("Is AI a topic for you?", "AI"),
    ):
        assert [one.words for one in problems(ruled, text)] == ([words] if words else []), text
    assert links("In version 1.2.3.4 from 10.30, at 3.5 percent.") == []
