"""Fit: which words of a targeting a person matches, word by word."""

from app.domain.rules import fit
from app.domain.rules.fit import Known, RowFit


def test_a_title_fits_when_it_says_the_same() -> None:
    """In any order and spelling; what someone was, or whom they assist, is not what they are."""
    for label, title, fits in [
        ("Founder", "Co-Founder & CEO", True), ("Founders", "Founder", True), ("CEO", "Chief Executive Officer", True),
        ("Head of Sales", "Head of Global Sales", True), ("Sales Director", "Director of Sales, EMEA", True),
        ("VP Sales", "Vice President, Sales", True), ("VP Marketing", "VP of Sales & Marketing", True),
        ("Geschäftsführer", "Geschäftsführer:in (m/w/d)", True), ("CEO", "Executive Assistant to the CEO", False),
        ("CEO", "ex-CEO | Advisor", False), ("Head of Sales", "Head of Marketing | Sales", False),
        ("Founder", "Foundation Engineer", False), ("Head of Sales", "", None),
    ]:  # fmt: skip
        assert _told("titles", label, Known(title=title)) is fits, label


def test_a_place_fits_when_it_lies_there() -> None:
    """A town without its country says nothing about the country."""
    for label, location, fits in [
        ("Germany", "Berlin, Germany", True), ("DACH", "Zürich, Switzerland", True),
        ("Europe", "Austin, Texas, United States", False), ("United Kingdom", "London, England, United Kingdom", True),
        ("Berlin", "Greater Berlin, Germany", True), ("Berlin", "Munich, Germany", False),
        ("Worldwide", "Lima, Peru", True), ("Germany", "Berlin", None),
        ("South Korea", "Seoul, Korea, Republic of", True), ("Korea, Republic of", "Busan, South Korea", True),
        ("Seoul, South Korea", "Busan, South Korea", False), ("Canada", "San Francisco, CA", None),
        ("Germany", "", None),
    ]:  # fmt: skip
        assert _told("location", label, Known(location=location)) is fits, label


def test_a_size_fits_when_the_ranges_meet_and_a_kind_of_company_by_what_is_said_of_it() -> None:
    for label, size, fits in [
        ("11-50", "37", True), ("11-50", "11-50 employees", True), ("11-50", "1,001 - 5,000", False),
        ("51-200 employees", "50 to 100", True), ("11-50", "", None),
    ]:  # fmt: skip
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
    found = fit.measure(targeting, Known(title="Founder", location="Paris, France"))
    assert found is not None
    assert found.rows == (
        RowFit("titles", ("Founder",), ("CEO",), ()),
        RowFit("size", (), (), ("11-50",)),
        RowFit("location", (), ("Germany", "Austria"), ()),
    )
    assert (found.matched, found.known) == (1, 2)


def test_without_words_there_is_no_fit() -> None:
    assert fit.measure({}, Known(title="Founder")) is None
    assert fit.measure({"titles": []}, Known(title="Founder")) is None


def _told(row: str, label: str, person: Known) -> bool | None:
    found = fit.measure({row: [label]}, person)
    assert found is not None
    one = found.rows[0]
    return True if one.matched else False if one.missed else None
