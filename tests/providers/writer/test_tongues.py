"""The sentences of the built-in writer: whole in every language, with every choice."""

import re

from app.ports import ANGLES
from app.ports.writer import Brief, Profile
from app.providers.writer import BuiltInWriter
from app.providers.writer.tongues import ENGLISH, TONGUES, every, note, tongue_of
from tests.providers.writer.test_writer import WRITER, brief

KEYS = {"note", "first", "ask", "letter", "close", "subject", "last"}
MARKS = set("first company title opening round technology news name sells short change proof offer".split())


def test_every_language_has_a_whole_sentence_for_every_reason_to_write() -> None:
    """With every choice, and with no variable that is not filled in."""
    for code, tongue in TONGUES.items():
        assert set(tongue.angles) == {angle.code for angle in ANGLES}
        assert all(set(several) == KEYS for several in tongue.angles.values())
        assert set(tongue.common) == set(ENGLISH.common)
        patterns = [*tongue.common.items(), *(item for several in tongue.angles.values() for item in several.items())]
        for key, one in ((key, one) for key, pattern in patterns for one in every(pattern)):
            assert not re.search(r"  |[\[\]|]|\.\.| [,.;]|,,|\b(\w{3,}) \1\b", one), one
            assert set(re.findall(r"\{(\w+)\}", one)) <= MARKS, one
            if key in ("note", "first", "ask", "letter", "close", "last", "call", "close_call", "right"):
                assert one.endswith((".", "?")), one
            assert code != "es" or one.count("¿") == one.count("?"), one


def test_another_language_gets_english_and_a_word_about_it() -> None:
    assert tongue_of("pl") is ENGLISH
    assert "I write only English, German" in note("pl")
    assert note("de-AT") == note("en") == ""
    writer = BuiltInWriter()
    writer.plays(brief(Profile("B", "S", language="pl", name="Atabit", sells="sieci")), ANGLES)
    assert "I write only" in writer.last().note


def test_messages_are_built_from_the_owners_words_alone() -> None:
    offer, proof = "networks for ships", "ISO 9001 since 2004"
    given = brief(Profile("B", "S", "accounting_services", name="Atabit", sells=offer, proof=proof))
    texts = [step.text for idea in WRITER.plays(given, ANGLES) for step in WRITER.sequence(given, idea)]
    assert all(any(words in text for text in texts) for words in (offer, proof))
    assert not any(re.search("account|bookkeep|tax", text, re.IGNORECASE) for text in texts)


def test_nothing_is_asked_about_an_offer_that_is_not_known() -> None:
    """Each text that would ask about it asks whether it may be told, never twice in the same words."""
    for code in TONGUES:
        given = Brief(Profile("B", "S", name="Arc", language=code), sender_name="Maya Lind")
        asking = every(tongue_of(code).common["untold"])
        for idea in WRITER.plays(given, ANGLES):
            if idea.angle != "former_customers":
                texts = [step.text.casefold() for step in WRITER.sequence(given, idea)[2:5]]
                asked = [one for text in texts for one in asking if one.casefold() in text]
                assert len(set(asked)) == len(asked) == 3, (code, idea.angle)
