"""What strangers, services and members wrote, in a real browser: words, never a part of the page."""

from datetime import timedelta

import sqlalchemy as sa
from flask import Flask
from playwright.sync_api import Error, Page

from app.core.db import session, transaction
from app.domain.conversations import inbox, notes, snippets
from app.domain.installation.sandbox import demo
from app.domain.senders import unreadable
from app.domain.workspace import saved_views
from app.models.accounts import Account
from app.models.conversations import Conversation
from app.models.platform.requests import ApiRequest
from app.models.webhooks import Delivery, DeliveryAttempt
from app.models.workspaces import User, Workspace
from app.ports import Unreadable
from tests.attack import planting
from tests.e2e import filled
from tests.e2e.browsing import sign_in

# All marks that became attributes, also within templates; all links that run; and the names that stand there as text.
LOOK = """(mark) => {
  const within = root => [...root.querySelectorAll('*')].flatMap(one => [
    one, ...(one instanceof HTMLTemplateElement ? within(one.content) : []),
  ]);
  const all = within(document), grown = all.filter(one => one.hasAttribute(mark));
  const runs = one => [...one.attributes].some(its => /^\\s*(javascript|vbscript|data:text)/i.test(its.value)
    && /^(href|src|action|formaction|xlink:href|srcdoc|data|poster|hx-.*)$/.test(its.name));
  const values = all.flatMap(one => [...one.attributes].map(its => its.value)).join(' ');
  return [[...grown, ...all.filter(runs)].map(one => one.outerHTML.slice(0, 300)),
    values + document.documentElement.textContent];
}"""


def test_no_text_becomes_part_of_any_page(app: Flask, full: Workspace, page: Page) -> None:
    """Every text that is kept carries a script and every link is one, and every page is opened."""
    addresses = [one for some in filled.signed_in_pages(app, full).values() for one in some]
    sign_in(page, demo.EMAIL)
    _more(full)
    sown = planting.sow()
    ran: list[str] = []
    page.expose_function("planted", lambda *given: ran.append(f"{page.url}: {given}"))
    page.on("dialog", lambda dialog: ran.append(f"{page.url}: {dialog.message}"))
    grown: list[str] = []
    wrong: list[str] = []
    seen: set[str] = set()
    for address in addresses:
        try:
            answer = page.goto(address)
        except Error as error:
            if "Download is starting" in error.message:
                continue  # a file is no page
            raise
        if answer is None or answer.status >= 500:
            wrong.append(f"{address}: {answer and answer.status}")
            continue
        parts, said = page.evaluate(LOOK, planting.MARK)
        grown += [f"{address}: {part}" for part in parts]
        seen |= set(planting.NAMED.findall(said))
    assert (wrong, grown, ran) == ([], [], [])
    assert len(sown) > 140, sorted(sown)
    assert len(seen) > 90, sorted(sown - seen)


def _more(workspace: Workspace) -> None:
    """What the filled workspace has none of."""
    here = {"workspace_id": workspace.id}
    talks = sa.select(Conversation).where(Conversation.workspace_id == workspace.id)
    talk = session().scalars(talks.order_by(Conversation.last_message_at.desc()).limit(1)).one()
    senders = sa.select(Account).where(Account.workspace_id == workspace.id)
    sender = session().scalars(senders.order_by(Account.id).limit(1)).one()
    tried = session().scalars(sa.select(Delivery).where(Delivery.workspace_id == workspace.id).limit(1)).one()
    user = session().scalars(sa.select(User).where(User.email == demo.EMAIL)).one()
    notes.add(workspace, talk.id, "Call them.")
    inbox.remind(workspace, talk.id, workspace.now().date() + timedelta(days=30), "Ask again.")
    snippets.add(workspace, "Prices", "Our prices are these.")
    for place in saved_views.PLACES:
        saved_views.save(workspace, user, place, "A view", "q=a")
    asked = {"ref": "req_1", "method": "POST", "path": "/v1/lists", "refused": True, "key_id": 1, "status": 400}
    with transaction() as current:
        current.add(DeliveryAttempt(**here, delivery_id=tried.id, at=workspace.now(), status=500, milliseconds=1))
        current.add(ApiRequest(**here, **asked, created_at=workspace.now(), milliseconds=1, sent="{} ", answered="{} "))
        unreadable.set_aside(
            current.merge(sender),
            [Unreadable("1", workspace.now(), "Ada", "A subject", "ValueError")],
        )
