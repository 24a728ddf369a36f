"""One spelling for one thing."""

import csv
import io
import re

import pytest
from email_validator import SPECIAL_USE_DOMAIN_NAMES, validate_email
from hypothesis import given
from hypothesis import strategies as st

from app.core import text

ADA = [
    "ada-lovelace",
    "Ada-Lovelace",
    " ada-lovelace ",
    "ada-lovelace/",
    "/in/ada-lovelace",
    "in/ada-lovelace/",
    "https://www.network.example/in/ada-lovelace",
    "https://www.network.example/in/ada-lovelace/",
    "http://network.example/in/ADA-LOVELACE?trk=abc&x=1#about",
    "HTTPS://DE.NETWORK.EXAMPLE/in/ada-lovelace/de",
    "network.example/in/ada-lovelace",
    "https://network.example/in/ada-lovelace/details/experience/",
    "https://network.example/in/ada%2Dlovelace",
    "https://network.example/mwlite/in/ada-lovelace",
    "https://network.example/pub/ada-lovelace/1/2/3",
]
NO_PROFILES = [
    "",
    "   ",
    "https://network.example",
    "https://network.example/",
    "https://network.example/in/",
    "https://network.example/company/acme",
    "https://network.example/feed/update/1",
    "https://[broken/in/ada",
    "Ada Lovelace",
    "ada\0",
    "ada\ud800",
]


def test_a_profile_url_and_its_bare_id_are_one_person() -> None:
    """A profile URL and the bare id are one person."""
    assert text.public_id("https://www.network.example/in/Ada-L%C3%B6/?a=1") == text.public_id("ada-lö") == "ada-lö"


def test_what_cannot_be_kept_is_known_and_replaced() -> None:
    """NUL and halves of characters; everything else is text."""
    for good in ("", "plain", "Zoë 🦊", "\x01\n"):
        assert text.is_text(good)
        assert text.whole(good) == good
    for broken in ("a\0", "é\0", "\ud83e", "x\udd8ay"):
        assert not text.is_text(broken)
        assert text.is_text(text.whole(broken))


@pytest.mark.parametrize("spelling", ADA)
def test_scheme_host_query_case_escapes_and_a_trailing_slash_do_not_matter(spelling: str) -> None:
    """Every spelling of one profile is one person."""
    assert text.public_id(spelling) == "ada-lovelace"


@pytest.mark.parametrize("spelling", NO_PROFILES)
def test_what_names_no_profile_is_no_one(spelling: str) -> None:
    """Pages of companies, names with spaces and broken addresses are not people."""
    assert text.public_id(spelling) == ""


def test_composed_and_decomposed_letters_are_the_same() -> None:
    """NFC and NFD of one name are one person."""
    assert text.public_id("lo\u0308we") == text.public_id("l\u00f6we")


def test_a_name_that_looks_like_a_path_word_is_a_person_when_it_follows_one() -> None:
    """Someone may be called Pub."""
    assert text.public_id("https://network.example/in/pub") == "pub"


@given(st.text(max_size=60))
def test_any_text_has_a_stable_normal_form(given_text: str) -> None:
    """Nothing breaks it, and what it gives back is its own normal form."""
    once = text.public_id(given_text)
    if not set("/?#%") & set(once):
        assert text.public_id(once) == once


@pytest.mark.parametrize(("typed", "normal"), [("Ada@Example.COM", "ada@example.com"), ("ada@", ""), ("a b@c.de", "")])
def test_an_address_is_lower_case_or_nothing(typed: str, normal: str) -> None:
    """What is no address has no normal form."""
    assert text.email(typed) == normal


@pytest.mark.parametrize(
    ("typed", "normal"),
    [
        ("mailto:Ada@x.com", "ada@x.com"),
        ("ines@corp.local", "ines@corp.local"),
        ("o'hara!#@x.com", "o'hara!#@x.com"),
        ("jörg@xn--bcher-kva.de", "jörg@xn--bcher-kva.de"),
        ("jörg@Bücher.de", "jörg@xn--bcher-kva.de"),
        ('"a b"@x.com', ""),
        ("a..b@x.com", ""),
        (".a@x.com", ""),
        ("a@-x.com", ""),
        ("a@x_y.com", ""),
        ("a@1.2.3.4", ""),
        ("a@localhost", ""),
        ("a@x.com.", ""),
        ("a\u200db@x.com", ""),
        ("a\ud800@x.com", ""),
        ("a" * 65 + "@" + "x" * 63 + "." + "y" * 63 + "." + "z" * 63 + ".com", ""),
    ],
)
def test_unusual_addresses_are_judged_by_their_syntax(typed: str, normal: str) -> None:
    """Its domain is kept as it goes over the wire."""
    assert text.email(typed) == normal


