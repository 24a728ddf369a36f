"""One spelling for one thing."""

import csv
import io
import re

from email_validator import SPECIAL_USE_DOMAIN_NAMES, validate_email
from hypothesis import given
from hypothesis import strategies as st

from app.core import text

ADA = [
    "ada-lovelace", "Ada-Lovelace", " ada-lovelace ", "ada-lovelace/", "/in/ada-lovelace", "in/ada-lovelace/",
    "https://www.network.example/in/ada-lovelace", "https://www.network.example/in/ada-lovelace/",
    "http://network.example/in/ADA-LOVELACE?trk=abc&x=1#about", "HTTPS://DE.NETWORK.EXAMPLE/in/ada-lovelace/de",
    "network.example/in/ada-lovelace", "https://network.example/in/ada-lovelace/details/experience/",
    "https://network.example/in/ada%2Dlovelace", "https://network.example/mwlite/in/ada-lovelace",
    "https://network.example/pub/ada-lovelace/1/2/3",
]  # fmt: skip
NO_PROFILES = [
    "", "   ", "https://network.example", "https://network.example/", "https://network.example/in/",
    "https://network.example/company/acme", "https://network.example/feed/update/1", "https://[broken/in/ada",
    "Ada Lovelace", "ada\0", "ada\ud800",
]  # fmt: skip


def test_every_spelling_of_a_profile_is_one_person() -> None:
    """Scheme, host, query, case, escapes and a trailing slash do not matter; what names no profile is no one."""
    assert [spelling for spelling in ADA if text.public_id(spelling) != "ada-lovelace"] == []
    assert [spelling for spelling in NO_PROFILES if text.public_id(spelling)] == []
    assert text.public_id("https://www.network.example/in/Ada-L%C3%B6/?a=1") == text.public_id("ada-lö") == "ada-lö"
    assert text.public_id("lo\u0308we") == text.public_id("l\u00f6we")
    assert text.public_id("https://network.example/in/pub") == "pub"


def test_links_to_a_person_are_told_from_links_to_a_search() -> None:
    """Links of the mobile site, of emails and of the paid products name a person too."""
    for link, public_id in (
        ("https://www.linkedin.com/m/in/ada-lovelace/", "ada-lovelace"),
        ("https://www.linkedin.com/comm/in/ada-lovelace?trk=eml", "ada-lovelace"),
        ("https://www.linkedin.com/mwlite/profile/in/ada-lovelace", "ada-lovelace"),
        ("https://www.linkedin.com/in/jobs", "jobs"),
        ("https://www.linkedin.com/sales/lead/ACwAAAB1c2D3,NAME_SEARCH,x1Yz", "acwaaab1c2d3"),
        ("https://www.linkedin.com/sales/people/ACwAAAB1c2D3,name", "acwaaab1c2d3"),
        ("https://www.linkedin.com/search/results/people/?keywords=ada", ""),
        ("https://www.linkedin.com/sales/search/people?query=(x)", ""),
        ("https://www.linkedin.com/sales/lists/people/6921", ""),
        ("https://www.linkedin.com/sales/company/1035", ""),
        ("https://www.linkedin.com/talent/search/profile/x", ""),
        ("https://www.linkedin.com/profile/view?id=123", ""),
        ("https://www.linkedin.com/company/engine", ""),
        ("\u200bhttps://www.linkedin.com/in/ada-lovelace\ufeff", "ada-lovelace"),
    ):
        assert text.public_id(link) == public_id, link


def test_an_address_is_read_as_people_and_programs_write_it() -> None:
    for written, address in (
        ("Tom Ng <tom@x.org>", "tom@x.org"),
        ('"Ng, Tom" <Tom@X.org>', "tom@x.org"),
        ("<tom@x.org>", "tom@x.org"),
        ("tom@x.org.", "tom@x.org"),
        ("tom@x.org;", "tom@x.org"),
        ("\u200btom@x.org\u200b", "tom@x.org"),
        ("to\u00adm@x.o\u200brg", "tom@x.org"),
        ("\u00a0tom@x.org\ufeff", "tom@x.org"),
        ("mailto:tom@x.org", "tom@x.org"),
        ("tom at x.org", ""),
        ("Tom Ng", ""),
        ("", ""),
    ):
        assert text.written_email(written) == address, written


