"""What belongs to another workspace does not exist on pages either: every id of every address."""

import re
from collections.abc import Callable

import pytest
from flask import Flask
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.api.framework.declarations import ENDPOINTS
from app.core.db import session
from app.domain.campaigns import bulk_changes
from app.domain.enrichment import enrichment
from app.domain.workspace import sessions
from app.models.workspaces import Workspace
from tests.api.framework.test_strangers import CALL_OUT
from tests.api.framework.test_strangers import ask as asked
from tests.api.stock import KINDS, UNKNOWN_ID, Stock
from tests.pages.conftest import HTMX, Web
from tests.pages.framework.test_page_permissions import VALUE, address, methods, pages
from tests.support.clients import Api
from tests.support.members import owner

COUNTED = {"number", "step", "version"}  # within a thing that an id before it names
OF_THE_INSTALLATION = {"model_id"}
# Whose address needs a word that is one of some, and a mailbox that signs in somewhere.
NEED_MORE = {"pages.campaigns.left_out_people", "pages.mailboxes.login"}
# The keys of steps are new each time; a server admin sees everyone's; an export is recorded; Unipile is not among the
# services of the stock.
DIFFER = {"/campaigns/new", "/settings/system", "/settings/audit", "/senders/new"}
CHANGING = re.compile(r'name="csrf_token" value="[^"]*"|req_\w+')


def _list_change(stock: Stock) -> int:
    return bulk_changes.start(stock.workspace, stock.id_of("list_id"), "tag", {}, {"value": "VIP"}).id


def _looked_up(stock: Stock) -> int:
    return int(enrichment.get(stock.workspace, stock.id_of("enrichment_id")).list_id or 0)


def _session(stock: Stock) -> int:
    sessions.begin(owner(stock.workspace))
    return sessions.every(owner(stock.workspace))[0].id


# Where a page means another kind by the word than `/v1` does, or has a word of its own.
MEANS = {
    "pages.campaigns.person.person_id": "campaign_lead_id",
    "pages.campaigns.let_in.person_id": "campaign_lead_id",
    "pages.lists.companies.list_id": "lists.add_companies.list_id",
    "run_id": "enrichment_id",
    "sample_id": "plays.vote.lead_id",
}
ONLY_HERE: dict[str, Callable[[Stock], int]] = {
    "pages.lists.changes.change_id": _list_change,
    "pages.enriching.show.list_id": _looked_up,
    "pages.enriching.cancel.list_id": _looked_up,
    "session_id": _session,
}


def ids_of(rule: Rule) -> list[str]:
    """The ids in its addresses that belong to a workspace."""
    return [
        name for kind, name in VALUE.findall(rule.rule) if kind == "int" and name not in COUNTED | OF_THE_INSTALLATION
    ]


def id_of(stock: Stock, rule: Rule, name: str) -> int:
    """The id of a thing of theirs that the rule means by that name."""
    places = (f"{rule.endpoint}.{name}", f"{rule.endpoint.rpartition('.')[0]}.{name}", name)
    for known in places:
        if known in ONLY_HERE:
            made: dict[str, int] = stock.__dict__.setdefault("of_pages", {})
            return made.get(known) or made.setdefault(known, ONLY_HERE[known](stock))
    return stock.id_of(next((MEANS[place] for place in places if place in MEANS), name))


def ask(web: Web, rule: Rule, method: str, ids: dict[str, int]) -> tuple[int, str, str]:
    """The status, where it leads, and what it says, on the next page too, apart from ids."""
    form = {"csrf_token": web.token()} if method == "POST" else None
    answer = web.client.open(address(rule, **ids), method=method, data=form, headers=HTMX if method == "GET" else {})
    next_page = web.get("/nothing-here") if method == "POST" and answer.status_code < 400 else answer
    place, said = (re.sub(r"\d+", "0", text) for text in (answer.headers.get("Location", ""), shown(next_page)))
    return answer.status_code, place, said


def shown(answer: TestResponse) -> str:
    """What a person reads of it: the messages, and what lies between the bars."""
    found = re.search(r'id="toasts".*', answer.text, re.DOTALL)
    return CHANGING.sub("", found[0] if found else answer.text)


@pytest.fixture
def ours(acme: Workspace) -> Stock:
    return Stock(acme)


@pytest.fixture
def theirs(rival: Workspace) -> Stock:
    return Stock(rival)


def with_ids(app: Flask) -> list[Rule]:
    """Every page that an id leads to."""
    return [rule for rule in pages(app) if ids_of(rule)]


def test_a_strangers_thing_looks_like_nothing(app: Flask, web: Web, ours: Stock, theirs: Stock) -> None:
    """The same answer as for an id that no one has, at every place of the address. One's own things are there."""
    told_apart = []
    for rule in sorted(with_ids(app), key=lambda rule: "crm_list_id" in rule.arguments):  # a CRM ends the sandbox
        names = ids_of(rule)
        own, foreign = ({name: id_of(stock, rule, name) for name in names} for stock in (ours, theirs))
        for method in methods(rule):
            for mixed in (foreign, *(own | {name: foreign[name]} for name in names if len(names) > 1)):
                missing = {name: UNKNOWN_ID if mixed[name] == foreign[name] else mixed[name] for name in names}
                answer, nothing = (ask(web, rule, method, ids) for ids in (mixed, missing))
                if answer != nothing or answer[0] == 200 or answer[0] >= 500:
                    told_apart.append((method, rule.rule, answer[0], nothing[0]))
        if "GET" in methods(rule) and rule.endpoint not in NEED_MORE:
            if (status := ask(web, rule, "GET", own)[0]) not in (200, 303):
                told_apart.append(("GET", rule.rule, status, "own"))
            web.get("/nothing-here")  # its messages are no one else's
    assert told_apart == []


@pytest.mark.usefixtures("clock")
def test_nothing_of_a_stranger_changes(app: Flask, web: Web, theirs: Stock, rival_api: Api) -> None:
    """Whatever they have, our pages say the same; and after every form with their ids it is as it was."""
    without_ids = [
        rule for rule in pages(app) if not ids_of(rule) and "GET" in methods(rule) and rule.rule not in DIFFER
    ]
    alone = {rule.rule: ask(web, rule, "GET", {}) for rule in without_ids}
    lists = [one for one in ENDPOINTS if one.method == "GET" and one.answer is not None and one.name not in CALL_OUT]
    named = {(rule.endpoint, name): id_of(theirs, rule, name) for rule in with_ids(app) for name in ids_of(rule)}
    ids = {name: theirs.id_of(name) for name in KINDS}
    before = [asked(rival_api, one, ids) for one in lists]
    assert {rule.rule for rule in without_ids if ask(web, rule, "GET", {}) != alone[rule.rule]} == set()
    for rule in with_ids(app):
        if "POST" in methods(rule):
            ask(web, rule, "POST", {name: named[rule.endpoint, name] for name in ids_of(rule)})
    session().expire_all()
    assert [asked(rival_api, one, ids) for one in lists] == before
