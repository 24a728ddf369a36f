"""The labels agree with themselves and with the pages, and the measuring runs."""

from pathlib import Path

import pytest

from app.ports.writer import PlayStep, Wait
from app.providers.writer import BuiltInWriter
from app.providers.writer.taxonomy import CATEGORIES
from tests.eval import __main__, material, measure, rules
from tests.eval.material import Labelled, digest, is_unseen, present, quote, sentences, sites, wishes, words_of
from tests.providers.website.websites import SITES, TRUTH, Web

THREE = ("kestrel", "otter", "vela")


def test_every_label_says_what_is_true_and_where_it_was_read() -> None:
    """A label without a name, a word or a source measures nothing; the name alone decides what may be looked at."""
    every = sites()
    assert len({one.slug for one in every}) == len({one.host for one in every}) == len(every)
    for one in every:
        assert one.names and one.words and one.sells and all(one.buyers), one.slug  # noqa: PT018
        assert {*one.trades} <= {*CATEGORIES}, one.slug
        assert (one.repository.count("/"), len(one.commit)) == (1, 40), one.slug
        assert "index.html" in one.pages, one.slug
        assert one.fresh or one.unseen is is_unseen(one.slug), one.slug
    assert {one.kind for one in sentences()} == {"business", "recipient", "laundering"}
    assert not any(one.supported for one in sentences() if one.kind == "laundering")
    assert {one.site for one in sentences()} <= {one.slug for one in every} | {""}
    assert all(one.checks for one in wishes())


def test_fresh_websites_are_measured_only_when_they_are_asked_for(tmp_path: Path) -> None:
    """With them go the sentences about recipients that were written with them, and no others."""
    older, fresh = (next(one for one in sites() if bool(one.fresh) is asked) for asked in (False, True))
    for site in (older, fresh):
        for name in site.pages:
            (tmp_path / site.slug / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / site.slug / name).touch()
    assert __main__.chosen(tmp_path, [], fresh=False) == [older]
    assert __main__.chosen(tmp_path, [], fresh=True) == [fresh]
    assert __main__.chosen(tmp_path, [fresh.slug], fresh=False) == [fresh]
    recipients = __main__.about([], {fresh.fresh})
    assert recipients
    assert {(one.kind, one.fresh) for one in recipients} == {("recipient", fresh.fresh)}
    assert not {*recipients} & {*__main__.about([], {""})}


def test_the_pages_that_lie_here_are_those_that_were_labelled() -> None:
    """A page that changed since may no longer say what its label says; so may a quotation."""
    lying = {one.slug for one in present()}
    for one in sites():
        if one.slug in lying:
            for name, expected in one.pages.items():
                assert digest((material.PAGES / one.slug / name).read_bytes()) == expected, f"{one.slug}/{name}"
    for sentence in sentences():
        if sentence.site in lying:
            assert len(quote(sentence)) == sentence.length, sentence.text
            assert sentence.length < len(words_of(sentence.site, sentence.page)), sentence.text


def labelled(folder: str) -> Labelled:
    """A small website of the tests with a label."""
    truth = TRUTH[folder]
    pages = {path.name: "" for path in (SITES / folder).glob("*.html")}
    return Labelled(
        folder, truth.domain, "en", (truth.name,), "", ("pump",), (truth.category,), (), False, "", "", "", "", pages
    )


def test_the_measuring_runs_on_three_websites() -> None:
    """Every figure is there, with what went wrong after them."""
    web = Web()
    told = __main__.report([labelled(one) for one in THREE], BuiltInWriter(), web.reader(), SITES, plays=2, show=True)
    web.stop()
    figures = {line[:36].strip(): line[36:].split() for line in told.splitlines() if line[36:].strip()}
    assert figures["websites read"][0] == figures["name right"][0] == "3/3"
    assert figures["recall of the recipient"][0] != "-"
    assert figures["wishes done"][0].endswith("/30")
    assert any(line.startswith("refused: ") for line in told.splitlines())


def test_a_short_word_counts_only_where_a_word_begins() -> None:
    """Credit is no IT."""
    assert not rules.has_word("credit management", ["IT "])
    assert rules.has_word("support for IT", ["IT "])
    assert not rules.has_word("items", ["IT "])
    assert rules.has_word("Büromöbel nach Maß", ["möbel"])
    assert rules.has_word("お墓づくり", ["墓"])


def test_a_falsehood_is_an_offer_of_the_table_or_a_number_that_neither_label_nor_site_knows() -> None:
    """Words of the site itself are none, nor is a trade that is true of the business."""
    site = labelled(THREE[0])
    assert rules.falsehoods(site, "We offer accounting software.", "", "pumps") == ["accounting software"]
    assert rules.falsehoods(site, "We offer accounting software.", "", "our accounting software") == []
    assert rules.falsehoods(site, "We offer big cranes.", "big cranes", "") == ["big cranes"]
    assert rules.falsehoods(site, "We offer pump repairs.", "pump repairs", "") == []
    assert rules.falsehoods(site, "We saved 1,200 euros. 300 people; 15 minutes?", "", "for 300 people") == ["1,200"]


def test_a_sentence_counts_as_shared_without_names_numbers_and_the_words_of_its_owner() -> None:
    """What is left is what the product wrote."""
    first = rules.pieces("Hi Anna,\nAlder offers pump repairs for 300 euros today.", ["Alder", "pump repairs", "Anna"])
    second = rules.pieces("Hi Anna,\nKite offers websites for 9,000 euros today.", ["Kite", "websites", "Anna"])
    assert first == second
    assert rules.shared({"a": first, "b": second, "c": first}) == {"a": 1, "b": 1, "c": 1}
    assert rules.shared({"a": first, "b": second}) == {"a": 0, "b": 0}
    assert rules.repeated([first, first, {"something else entirely."}]) == pytest.approx(2 / 3)


def test_a_text_that_is_no_sentence_any_more_is_broken() -> None:
    """A cut sentence, a doubled space, an open quotation or nothing at all."""
    whole = "Hi {{first_name|there}}, thanks"
    texts = [whole, "We sell chairs and.", "We sell  chairs today.", "Shall we “talk?", ""]
    broken = [one for one in texts if rules.broken(PlayStep("s1", "social", Wait(1, "days"), "previous", one))]
    assert broken == texts[1:]


def test_a_wish_is_done_only_when_the_text_is_as_asked() -> None:
    """What is said to be done and is not is pretended."""
    granted = measure.granting(wishes(), BuiltInWriter())
    assert {one.outcome for one in granted} <= {"done", "refused", "pretended", "changed otherwise"}
    assert all(one.reply for one in granted)


def test_the_language_of_a_message_is_found_without_the_product() -> None:
    """Its own detection would agree with itself."""
    texts = {
        "Could we talk about this with you and your team?": "en",
        "Können wir mit Ihnen und Ihrem Team über das Angebot reden, und wer ist bei Ihnen zuständig?": "de",
        "Nous pouvons vous en parler avec plaisir, et qui est chez vous la personne pour ça ?": "fr",
        "私たちはユニフォームを作っています。": "ja",
        "Pumps.": "",
    }
    assert {text: rules.language_of(text) for text in texts} == texts


def test_a_name_is_right_whatever_its_capitals_signs_and_legal_form() -> None:
    """Words that do not belong to it make it wrong."""
    site = labelled(THREE[0])
    assert rules.name_right(site, f"{site.names[0].upper()} GmbH")
    assert not rules.name_right(site, f"{site.names[0]} Home of pumps")
    assert not rules.name_right(site, "")