RESERVED = tuple(f".{name}" for name in SPECIAL_USE_DOMAIN_NAMES)


@given(st.from_regex(r"[a-z0-9.+_-]{1,70}@([a-z0-9-]{1,66}\.){1,3}[a-z0-9]{1,4}", fullmatch=True))
def test_a_plain_address_is_one_that_the_library_accepts(address: str) -> None:
    """Apart from names that are reserved on the internet."""
    if not address.endswith(RESERVED) and text.email(address):
        assert validate_email(address, check_deliverability=False).normalized


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_normal_address_is_its_own_normal_form(local: str, domain: str) -> None:
    """Whatever was typed."""
    once = text.email(f"{local}@{domain}")
    assert not once or text.email(once) == once


@pytest.mark.parametrize("typed", ["https://www.Acme.com/about", "acme.com", "WWW.acme.com.", "ada@acme.com"])
def test_a_domain_is_found_in_urls_addresses_and_bare(typed: str) -> None:
    """One host, however it was given."""
    assert text.domain(typed) == "acme.com"


@pytest.mark.parametrize("typed", ["https://[", "http://[::1/a", "//[acme.com", "https://[acme].com/"])
def test_a_url_that_is_none_has_no_parts_and_leads_nowhere(typed: str) -> None:
    assert text.url_parts(typed).geturl() == ""
    assert text.joined_url("https://acme.example/", typed) == ""


@pytest.mark.parametrize("typed", ["Acme", "ACME  Inc.", "acme, Inc", "Acme GmbH", " acme llc"])
def test_a_companys_legal_form_does_not_matter(typed: str) -> None:
    """Acme is Acme."""
    assert text.company(typed) == "acme"


@given(st.text(max_size=30) | st.from_regex(r"[;'\"\n\r\t=+@x-]{0,12}", fullmatch=True))
def test_a_cell_is_harmless_where_lists_are_separated_by_semicolons(value: str) -> None:
    """A spreadsheet there splits the line at each, also inside the quotes of a file with commas."""
    written = io.StringIO()
    csv.writer(written).writerow(["Ada", text.csv_cell(value), "x"])
    for cell in re.split(r"[;\t\r\n]", written.getvalue()):
        assert not cell.lstrip('"').startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    assert text.csv_text(text.csv_cell(value)) == value


@given(st.text(max_size=30) | st.from_regex(r"'{0,3}[=+@]?x?", fullmatch=True))
def test_a_cell_comes_back_as_it_was_and_never_runs(value: str) -> None:
    """An export can be imported again without loss; no spreadsheet runs it."""
    cell = text.csv_cell(value)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert text.csv_text(cell) == value


@pytest.mark.parametrize(
    ("written", "number"),
    [("12", 12), ("012", 12), (str(2**63 - 1), 2**63 - 1), (str(2**63), 0), ("9" * 5000, 0)]
    + [(written, 0) for written in ("", "-1", "+1", " 1", "1.5", "1_0", "²", "٣", "１")],
)
def test_a_number_is_one_that_an_id_can_be(written: str, number: int) -> None:
    """In plain digits: what looks like another's in some script is not taken for it."""
    assert text.number(written) == number
    assert text.number(written, -1) == (number or -1)


def test_a_number_may_have_a_bound() -> None:
    assert [text.number(written, 7, most=999) for written in ("0", "999", "1000")] == [0, 999, 7]


@pytest.mark.parametrize(
    ("written", "found"),
    [("2", 2), ("1.5", 1.5), ("241.0", 241), (".5", 0.5), ("3.", 3), ("0.0", 0), ("8760.25", 8760.25)],
)
def test_a_decimal_is_read_and_a_whole_one_is_an_int(written: str, found: float) -> None:
    assert text.decimal(written, -1) == found
    assert type(text.decimal(written, -1)) is type(found)


@pytest.mark.parametrize("written", ["", ".", "-1", "+1", "1,5", "1e3", "1.5.2", " 1", "nan", "inf", "٣", "1" * 21])
def test_what_is_no_decimal_is_the_other_value(written: str) -> None:
    assert text.decimal(written, -1) == -1
