"""Messages quote the website only where its owner ticked that."""

from dataclasses import replace

import pytest

from app.ports.writer import Brief, Fact, Profile
from app.providers.writer import sequences
from app.providers.writer.claims import claim_check

QUOTE = "Parcelwise cut its tickets by a third"
PAGE = "https://tidemark.example/"
SITE = Fact(QUOTE, PAGE, f"{QUOTE} in two months.", "proof")
PROFILE = Profile("B", "S", name="Tidemark", sells="support software", proof=QUOTE, facts=(SITE,))


def letters(profile: Profile) -> str:
    return "\n".join(step.text for step in sequences.steps(Brief(profile), "cold"))


def test_the_words_of_the_website_need_a_tick() -> None:
    assert QUOTE not in letters(PROFILE)
    assert QUOTE in letters(replace(PROFILE, facts=(replace(SITE, quotable=True),)))


@pytest.mark.parametrize("page", ["owner", "description"])
def test_what_the_owner_typed_is_no_quotation(page: str) -> None:
    assert QUOTE in letters(replace(PROFILE, facts=(replace(SITE, page=page),)))
    assert QUOTE in letters(replace(PROFILE, facts=()))


@pytest.mark.parametrize("marks", ["“{}”", "„{}“", '"{}"', "« {} »"])
def test_a_quotation_without_a_tick_is_objected_to(marks: str) -> None:
    text = f"Hello, our site says {marks.format(QUOTE)}. Is that of use?"
    found = [one.words for one in claim_check.problems(Brief(PROFILE), text) if "quotes your website" in one.sentence]
    assert found == [QUOTE]
    ticked = replace(PROFILE, facts=(replace(SITE, quotable=True),))
    assert not [one for one in claim_check.problems(Brief(ticked), text) if "quotes your website" in one.sentence]


def test_two_words_in_quotation_marks_are_no_quotation() -> None:
    text = "Hello, what does “a third” mean to you?"
    assert not [one for one in claim_check.problems(Brief(PROFILE), text) if "quotes your website" in one.sentence]
