"""The page behind the way out of an e-mail: for people who look, and for mail programs that ask."""

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import transaction
from app.domain.people.exclusions import never_contact, unsubscribe_token
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, begun, the_intent
from tests.pages.conftest import must_have
from tests.support.clients import Client

ADDRESS = "ada@people.example"
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def path(acme: Workspace) -> str:
    """Where the link of an e-mail leads."""
    return f"/u/{unsubscribe_token.token(acme.id, 1, ADDRESS)}"


def test_only_the_button_unsubscribes_and_it_can_be_undone(client: Client, acme: Workspace, path: str) -> None:
    asked = client.get(path)
    assert (asked.status_code, never_contact.count(acme)) == (200, 0)
    must_have(asked, f'<form class="actions" method="post" action="{path}">', "Acme")
    must_have(client.post(path), "You are unsubscribed", f'action="{path}/undo"')
    assert never_contact.count(acme) == 1
    assert "You are unsubscribed" in client.get(path).text
    assert "Welcome back" in client.post(f"{path}/undo").text
    assert never_contact.count(acme) == 0


def test_a_mail_program_needs_one_request(client: Client, acme: Workspace, path: str) -> None:
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        headers = {"Origin": "https://mail.elsewhere.example", "Sec-Fetch-Site": "cross-site"}
        assert client.post(path, data=ONE_CLICK, content_type=kind, headers=headers).status_code == 200
    assert never_contact.count(acme) == 1


def test_no_one_is_followed(client: Client, path: str) -> None:
    for answer in (client.get(path), client.post(path, data=ONE_CLICK)):
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "<script" not in answer.text
        assert "http" not in answer.text.replace("http-equiv", "")
        assert ADDRESS not in answer.text


def test_a_broken_link_says_so(client: Client, app: Flask) -> None:
    for method in ["get", "post"]:
        answer = getattr(client, method)("/u/broken")
        assert answer.status_code == 404
        assert "Open the link from the email again." in answer.text


@pytest.mark.usefixtures("clock")
def test_a_message_on_its_way_is_not_denied(client: Client, acme: Workspace) -> None:
    """A click can't call back what a server is taking at this moment."""
    a_campaign(acme, ["accepts-ada"])
    intended = the_intent(begun(acme))
    address = "ada@people.example"
    path = f"/u/{unsubscribe_token.token(acme.id, intended.campaign_lead_id, address)}"
    assert "may still arrive" not in client.get(path).text
    assert "may still arrive" in client.post(path, data=ONE_CLICK).text
    with transaction() as current:
        current.execute(sa.update(Action).values(check_at=None, state=ActionState.SENT))
    assert "may still arrive" not in client.get(path).text
