"""Fit: which words of a targeting a person matches, word by word."""

from app.domain.autopilot.monitors import fit_words
from app.domain.autopilot.monitors.fit_words import Known, RowFit
from tests.domain.replies.letters import texts_of


def test_a_title_fits_when_it_says_the_same_and_a_place_when_it_lies_there() -> None:
    """In any order and spelling. What someone was, or whom they assist, is not what they are; a town without its
    country says nothing about the country.
    """
    for row, written in texts_of("fit").items():
        for label, said, fits in written:
            person = Known(title=said) if row == "titles" else Known(location=said)
            assert _told(row, label, person) is (None if fits == "unsure" else fits), (label, said)


def test_a_size_fits_when_the_ranges_meet_and_a_kind_of_company_by_what_is_said_of_it() -> None:
    for label, size, fits in [
        ("11-50", "37", True),
        ("11-50", "11-50 employees", True),
        ("11-50", "1,001 - 5,000", False),
        ("51-200 employees", "50 to 100", True),
        ("11-50", "", None),
    ]:
        assert _told("size", label, Known(size=size)) is fits, label
    for label, person, fits in [
        ("Software companies", Known(industry="Computer Software"), True),
        ("SaaS", Known(headline="Founder, software for dentists"), True),
        ("Marketing agencies", Known(company="Nord Marketing Agency"), True),
        ("Marketing agencies", Known(industry="Retail"), False),
        ("Marketing agencies", Known(company="Nord"), None),
    ]:
        assert _told("companyType", label, person) is fits, label


def test_each_word_is_told_apart_and_rows_are_counted() -> None:
    """The words of a row are alternatives; a row about which nothing is known does not count against a person."""
    targeting = {"titles": ["Founder", "CEO"], "size": ["11-50"], "location": ["Germany", "Austria"], "companyType": []}
    found = fit_words.measure(targeting, Known(title="Founder", location="Paris, France"))
    assert found is not None
    assert found.rows == (
        RowFit("titles", ("Founder",), ("CEO",), ()),
        RowFit("size", (), (), ("11-50",)),
        RowFit("location", (), ("Germany", "Austria"), ()),
    )
    assert (found.matched, found.known) == (1, 2)


def test_without_words_there_is_no_fit() -> None:
    assert fit_words.measure({}, Known(title="Founder")) is None
    assert fit_words.measure({"titles": []}, Known(title="Founder")) is None


def _told(row: str, label: str, person: Known) -> bool | None:
    found = fit_words.measure({row: [label]}, person)
    assert found is not None
    one = found.rows[0]
    return True if one.matched else False if one.missed else None
