"""Search address: which search of LinkedIn a pasted address names, in one spelling, or why it is none.

What only says how the search was reached, such as the page or the session, is left out, so that two addresses of one
search are equal. A search that LinkedIn would read differently from what the address says is refused, never guessed.
"""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NoReturn
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from app.core import text
from app.ports import Product, SearchAddress

LONGEST, LONGEST_TITLE = 8000, 120
KINDS = {
    "people_search": "People search",
    "company_people": "People at a company",
    "sales_search": "Sales Navigator search",
    "saved_search": "Sales Navigator saved search",
    "lead_list": "Sales Navigator lead list",
    "recruiter_search": "Recruiter search",
}
HOST, SANDBOX_HOST = "linkedin.com", "network.example"
_WWW = "https://www.linkedin.com"
_PEOPLE = f"{_WWW}/search/results/people/"
_SALES = f"{_WWW}/sales/search/people"

NOT_WEB = "Paste the link of a search, such as https://www.linkedin.com/search/results/people/?keywords=founder."
NOT_LINKEDIN = "This isn't a LinkedIn link. Copy the link to a people search from your browser."
TOO_LONG = f"The link is longer than {LONGEST:,} characters."
CUT_OFF = "The link is cut off. Copy the whole link from your browser."
EMPTY = "This search has no words or filters. Add words or filters, then copy the link."
OLD = "LinkedIn no longer supports this link. Search again and copy the new link."
SHORT = "This is a short link. Open the page, then copy the full link from your browser."
PERSON = "This is one person's profile. Add the person under “From profile links”."
COMPANY = "This is a company's page. Open the company's People tab, and copy the link from your browser."
COMPANIES = "This finds companies, not people. Choose People in the search, and copy the new link."
EVERYTHING = "This searches everything. Choose People in the search, and copy the new link."
NO_SEARCH = "This page is not a people search. Open a search, and copy its link."
COMPANY_FILTER = "This People tab filter isn't supported: {}. Search for people with this company instead."
_NOT_READ = "People from {} can't be imported. Search for people, and copy the link from your browser."
_PROJECT = "In a Recruiter project, only the search can be imported. Open the search, and copy its link."

