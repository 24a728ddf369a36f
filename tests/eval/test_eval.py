"""The labels agree with themselves and with the pages, and the measuring runs."""

from app.providers.writer import BuiltInWriter
from app.providers.writer.taxonomy import CATEGORIES
from tests.eval import __main__, material
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
