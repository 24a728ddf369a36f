"""Searching people through Unipile, in both generations, against the published contract."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import pytest
from flask import jsonify, request
from flask.typing import ResponseReturnValue

from app.core.text import is_text
from app.ports import Credentials, LoggedOut, PeopleQuery, ProviderError, Refused, Throttled, Unreachable
from app.providers.http import HttpClient
from app.providers.unipile.search import UnipileSearch
from tests.providers.data_server import DataServer, Object, Rule
from tests.providers.failing import differs, failure_of
from tests.providers.lookup_contract import keeps_to_people

Opened = list[Credentials]  # one for each generation of the interface
CLIENT = HttpClient(allow_private=True, any_port=True)
IDS = {"Germany": "101282230", "Austria": "103883259", "computer software": "4", "internet": "6"}
ROWS = {
    "titles": ["Founder", "Head of Sales"],
    "companyType": ["Software companies"],
    "location": ["Germany", "Narnia"],
}


@dataclass
class SearchServer(DataServer):
    """One account; `state` is how it stands."""

    state: str = "running"

    def rules(self) -> list[Rule]:
        return [
            ("GET", "/v2/accounts/", self._accounts),
            ("GET", "/api/v1/accounts", self._accounts),
            ("POST", "/v2/acc_1/linkedin/search/people", self._search),
            ("POST", "/api/v1/linkedin/search", self._search),
            ("GET", "/v2/acc_1/linkedin/search/parameters", self._parameters),
            ("GET", "/api/v1/linkedin/search/parameters", self._parameters),
        ]

    def unknown_key(self) -> ResponseReturnValue:
        return jsonify(status=401, type="errors/missing_credentials", title="Missing credentials"), 401

    def _accounts(self) -> ResponseReturnValue:
        if request.path.startswith("/v2"):
            one = {"object": "Account", "id": "acc_1", "name": "Ines", "provider": "linkedin", "status": self.state}
            return jsonify(data=[one], next_cursor=None)
        status = "OK" if self.state == "running" else "CREDENTIALS"
        one = {"object": "Account", "id": "acc_1", "type": "LINKEDIN", "name": "Ines", "sources": [{"status": status}]}
        return jsonify(object="AccountList", items=[one], cursor=None)

    def _search(self) -> ResponseReturnValue:
        first, limit = int(request.args.get("cursor") or 0), int(request.args["limit"])
        some, total = self.people[first : first + limit], len(self.people)
        cursor = str(first + limit) if first + limit < total else None
        if request.path.startswith("/v2"):
            return jsonify(data=some, total_count=total, next_cursor=cursor)
        assert request.get_json()["api"] == "classic"
        return jsonify(object="LinkedinSearch", items=some, cursor=cursor, paging={"total_count": total})

    def _parameters(self) -> ResponseReturnValue:
        name = request.args["keywords"]
        found = [{"id": IDS[name], "name": name, "title": name}] if name in IDS else []
        return jsonify(data=found) if request.path.startswith("/v2") else jsonify(items=found)


def a_member(number: int) -> Object:
    return {
        "id": f"ACoAA{number}", "public_identifier": f"ada-{number}", "display_name": f"Ada Lovelace{number}",
        "headline": "Founder at Engine | pumps", "location": "Berlin", "type": "PEOPLE",
    }  # fmt: skip


@pytest.fixture
def server(running: Callable[[SearchServer], SearchServer]) -> SearchServer:
    return running(SearchServer(people=[a_member(number) for number in range(25)]))


@pytest.fixture
def generations(server: SearchServer) -> Opened:
    values = {"api_key": "good"}
    return [Credentials("unipile", values | {"base_url": f"{server.url}/{name}"}) for name in ("v2", "api/v1")]


@pytest.fixture
def search() -> UnipileSearch:
    return UnipileSearch(CLIENT)


def test_a_search_walks_stable_pages_with_filters(server: SearchServer, generations: Opened) -> None:
    """The rows are filters, by the numbers that the network gives them, asked once."""
    for opened in generations:
        server.asked.clear()
        search = UnipileSearch(CLIENT)
        find = partial(search.find_people, opened)
        keeps_to_people(partial(search.count_people, opened), find, PeopleQuery(ROWS), 10)
        sent = next(body for path, body in server.asked if path.endswith(("/people", "/search")))
        assert (sent["location"], sent["industry"]) == ([IDS["Germany"]], ["4", "6"])
        assert sent["advanced_keywords"] == {"title": '"Founder" OR "Head of Sales"'}
        assert len([path for path, _ in server.asked if path.endswith("/parameters")]) == 5
        one = find(PeopleQuery({}), 5, "").people[0]
        assert (one.first_name, one.last_name, one.title, one.company) == ("Ada", "Lovelace0", "Founder", "Engine")


def test_other_companies_are_searched_as_words(
    search: UnipileSearch, server: SearchServer, generations: Opened
) -> None:
    """Whom the account may not see is left out; without an account someone has to sign in first."""
    server.people = [{**a_member(1), "public_identifier": None}, a_member(2)]
    for opened in generations:
        server.state = "running"
        found = search.find_people(opened, PeopleQuery({"companyType": ["Llama breeders"]}), 5)
        assert [one.public_id for one in found.people] == ["ada-2"]
        assert server.asked[-1][1]["keywords"] == '"Llama breeders"'
        server.state = "disconnected"
        with pytest.raises(LoggedOut, match="No LinkedIn account"):
            search.count_people(opened, PeopleQuery(ROWS))


def test_trouble_is_a_failure_with_a_sentence(search: UnipileSearch, server: SearchServer, generations: Opened) -> None:
    """Throttling, a fault, no JSON, words that no text of ours can hold, and a search without its total."""
    troubles: list[tuple[Any, Any, int, type[ProviderError]]] = [
        (jsonify, {"type": "errors/too_many_requests"}, 429, Throttled),
        (jsonify, {"type": "errors/provider_error"}, 500, Unreachable),
        (str, "<html>", 200, Unreachable),
        (str, "[" * 20_000, 200, Unreachable),
        (jsonify, {"type": "errors/of_tomorrow", "detail": "Half\0 a character: \ud83d"}, 422, Refused),
        (jsonify, {"data": [], "items": []}, 200, Unreachable),
    ]
    for opened, (make, body, status, kind) in product(generations, troubles):
        answer = partial(lambda make, body, status: (make(body), status), make, body, status)
        server.wrong = lambda path, answer=answer: answer() if path.endswith(("/people", "/search")) else None
        found = failure_of(partial(search.count_people, opened, PeopleQuery(ROWS)))
        assert not differs(found, kind), found
        assert is_text(str(found))