# Kinds of page by the beginning of the path.
PAGES = {
    "in": PERSON,
    "pub": PERSON,
    "company": COMPANY,
    "showcase": COMPANY,
    "school": _NOT_READ.format("a school"),
    "groups": _NOT_READ.format("a group"),
    "events": _NOT_READ.format("an event"),
    "feed": _NOT_READ.format("a post"),
    "posts": _NOT_READ.format("a post"),
    "pulse": _NOT_READ.format("an article"),
    "vsearch": OLD,
    "jobs": "This finds jobs, not people. Search for people, and copy the link from your browser.",
}
# The vertical in the address of a search, and what the search finds.
VERTICALS = {"all": EVERYTHING, "index": EVERYTHING, "companies": COMPANIES}
_OTHER_VERTICAL = "This finds {}, not people. Choose People in the search, and copy the new link."
# Parameters of a people search that narrow nothing.
_NOISE = frozenset(
    "origin sid page searchid spellcorrectionenabled trk lipi position heroentitykey skipredirect refresh"
    " eventdeeplink mcid midtoken midsig li_theme sessionid searchorigin".split()
)
# Filters of a company's People tab, and what a people search calls them.
_TAB = {"facetGeoRegion": "geoUrn", "facetSchool": "schoolFilter", "facetNetwork": "network"}
_KEPT = {"savedSearchId": "saved_search", "recentSearchId": "sales_search"}  # searches that Sales Navigator keeps
_TALENT = frozenset("searchContextId searchHistoryId searchRequestId searchKeyword savedSearch keywords".split())
_REDIRECTS = ("session_redirect", "sessionRedirect")
_TOLD = ("keywords", "searchKeyword", "company", "title", "titleFreeText", "firstName", "lastName")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")
_WRAPPED, _SPACE = re.compile(r"[\r\n]+\s*"), re.compile(r"\s+")
_BEFORE, _AFTER = "<\"'`“„‘(", ">\"'`”“’,;"  # quotes and brackets that may be copied with an address
_NUMBER = re.compile(r"\d+")
_SLUG = re.compile(r"[^\s/?#\"\[\]]{1,200}")
_SCHEME = re.compile("^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_NAMED = re.compile(r"(?:text|keywords):([^,()]+)")
_NARROWED = re.compile(r"(filters:List\(\(|keywords:[^,)])")


class InvalidSearchAddress(Exception):
    """This is no address of a search that can be read; the sentence says why."""


def read(written: str, *, sandbox: bool = False) -> SearchAddress:
    """Return the search that a pasted address names; raise InvalidSearchAddress with a sentence for anything else."""
    if len(written) > LONGEST:
        _refuse(TOO_LONG)
    url = _split(written)
    host = (url.hostname or "").removesuffix(".")
    if host == "lnkd.in":
        _refuse(SHORT)
    hosts = (HOST, SANDBOX_HOST) if sandbox else (HOST,)
    if not any(host == known or host.endswith("." + known) for known in hosts):
        _refuse(NOT_LINKEDIN if "." in host else NOT_WEB)
    for name, value in parse_qsl(url.query):
        if name in _REDIRECTS and value:  # the page that asks to sign in keeps the address it leads to
            url = _split(value if "//" in value else _WWW + value)
    names = [name for name in unquote(url.path).split("/") if name]
    match [name.casefold() for name in names]:
        case ["search", "results", "people", *_]:
            return _people_search(url)
        case ["search", "results", vertical, *_]:
            _refuse(VERTICALS.get(vertical, _OTHER_VERTICAL.format(vertical)))
        case ["sales", *rest]:
            return _sales(url, rest)
        case ["talent" | "recruiter", *rest]:
            return _recruiter(url, rest)
        case ["company" | "showcase", _, "people", *_]:
            return _company(url, names[1])
        case ["mynetwork", *rest] if "connections" in rest:
            return _address("people_search", Product.CLASSIC, _search_of({"network": '["F"]'}))
        case ["feed"]:
            _refuse(NO_SEARCH)
        case [first, *_]:
            _refuse(PAGES.get(first, NO_SEARCH))
    raise InvalidSearchAddress(NO_SEARCH)


def of_company(company: str, title: str = "") -> str:
    """Return the address of a people search for a company's name and words of a title."""
    wanted = {"company": company, "titleFreeText": title}
    return _search_of({name: " ".join(value.split()) for name, value in wanted.items() if value.strip()})


def title(search: str) -> str:
    """Return what a search is called: its kind, and what the normalized address says that it is for."""
    url = urlsplit(search)
    query = dict(parse_qsl(url.query))
    kind, names = read(search).kind, url.path.split("/")
    said = [query.get(name, "") for name in _TOLD]
    for word in _NAMED.findall(query.get("query", "")):
        said.append(unquote(word))
    if kind == "company_people":
        said.insert(0, unquote(names[2]))
    about = ", ".join(dict.fromkeys(one for one in said if one))
    return text.shorten(f"{KINDS[kind]}: {about}" if about else KINDS[kind], LONGEST_TITLE)


def _refuse(sentence: str) -> NoReturn:
    raise InvalidSearchAddress(sentence)


def _address(kind: str, product: Product, url: str) -> SearchAddress:
    return SearchAddress(kind, product, url, url)


def _split(written: str) -> SplitResult:
    """Return the parts of the address without what mail programs and chats put around and into it."""
    found = _WRAPPED.sub("", _INVISIBLE.sub("", written).strip())
    found = _SPACE.sub("%20", found.lstrip(_BEFORE).rstrip(_AFTER))
    if "&amp;" in found:
        found = html.unescape(found)
    if not _SCHEME.match(found):
        found = "https://" + found.removeprefix("//")
    url = text.url_parts(found)
    if url.scheme.lower() not in ("http", "https") or not url.hostname:
        _refuse(NOT_WEB)
    if url.query.endswith(("…", "...")) or url.fragment.endswith(("…", "...")):
        _refuse(CUT_OFF)
    return url


def _people_search(url: SplitResult) -> SearchAddress:
    wanted = _filters(url.query)
    if any(name.startswith("facet") for name in wanted):
        _refuse(OLD)
    return _address("people_search", Product.CLASSIC, _search_of(wanted))


def _filters(query: str) -> dict[str, str]:
    """Return the parameters that narrow a search, sorted by name."""
    given = {name: value.strip() for name, value in parse_qsl(query)}
    return {name: given[name] for name in sorted(given) if given[name] and not _is_noise(name)}


def _is_noise(name: str) -> bool:
    return name.casefold() in _NOISE or name.casefold().startswith("utm_")


def _search_of(wanted: Mapping[str, str]) -> str:
    if not wanted:
        _refuse(EMPTY)
    if any(value.count("[") != value.count("]") for name, value in wanted.items() if value.startswith("[")):
        _refuse(CUT_OFF)
    return f"{_PEOPLE}?{urlencode(wanted, quote_via=quote, safe='')}"


def _company(url: SplitResult, name: str) -> SearchAddress:
    """Return the search for people of a company, with the filters of its People tab."""
    name = name.casefold()
    if not _SLUG.fullmatch(name):
        _refuse(COMPANY)
    tab = _filters(url.query)
    wanted: dict[str, str] = {}
    for key, value in tab.items():
        if key == "keywords":
            wanted[key] = value
        elif key in _TAB:
            wanted[_TAB[key]] = "[" + ",".join(f'"{one}"' for one in value.split(",") if one) + "]"
        else:
            _refuse(COMPANY_FILTER.format(key.removeprefix("facet")))
    page = f"{_WWW}/company/{quote(name, safe='')}/people/"
    search = _search_of(wanted) if wanted else _PEOPLE
    shown = f"{page}?{urlencode(tab, quote_via=quote, safe='')}" if tab else page
    return SearchAddress("company_people", Product.CLASSIC, shown, search, name)


def _sales(url: SplitResult, names: Sequence[str]) -> SearchAddress:
    match names:
        case ["search", "people"]:
            return _sales_search(url)
        case ["search", "people", "list", *_]:
            _refuse(OLD)
        case ["search", "company", *_] | ["lists", "company", *_] | ["company", *_] | ["accounts", *_]:
            _refuse(COMPANIES)
        case ["lists", "people", number, *_] if _NUMBER.fullmatch(number):
            return _address("lead_list", Product.SALES_NAVIGATOR, f"{_WWW}/sales/lists/people/{number}")
        case ["lead" | "people" | "profile", *_]:
            _refuse(PERSON)
    raise InvalidSearchAddress(NO_SEARCH)


def _sales_search(url: SplitResult) -> SearchAddress:
    """Return a search of Sales Navigator, which stands behind `?` or `#`."""
    given = dict(_raw(url.query) + _raw(url.fragment))
    query = _whole_query(given.get("query", ""))
    if query:
        return _address("sales_search", Product.SALES_NAVIGATOR, f"{_SALES}?query={query}")
    for name, kind in _KEPT.items():
        if _NUMBER.fullmatch(given.get(name, "")):
            return _address(kind, Product.SALES_NAVIGATOR, f"{_SALES}?{name}={given[name]}")
    if words := unquote(given.get("keywords", "").replace("+", " ")).strip():
        asked = quote(f"(keywords:{quote(words, safe='')})", safe="()")
        return _address("sales_search", Product.SALES_NAVIGATOR, f"{_SALES}?query={asked}")
    old = any(name.endswith(("Included", "Excluded", "TimeScope")) for name in given)
    _refuse(OLD if old else EMPTY)


def _raw(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a query as they are written, escapes and all."""
    pairs = (part.partition("=") for part in query.split("&"))
    return [(name, value) for name, _, value in pairs if name and value]


def _whole_query(written: str) -> str:
    """Return the query of a search in one spelling; '' without one. A part of a query would find other people."""
    if not written:
        return ""
    query = written if ":" in written else unquote(written)  # with ":" only names in it are escaped
    if not query.startswith("(") or query.count("(") != query.count(")"):
        _refuse(CUT_OFF)
    if not _NARROWED.search(query) and "savedSearch" not in query and "personaId" not in query:
        _refuse(EMPTY)
    return quote(query, safe="()")


def _recruiter(url: SplitResult, names: Sequence[str]) -> SearchAddress:
    match names:
        case ["search" | "smartsearch", *_]:
            wanted = {name: value for name, value in parse_qsl(url.query) if name in _TALENT}
            if not wanted:
                _refuse(EMPTY)
            path = "/" + "/".join(part for part in url.path.split("/") if part)
        case ["hire", number, "discover", "recruitersearch", *_] if _NUMBER.fullmatch(number):
            wanted = {name: value for name, value in parse_qsl(url.query) if name in _TALENT}
            path = f"/talent/hire/{number}/discover/recruiterSearch"
        case ["hire", number, *_] if _NUMBER.fullmatch(number):
            _refuse(PERSON if "profile" in names else _PROJECT)
        case ["profile", *_]:
            _refuse(PERSON)
        case _:
            _refuse(NO_SEARCH)
    asked = urlencode(dict(sorted(wanted.items())), quote_via=quote, safe="")
    return _address("recruiter_search", Product.RECRUITER, f"{_WWW}{path}{'?' + asked if asked else ''}")
