"""Who may open what: every page, every role, against the one table."""

import html
import inspect
import re
from collections.abc import Iterator

import pytest
from flask import Flask
from werkzeug.routing import Rule

from app.domain.approvals import approvals
from app.domain.workspace import roles
from app.models.workspaces import Role, Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import may_change
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.outreach import INVITE, email, forward, message, the_account
from tests.domain.reviewing import drafts, held
from tests.pages.conftest import HTMX, Web, become, found_in, must_have
from tests.support.movable import Movable

SELF = (
    "pages.profile.end",
    "pages.profile.sign_out_everywhere",
    "pages.team.leave",
)  # these end what the walk stands on
FORM = may_change(lambda: None).__code__
CHOICE = re.compile(r"<any\(([^,)]+)[^)]*\):[^>]*>")
VALUE = re.compile(r"<(?:(int|path|string):)?([^>]*)>")


def pages(app: Flask) -> list[Rule]:
    """Every page that is not for everyone."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("pages.")]
    return [rule for rule in rules if not page_permissions.public(rule.endpoint)]


def methods(rule: Rule) -> Iterator[str]:
    """GET, POST or both."""
    yield from sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})


def address(rule: Rule, **ids: int) -> str:
    """An address that the rule answers, of these things where it names them."""
    path = CHOICE.sub(lambda found: found[1].strip(), rule.rule)
    return VALUE.sub(lambda found: str(ids.get(found[2], 1)) if found[1] == "int" else "x", path)


def form_of(app: Flask, endpoint: str) -> bool:
    """Whether the view is decorated with `may_change`."""
    view = app.view_functions[endpoint]
    return inspect.unwrap(view, stop=lambda one: one.__code__ is FORM).__code__ is FORM


def test_every_page_belongs_to_a_permission_area(app: Flask) -> None:
    assert len(pages(app)) > 100
    assert [rule.endpoint for rule in pages(app) if page_permissions.area_of(rule.endpoint) not in roles.AREAS] == []


def test_every_page_lets_in_the_roles_of_the_table(app: Flask, web: Web, acme: Workspace) -> None:
    """Refused means 403, on every page and for every form; anything else means that they may."""
    for role in list(Role):
        become(acme, role)
        sender = the_account(acme).id
        token, wrong = web.token() if role != Role.REVIEWER else _token(web), []
        for rule in pages(app):
            if rule.endpoint in SELF:
                continue
            for method in methods(rule):
                change = method != "GET" or form_of(app, rule.endpoint)
                allowed = page_permissions.may(role, rule.endpoint, change)
                form = {"csrf_token": token} if change else None
                place = address(rule, account_id=sender)
                answer = web.client.open(place, method=method, data=form, headers=HTMX)  # a piece is enough, and quick
                refused = answer.status_code == 403 and "Your role (" in answer.text
                if answer.status_code >= 500:
                    wrong.append(f"{method} {rule.rule} {answer.status_code}")
                if refused == allowed and rule.endpoint != "pages.home.index":
                    wrong.append(f"{method} {rule.rule} {answer.status_code}")
        assert wrong == []


def _token(web: Web) -> str:
    return found_in(web.get("/approvals").text, r'<meta name="csrf" content="([^"]+)"')


def test_every_page_that_is_not_public_sends_a_stranger_to_sign_in(app: Flask, acme: Workspace) -> None:
    stranger, opened = app.test_client(), []
    for rule in pages(app):
        if page_permissions.public(rule.endpoint) or "GET" not in rule.methods:
            continue
        answer = stranger.get(address(rule))
        if not (answer.status_code in (302, 303) and answer.location.startswith("/login")):
            opened.append(f"{rule.rule} {answer.status_code} {answer.location}")
    assert opened == []


def test_what_views_say_and_what_the_table_says_is_the_same(app: Flask) -> None:
    """A view that names roles names those of its area."""
    different = {
        endpoint: area
        for endpoint, view in app.view_functions.items()
        if endpoint.startswith("pages.") and (named := getattr(view, "roles", ()))
        for area in [page_permissions.area_of(endpoint)]
        if {Role.OWNER, *named} != roles.AREAS[area].change
    }
    assert different == {}


def test_every_form_of_the_table_asks_for_the_password_again(app: Flask, clock: Movable, web: Web) -> None:
    assert {"pages.services.connect", "pages.team.invite", "pages.developers.create_key"} <= page_permissions.FRESH
    clock.forward(hours=1)
    forms = [rule for rule in pages(app) if rule.endpoint in page_permissions.FRESH]
    asking = {rule.endpoint for rule in forms if "password_again" in web.post(address(rule)).text}
    assert asking == page_permissions.FRESH


def test_each_role_begins_where_its_work_is(visitor: Web, acme: Workspace) -> None:
    for role, landing in [("owner", "/"), ("operator", "/"), ("reviewer", "/approvals"), ("integrator", "/developers")]:
        become(acme, role)
        assert visitor.sign_in("ada@acme.example").headers["Location"] == landing
        assert visitor.get("/").status_code == (303 if role == "reviewer" else 200)


def test_a_refusal_names_who_can_change_it(web: Web, acme: Workspace) -> None:
    become(acme, Role.OPERATOR)
    must_have(web.get("/settings/audit"), 403, "Your role (operator) doesn&#39;t allow this.", "Ask a workspace owner")
    become(acme, Role.REVIEWER)
    page = web.get("/approvals").text
    links = re.findall(r'<a href="(/[^"#]*)"[^>]*data-go', page)
    assert links == ["/notifications", "/approvals", "/conversations", "/monitors", "/settings/you"]


@pytest.mark.usefixtures("clock")
def test_no_one_is_led_where_they_may_not_go(web: Web, acme: Workspace) -> None:
    """Every link of the pages that a reviewer has; where they may not go, the name is plain text."""
    held(acme, ["replies-positive-ada"], [INVITE, message("Hello {{first_name}}"), message("More", days=9)])
    forward(acme, days=2)
    approvals.edit(acme, drafts(acme)[0].id, text="Hello Ada", approve=True)
    forward(acme, days=9)
    held(acme, ["quiet-bob"], [email("Dear {{first_name}}", subject="For you")], name="Waits")
    (talk,) = all_threads(acme)
    waits = drafts(acme, "pending")[0]
    owners = links(web, f"/approvals/{waits.id}") | links(web, f"/conversations/{talk.id}")
    assert {f"/people/{waits.lead_id}", f"/campaigns/{waits.campaign_id}"} <= owners
    become(acme, Role.REVIEWER)
    pages_of_theirs = ("/approvals", f"/approvals/{waits.id}", "/conversations", f"/conversations/{talk.id}")
    found = set().union(*(links(web, page) for page in pages_of_theirs))
    assert {path for path in found if web.get(path).status_code == 403} == set()
    assert "quiet-bob" in web.get(f"/approvals/{waits.id}").text or "Bob" in web.get(f"/approvals/{waits.id}").text


def links(web: Web, path: str) -> set[str]:
    """Where the links of a page lead, on this site."""
    found = re.findall(r'<a [^>]*href="(/[^"#]*)"', web.get(path).text)
    return {html.unescape(one) for one in found}
