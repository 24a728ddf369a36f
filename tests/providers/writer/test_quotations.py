"""Messages quote the website only where its owner ticked that."""

from dataclasses import replace

from app.ports.writer import Brief, Fact, Profile
from app.providers.writer import sequences
from app.providers.writer.claims import claim_check

QUOTE = "Parcelwise cut its tickets by a third"
PAGE = "https://tidemark.example/"
SITE = Fact(QUOTE, PAGE, f"{QUOTE} in two months.", "proof")
PROFILE = Profile("B", "S", name="Tidemark", sells="support software", proof=QUOTE, facts=(SITE,))


def letters(profile: Profile) -> str:
    return "\n".join(step.text for step in sequences.steps(Brief(profile), "cold"))


def objected(profile: Profile, text: str) -> list[str]:
    """The quotations in a text that need a tick."""
    found = claim_check.problems(Brief(profile), text)
    return [one.words for one in found if "quotes your website" in one.sentence]


def test_the_words_of_the_website_need_a_tick() -> None:
    """What the owner typed is no quotation, and neither are two words in quotation marks."""
    ticked = replace(PROFILE, facts=(replace(SITE, quotable=True),))
    assert QUOTE not in letters(PROFILE)
    assert QUOTE in letters(ticked)
    for page in ("owner", "description"):
        assert QUOTE in letters(replace(PROFILE, facts=(replace(SITE, page=page),))), page
    for marks in ("“{}”", "„{}“", '"{}"', "« {} »"):
        text = f"Hello, our site says {marks.format(QUOTE)}. Is that of use?"
        assert (objected(PROFILE, text), objected(ticked, text)) == ([QUOTE], []), marks
    assert objected(PROFILE, "Hello, what does “a third” mean to you?") == []
