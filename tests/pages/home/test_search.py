"""Search as a page, and its fragments for the palette."""

import re

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.campaigns import campaigns
from app.domain.installation.sandbox.sandbox_clock import advance
from app.domain.leads import leads, lists
from app.domain.senders import accounts
from app.domain.webhooks import endpoints
from app.models.conversations import Conversation
from app.models.people import Person
from app.models.workspaces import Workspace
from app.pages.framework import settings_rail, shell
from app.pages.home import search
from tests.domain.outreach import VIEW
from tests.pages.conftest import Web, become, must_have

MAYA = {"publicId": "maya-lind", "firstName": "Maya", "lastName": "Lindqvist", "companyName": "HubSpoke"}
PEOPLE = [
    MAYA | {"email": "m@x.example"},
    {"publicId": "ozil", "firstName": "Özlem", "lastName": "Şahin", "companyName": "100%_sure"},
    {"publicId": "odd", "firstName": "<b>Bold</b>", "lastName": "O'Brien"},
]


@pytest.fixture
def stock(acme: Workspace, rival: Workspace) -> None:
    """Both workspaces have people, lists and a campaign; the stranger's are called Maya too."""
    for workspace, name in ((acme, "Founders"), (rival, "Rival founders")):
        found = lists.create_list(workspace, name)
        leads.add(workspace, found.id, PEOPLE if workspace is acme else [PEOPLE[0] | {"lastName": "Stranger"}])
        again = lists.create_list(workspace, f"{name}, again")
        leads.add(workspace, again.id, PEOPLE[:1])
        name, sender = f"Spring at {workspace.name}", accounts.every(workspace)[0].id
        campaigns.create(workspace, name=name, list_id=found.id, account_ids=[sender], sequence=[VIEW])


def lines(page: str) -> list[str]:
    return [re.sub("<[^>]+>", "", name) for name in re.findall(r'<span class="name trunc">(.*?)</span>', page)]


@pytest.mark.usefixtures("stock")
def test_one_field_finds_pages_people_campaigns_and_lists(web: Web) -> None:
    everything = lines(web.get("/search").text)
    assert {"Home", "Campaigns", "New campaign", "Import people", "New list", "Create key", "Dark colors"} <= {
        *everything
    }
    assert lines(web.get("/search?q=maya").text) == ["Maya Lindqvist"]
    assert lines(web.get("/search?q=founders").text) == ["Founders, again", "Founders"]
    assert "Spring at Acme" in lines(web.get("/search?q=SPRING").text)
    assert lines(web.get("/search?q=new+camp").text) == ["New campaign"]


def test_pages_and_settings_are_found_by_the_words_people_type(web: Web) -> None:
    """Every page of the menu and every place of the settings has such words, and no other page."""
    wanted = {
        "export": "Export workspace", "delete": "Delete a person", "hours": "Senders", "bounce": "Do not contact",
        "duplicates": "Possible duplicates", "unsubscribe": "Do not contact", "API key": "API keys",
        "time zone": "Name", "2fa": "Two-factor sign-in", "gdpr": "Trust", "upload": "Lists", "slack": "Email and chat",
    }  # fmt: skip
    assert {q: name for q, name in wanted.items() if name not in lines(web.get(f"/search?q={q}").text)} == {}
    menu = {entry.endpoint for entry in (*shell.NAV, shell.BELL)}
    tabs = {tab.type or tab.endpoint for entry in shell.NAV for tab in entry.tabs}
    assert menu | tabs | {place.endpoint for place in settings_rail.PLACES} == search.WORDS.keys()


