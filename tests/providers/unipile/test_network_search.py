"""Searches by their address: Unipile in both generations against its published contract, and the sandbox."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Any

import pytest
from flask import Flask, jsonify, request
from flask.typing import ResponseReturnValue

from app import ports
from app.ports import AccountRef, SearchAddress
from app.providers.http import HttpClient
from app.providers.sandbox.network_search import SandboxNetworkSearch
from app.providers.unipile.network_search import NO_COMPANY, UNKNOWN
from app.providers.unipile.network_search import UnipileNetworkSearch as Adapter
from tests.providers.data_server import DataServer, Object, Rule
from tests.providers.failing import differs, failure_of

Accounts = list[AccountRef]
CLIENT = HttpClient(allow_private=True, any_port=True)
PEOPLE = "https://www.linkedin.com/search/results/people/"
SALES = "https://www.linkedin.com/sales/search/people?savedSearchId=17"
CLASSIC = SearchAddress("people_search", ports.Product.CLASSIC, f"{PEOPLE}?keywords=ops", f"{PEOPLE}?keywords=ops")
SAVED = SearchAddress("saved_search", ports.Product.SALES_NAVIGATOR, SALES, SALES)
TALENT = "https://www.linkedin.com/talent/search?searchContextId=a"
RECRUITER = SearchAddress("recruiter_search", ports.Product.RECRUITER, TALENT, TALENT)
COMPANY = SearchAddress(
    "company_people", ports.Product.CLASSIC, "https://www.linkedin.com/company/acme/people/", PEOPLE, "acme"
)
# The numbers of companies, and what asks with an offset in version 2.
COMPANIES, BY_OFFSET = {"acme": "1441"}, ("search", "sales-navigator/search")


@dataclass
class Searches(DataServer):
    """One account. `urls` are the addresses that were searched for; `counted`: whether results are counted, or how."""

    urls: list[str] = field(default_factory=list)
    counted: bool | float = True

    def count(self) -> Object:
        total = len(self.people) if self.counted is True else self.counted
        return {"total_count": total} if self.counted else {}

    def rules(self) -> list[Rule]:
        later = ("search", "sales-navigator/search", "recruiter/search")
        return [
            ("POST", "/api/v1/linkedin/search", self._search),
            *(("POST", f"/v2/acc_1/linkedin/{path}", self._search_later) for path in later),
            ("GET", "/api/v1/linkedin/company/<name>", self._company),
            ("GET", "/v2/acc_1/linkedin/company/<name>", self._company),
        ]

    def unknown_key(self) -> ResponseReturnValue:
        return jsonify(status=401, type="errors/missing_credentials", title="Missing credentials"), 401

    def _url(self) -> None:
        body = request.get_json()
        assert list(body) == ["url"]
        self.urls.append(body["url"])

    def _search(self) -> ResponseReturnValue:
        self._url()
        assert request.args["account_id"] == "acc_1"
        first, limit = int(request.args.get("cursor") or 0), int(request.args["limit"])
        some = self.people[first : first + limit]
        paging: Object = {"start": first, "page_count": len(some)} | self.count()
        return jsonify(object="LinkedinSearch", items=some, config={}, paging=paging, cursor=str(first + limit))

    def _search_later(self) -> ResponseReturnValue:
        self._url()
        by_offset = request.path.partition("/linkedin/")[2] in BY_OFFSET
        assert not ({"cursor", "offset"} & {*request.args}) - {"offset" if by_offset else "cursor"}
        first, limit = int(request.args.get("offset") or request.args.get("cursor") or 0), int(request.args["limit"])
        some, total = self.people[first : first + limit], len(self.people)
        more = not by_offset and first + limit < total
        answer: Object = {"data": some, "next_cursor": str(first + limit) if more else None}
        return jsonify(answer | self.count())

    def _company(self, name: str) -> ResponseReturnValue:
        if name not in COMPANIES:
            return jsonify(status=404, type="errors/resource_not_found", title="Not found"), 404
        return jsonify(object="CompanyProfile", id=COMPANIES[name], name=name.title(), public_identifier=name)


def classic(number: int) -> Object:
    return {
        "type": "PEOPLE", "id": f"ACoAAAdHsOUBYtAunOfY{number}", "name": f"Ada Lovelace{number}",
        "member_urn": f"urn:li:member:{number}",
        "profile_url": f"https://www.linkedin.com/in/ada-{number}?miniProfileUrn=urn%3Ali%3Afs_miniProfile%3AACoAA",
        "network_distance": "DISTANCE_2", "location": "London", "headline": "Founder at Engine | pumps",
    }  # fmt: skip


def in_sales_navigator(**more: Any) -> Object:
    return {
        "type": "PEOPLE", "id": "ACwAAASNCJcBS2NERCgi", "industry": None, "name": "Grace Hopper",
        "first_name": "Grace", "last_name": "Hopper", "public_identifier": "grace-hopper-1",
        "public_profile_url": "https://www.linkedin.com/in/grace-hopper-1",
        "profile_url": "https://www.linkedin.com/sales/lead/ACwAAASNCJcBS2NERCgi,NAME_SEARCH,NqOz",
        "profile_picture_url": "https://media.example/grace.jpg", "location": "United States",
        "headline": "Building compilers\n\nThroughout my career, " + "I have built compilers. " * 40,
        "current_positions": [{"company": "Flow-Matic", "company_id": None, "role": "Director of Compilers"}],
    } | more  # fmt: skip


@pytest.fixture
def server(running: Callable[[Searches], Searches]) -> Searches:
    return running(Searches(people=[classic(number) for number in range(25)]))


@pytest.fixture
def accounts(server: Searches) -> Accounts:
    return [reference({"base_url": f"{server.url}/{name}", "api_key": "good"}) for name in ("v2", "api/v1")]


def reference(settings: dict[str, str]) -> AccountRef:
    return AccountRef(1, 1, "acc_1", "Ines", datetime(2026, 11, 2, 9, tzinfo=UTC), settings=settings)


@pytest.fixture
def search() -> Adapter:
    return Adapter(CLIENT)


def walked(read: Callable[[str], ports.SearchPage]) -> list[ports.SearchPage]:
    pages, cursor = [read("")], ""
    while (cursor := pages[-1].cursor) and len(pages) < 50:
        pages.append(read(cursor))
    return pages


def test_a_search_is_read_page_by_page_to_its_end(search: Adapter, server: Searches, accounts: Accounts) -> None:
    for account, wanted, counted in product(accounts, (CLASSIC, SAVED, RECRUITER), (True, False)):
        server.counted, server.urls = counted, []
        pages = walked(partial(search.read, account, wanted, 10))
        found = [one.public_id for page in pages for one in page.people]
        assert found == [f"ada-{number}" for number in range(25)]
        assert {page.total for page in pages} == {25 if counted else None}
        assert {*server.urls} == {wanted.url}


def test_people_are_read_as_each_product_shows_them(search: Adapter, server: Searches, accounts: Accounts) -> None:
    """Name, job and profile; an introduction is cut to a headline. The capital letters of a network's own name for
    someone without a public one matter where the profile is opened."""
    jobs = [
        {"job_title": "Cook", "company": {"id": "1", "name": "Diner"}, "ended_on": "01/01/2020"},
        {"job_title": "Chef", "company": {"id": "2", "name": "Bistro"}, "ended_on": None},
    ]
    later = {"object": "User", "id": "ACwAA1", "display_name": "Ann Lee", "public_identifier": "Ann-Lee"}
    bare = in_sales_navigator(public_identifier=None, public_profile_url=None, id="ACwAAASNCJcBS2NERCgX")
    server.people = [classic(1), in_sales_navigator(), later | {"headline": "", "work_experience": jobs}, bare]
    for account in accounts:
        ada, grace, ann, other = search.read(account, SAVED, 25).people
        assert (ada.public_id, ada.first_name, ada.last_name) == ("ada-1", "Ada", "Lovelace1")
        assert (ada.title, ada.company, ada.member_id) == ("Founder", "Engine", "ACoAAAdHsOUBYtAunOfY1")
        assert (grace.public_id, grace.profile_url) == ("grace-hopper-1", "https://www.linkedin.com/in/grace-hopper-1")
        assert (grace.title, grace.company) == ("Director of Compilers", "Flow-Matic")
        assert len(grace.headline) <= 300
        assert "\n" not in grace.headline
        assert (ann.public_id, ann.first_name, ann.last_name) == ("ann-lee", "Ann", "Lee")
        assert (ann.title, ann.company) == ("Chef", "Bistro")
        assert other.public_id == "acwaaasncjcbs2nercgx"
        assert other.profile_url == "https://www.linkedin.com/in/ACwAAASNCJcBS2NERCgX"


def test_a_count_without_end_is_an_answer_that_was_not_understood(
    search: Adapter, server: Searches, accounts: Accounts
) -> None:
    server.counted = math.inf
    for account in accounts:
        with pytest.raises(ports.Unreachable, match="unexpected format"):
            search.read(account, CLASSIC, 10)


def test_people_whom_the_network_hides_are_counted_and_left_out(
    search: Adapter, server: Searches, accounts: Accounts
) -> None:
    """Recruiter shows a number of its own, which opens no profile; companies are no people."""
    bare = {"public_identifier": None, "public_profile_url": None, "profile_url": None}
    server.people = [
        in_sales_navigator(**bare, name=None, id="AEMAABvbttcBIYQi6vtv"),
        in_sales_navigator(**bare, id="AEMAABvbttcBIYQi6vtv"),
        in_sales_navigator(name="LinkedIn Member"),
        in_sales_navigator(type="COMPANY"),
        classic(7),
    ]
    for account in accounts:
        page = search.read(account, RECRUITER, 25)
        assert ([one.public_id for one in page.people], page.hidden) == (["ada-7"], 4)


def test_a_company_is_asked_for_its_number_once(server: Searches, accounts: Accounts) -> None:
    """Its people are those of a people search with that number; one that is named by its number is not asked for."""
    numbered = SearchAddress("company_people", ports.Product.CLASSIC, "", f"{PEOPLE}?keywords=ops", "99")
    unknown = SearchAddress("company_people", ports.Product.CLASSIC, "", PEOPLE, "nowhere")
    for account in accounts:
        server.urls, server.asked = [], []
        search = Adapter(CLIENT)
        walked(partial(search.read, account, COMPANY, 10))
        assert {*server.urls} == {f"{PEOPLE}?currentCompany=%5B%221441%22%5D"}
        assert len([path for path, _ in server.asked if "/company/" in path]) == 1
        search.read(account, numbered, 10)
        assert server.urls[-1] == f"{PEOPLE}?keywords=ops&currentCompany=%5B%2299%22%5D"
        with pytest.raises(ports.Refused, match=NO_COMPANY):
            search.read(account, unknown, 10)
    with pytest.raises(ports.LoggedOut, match="Unipile is not connected"):
        search.read(reference({}), CLASSIC, 10)


def refused(status: int, kind: str, detail: str = "") -> Callable[[str], Any]:
    return lambda path: (jsonify(status=status, type=f"errors/{kind}", title=kind, detail=detail), status)


FAILURES: list[tuple[Callable[[str], Any], type[ports.ProviderError], str]] = [
    (
        refused(403, "feature_not_subscribed"),
        ports.Refused,
        "This account's LinkedIn subscription doesn't include this action.",
    ),
    (refused(404, "resource_not_found"), ports.Refused, UNKNOWN),
    (refused(400, "invalid_url", "Bad url"), ports.Refused, "Unipile rejected the request (400): Bad url."),
    (refused(401, "disconnected_account"), ports.LoggedOut, "LinkedIn signed this account out. Sign in again."),
    (refused(422, "limit_exceeded"), ports.Throttled, "This account has reached a LinkedIn limit."),
    (refused(429, "too_many_requests"), ports.Throttled, "Unipile's request limit for this account has been reached."),
    (refused(500, "provider_error"), ports.Unreachable, "Unipile returned 500 (provider_error)."),
    (lambda path: "<html>", ports.Unreachable, "Unipile's response was not JSON."),
    (lambda path: jsonify(something="else"), ports.Unreachable, "Unipile's response has an unexpected format"),
]


def test_each_failure_says_what_it_means_for_the_search(search: Adapter, server: Searches, accounts: Accounts) -> None:
    otherwise = []
    for account, (wrong, kind, words) in product(accounts, FAILURES):
        server.wrong = wrong
        found = failure_of(partial(search.read, account, CLASSIC, 10))
        if differs(found, kind) or not str(found).startswith(words):
            otherwise.append((account.settings, kind, found))
    assert otherwise == []


def test_the_sandbox_shows_the_same_people_for_the_same_address(app: Flask) -> None:
    """On several pages, in one order; others for another address; some are hidden, as on the real network."""
    account, search = reference({}), SandboxNetworkSearch()
    pages = walked(lambda cursor: search.read(account, CLASSIC, 25, cursor))
    found = [one.public_id for page in pages for one in page.people]
    total = pages[0].total or 0
    assert len(pages) > 3
    assert len({*found}) == len(found) == total - sum(page.hidden for page in pages)
    assert all(page.hidden for page in pages[:-1])
    assert pages == walked(lambda cursor: search.read(account, CLASSIC, 25, cursor))
    assert not {*found} & {one.public_id for one in search.read(account, SAVED, 25).people}


def test_the_sandbox_shows_people_of_the_company_that_is_asked_for(app: Flask) -> None:
    people = SandboxNetworkSearch().read(reference({}), COMPANY, 25).people
    assert {one.company for one in people} == {"Acme"}
    assert all(one.headline == f"{one.title} at Acme" for one in people)