def test_what_cannot_be_kept_is_known_and_replaced() -> None:
    """NUL and halves of characters; everything else is text."""
    for good in ("", "plain", "Zoë 🦊", "\x01\n"):
        assert text.is_text(good)
        assert text.whole(good) == good
    for broken in ("a\0", "é\0", "\ud83e", "x\udd8ay"):
        assert not text.is_text(broken)
        assert text.is_text(text.whole(broken))


@given(st.text(max_size=60))
def test_any_text_has_a_stable_normal_form(given_text: str) -> None:
    """Nothing breaks it, and what it gives back is its own normal form."""
    once = text.public_id(given_text)
    if not set("/?#%") & set(once):
        assert text.public_id(once) == once


def test_an_address_is_lower_case_or_nothing() -> None:
    """Unusual ones are judged by their syntax; the domain is kept as it goes over the wire."""
    for typed, normal in (
        ("Ada@Example.COM", "ada@example.com"),
        ("mailto:Ada@x.com", "ada@x.com"),
        ("ines@corp.local", "ines@corp.local"),
        ("o'hara!#@x.com", "o'hara!#@x.com"),
        ("jörg@xn--bcher-kva.de", "jörg@xn--bcher-kva.de"),
        ("jörg@Bücher.de", "jörg@xn--bcher-kva.de"),
    ):
        assert text.email(typed) == normal, typed
    wrong = 'ada@;a b@c.de;"a b"@x.com;a..b@x.com;.a@x.com;a@-x.com;a@x_y.com;a@1.2.3.4;a@localhost;a@x.com.'
    long = "a" * 65 + "@" + "x" * 63 + "." + "y" * 63 + "." + "z" * 63 + ".com"
    assert [typed for typed in (*wrong.split(";"), "a\u200db@x.com", "a\ud800@x.com", long) if text.email(typed)] == []


RESERVED = tuple(f".{name}" for name in SPECIAL_USE_DOMAIN_NAMES)


@given(st.from_regex(r"[a-z0-9.+_-]{1,70}@([a-z0-9-]{1,66}\.){1,3}[a-z0-9]{1,4}", fullmatch=True))
def test_a_plain_address_is_one_that_the_library_accepts(address: str) -> None:
    """Apart from names that are reserved on the internet."""
    if not address.endswith(RESERVED) and text.email(address):
        assert validate_email(address, check_deliverability=False).normalized


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_normal_address_is_its_own_normal_form(local: str, domain: str) -> None:
    once = text.email(f"{local}@{domain}")
    assert not once or text.email(once) == once


def test_a_domain_and_a_company_are_found_however_they_are_written() -> None:
    """In URLs, addresses and bare; a company's legal form does not matter, and a broken URL leads nowhere."""
    for typed in ("https://www.Acme.com/about", "acme.com", "WWW.acme.com.", "ada@acme.com"):
        assert text.domain(typed) == "acme.com"
    for typed in ("https://[", "http://[::1/a", "//[acme.com", "https://[acme].com/"):
        assert text.url_parts(typed).geturl() == ""
        assert text.joined_url("https://acme.example/", typed) == ""
    for typed in ("Acme", "ACME  Inc.", "acme, Inc", "Acme GmbH", " acme llc"):
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


def test_numbers_are_those_that_an_id_can_be_and_a_whole_decimal_is_an_int() -> None:
    """In plain digits: what looks like another's in some script is not taken for it."""
    numbers = {"12": 12, "012": 12, str(2**63 - 1): 2**63 - 1, str(2**63): 0, "9" * 5000: 0}
    for written, number in (numbers | dict.fromkeys(("", "-1", "+1", " 1", "1.5", "1_0", "²", "٣", "１"), 0)).items():
        assert text.number(written) == number
        assert text.number(written, -1) == (number or -1)
    assert [text.number(written, 7, most=999) for written in ("0", "999", "1000")] == [0, 999, 7]
    decimals = {"2": 2, "1.5": 1.5, "241.0": 241, ".5": 0.5, "3.": 3, "0.0": 0, "8760.25": 8760.25}
    for written, found in decimals.items():
        assert (text.decimal(written, -1), type(text.decimal(written, -1))) == (found, type(found))
    for written in ("", ".", "-1", "+1", "1,5", "1e3", "1.5.2", " 1", "nan", "inf", "٣", "1" * 21):
        assert text.decimal(written, -1) == -1