@pytest.mark.usefixtures("stock")
def test_people_are_found_in_any_spelling_and_nothing_else_is(web: Web) -> None:
    spelled = [
        "maya",
        "MAYA",
        "lindq",
        "hubspok",
        "m@x.example",
        "maya-lind",
        "lind may",
        "https://www.x.com/in/Maya-Lind/",
    ]
    wanted = {q: ["Maya Lindqvist"] for q in spelled} | {
        q: ["Özlem Şahin"] for q in ("özl", "ÖZLEM", "şah", "100%25_s")
    }
    assert {q: lines(web.get(f"/search?q={q}").text) for q in wanted} == wanted
    for q in ["ma_a", "10%25", "m%25", "stranger", "zzz", "lindqvist nobody"]:
        must_have(web.get(f"/search?q={q}"), without=("Lindqvist</bdi>", "Stranger"))
    must_have(web.get("/search?q=%3Cb%3E"), "&lt;b&gt;Bold", without="<b>Bold")
    assert "No results" in web.get("/search?q=%3Ci%3E").text


@pytest.mark.usefixtures("stock")
def test_the_palette_gets_its_dialog_and_then_lines(web: Web) -> None:
    dialog = web.get("/search", htmx=True)
    assert dialog.text.lstrip().startswith('<dialog id="palette"')
    assert 'role="combobox"' in dialog.text
    assert dialog.text.count('role="option"') > 10
    found = web.get("/search?q=maya", htmx=True, HX_Target="div#palette-found").text
    assert "<dialog" not in found
    assert lines(found) == ["Maya Lindqvist"]
    assert 'role="option"' in found


@pytest.mark.usefixtures("stock")
def test_each_role_sees_what_it_may(web: Web, acme: Workspace) -> None:
    become(acme, "reviewer")
    seen = lines(web.get("/search").text)
    assert "Approvals" in seen
    assert not {"Campaigns", "New campaign", "Create key", "Fast-forward 1 day", "Lists"} & {*seen}
    assert "No results" in web.get("/search?q=maya").text
    become(acme, "integrator")
    seen = lines(web.get("/search").text)
    assert {"Developers", "Create key", "Campaigns"} <= {*seen}
    assert "New campaign" not in seen
    assert lines(web.get("/search?q=maya").text) == ["Maya Lindqvist"]


def test_a_day_can_be_skipped_in_a_sandbox_only(web: Web, acme: Workspace) -> None:
    page = web.get("/search?q=skip").text
    assert lines(page) == ["Fast-forward 1 day"]
    assert 'action="/sandbox/skip"' in page
    assert web.post("/sandbox/skip", hours="24").status_code == 303
    advance(acme, 1)


@pytest.mark.usefixtures("stock")
def test_settings_senders_and_what_else_has_a_name_are_found(web: Web, acme: Workspace) -> None:
    assert {"Two-factor sign-in"} <= set(lines(web.get("/search?q=phone").text))
    assert {"Contact rules"} <= set(lines(web.get("/search?q=contact+rules").text))
    name = accounts.every(acme)[0].name
    assert name in lines(web.get(f"/search?q={name}").text)
    webhook, _ = endpoints.create(acme, name="Into the CRM", url="https://crm.example/hook", event="inmail_reply")
    found = web.get("/search?q=crm").text
    assert "Into the CRM" in lines(found)
    assert f"/developers/webhooks/{webhook.id}" in found
    become(acme, "viewer")
    assert "Into the CRM" not in lines(web.get("/search?q=crm").text)


@pytest.mark.usefixtures("stock")
def test_a_conversation_is_found_by_its_person(web: Web, acme: Workspace) -> None:
    maya = session().scalars(sa.select(Person).where(Person.workspace_id == acme.id, Person.first_name == "Maya")).one()
    with transaction() as current:
        about = {"workspace_id": acme.id, "sender_id": accounts.every(acme)[0].id, "person_id": maya.id}
        last = {"last_message_at": acme.now(), "last_direction": "in"}
        thread = Conversation(channel="social", created_at=acme.now(), updated_at=acme.now(), **about, **last)
        current.add(thread)
    assert f'href="/conversations/{thread.id}"' in web.get("/search?q=lindqvist").text
