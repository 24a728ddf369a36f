"""Signing in to a network at its own page, as its pages show it; and accounts that need it again."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from flask import Flask

from app.core.clock import Movable
from app.core.db import end_read
from app.domain.engine.inbound import poll
from app.domain.platform import services
from app.domain.senders import accounts
from app.models.workspaces import Role, Workspace
from tests.pages.conftest import Web
from tests.pages.senders.test_accounts import become
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked


@pytest.fixture
def there(app: Flask, clock: Movable) -> Iterator[UnipileServer]:
    """Unipile."""
    running = networked.server()
    clock.forward(hours=1)
    yield running
    running.stop()


@pytest.fixture
def live(there: UnipileServer) -> Workspace:
    """A live workspace that has connected it."""
    return networked.workspace(there)


@pytest.fixture
def lena(app: Flask, live: Workspace) -> Web:
    """Its owner, signed in."""
    web = Web(app.test_client())  # type: ignore[arg-type]
    assert web.sign_in("lena@live.example").status_code == 303
    return web


def begin(web: Web, **form: str) -> str:
    """The page of a sign-in that was begun."""
    answer = web.post("/senders/sign-in", form)
    assert answer.status_code == 303
    return str(answer.headers["Location"])


def at_unipile(there: UnipileServer, page: str) -> str:
    """The token in the address that the page leads to."""
    return page.partition(f'href="{there.url}/wizard/')[2].partition('"')[0]


def back(there: UnipileServer, token: str, **given: str) -> str:
    """Where someone comes back to us."""
    parts = urlsplit(there.world.links[token]["back"])
    return f"{parts.path}?{parts.query}" + "".join(f"&{name}={value}" for name, value in given.items())


def test_an_account_is_connected_by_hosted_sign_in(lena: Web, live: Workspace, there: UnipileServer) -> None:
    """From the page of new senders to Unipile and back, with the account connected in the chosen time zone."""
    assert "Connect a social account" in lena.get("/senders/new").text
    path = begin(lena, timezone="Europe/Paris")
    waiting = lena.get(path).text
    assert "Waiting for the sign-in" in waiting
    token = at_unipile(there, waiting)
    made = there.world.sign_in(token)
    answer = lena.get(back(there, token, account_id=made.id, provider="linkedin"))
    assert answer.headers["Location"] == path
    page = lena.get(path).text
    (account,) = accounts.every(live)
    assert "Marek Novák is connected" in page
    assert f'href="/senders/{account.id}"' in page
    assert (account.provider_ref, account.timezone) == (made.id, "Europe/Paris")
    assert "hx-trigger" not in lena.get(path, htmx=True).text


def test_the_page_looks_by_itself(lena: Web, there: UnipileServer) -> None:
    """A piece for htmx, which asks again until the account is there, whoever does not come back."""
    path = begin(lena)
    piece = lena.get(path, htmx=True).text
    assert 'hx-trigger="every 5s"' in piece
    there.world.sign_in(at_unipile(there, piece))
    assert "is connected" in lena.get(path, htmx=True).text


def test_a_time_zone_that_is_none_is_refused_before_anyone_signs_in(lena: Web, there: UnipileServer) -> None:
    """At the field, with what was typed in it."""
    answer = lena.post("/senders/sign-in", timezone="Europe/Pariss")
    assert answer.status_code == 422
    assert answer.text.count("Enter an IANA time zone such as Europe/Berlin.") == 1
    assert 'value="Europe/Pariss"' in answer.text.partition('id="social-timezone"')[2].partition(">")[0]
    assert not there.world.links


def test_what_went_wrong_there_is_said(lena: Web, live: Workspace, there: UnipileServer) -> None:
    """With a way to begin again; nothing was changed."""
    path = begin(lena)
    token = at_unipile(there, lena.get(path).text)
    lena.get(back(there, token, error_title="<script>alert(1)</script>"))
    page = lena.get(path).text
    assert "The sign-in was canceled or refused." in page
    assert "Start again" in page
    assert "alert(1)" not in page
    assert accounts.every(live) == []


def test_a_canceled_sign_in_connects_nothing(lena: Web, live: Workspace, there: UnipileServer) -> None:
    """Then nothing comes of it any more."""
    path = begin(lena)
    token = at_unipile(there, lena.get(path).text)
    assert lena.post(f"{path}/cancel").headers["Location"] == "/senders"
    made = there.world.sign_in(token)
    lena.get(back(there, token, account_id=made.id))
    assert "The sign-in was canceled" in lena.get(path).text
    assert accounts.every(live) == []


def test_a_state_of_someone_else_leads_nowhere(lena: Web, there: UnipileServer, stranger: Web) -> None:
    """Neither a guessed one nor that of another workspace."""
    path = begin(lena)
    token = at_unipile(there, lena.get(path).text)
    made = there.world.sign_in(token)
    assert stranger.get(back(there, token, account_id=made.id)).status_code == 404
    assert stranger.get(path).status_code == 404
    assert lena.get("/senders/sign-in/back?state=guessed&account_id=acc").status_code == 404


def test_without_unipile_the_page_says_what_comes_first(lena: Web, live: Workspace) -> None:
    """And beginning all the same says it too."""
    services.disconnect(live, "unipile")
    page = lena.get("/senders/new").text
    assert "Connect Unipile first" in page
    assert 'href="/settings/services"' in page
    assert begin(lena) == "/senders/new"
    assert "Unipile is not connected." in lena.get("/senders/new").text


def test_when_unipile_is_down_it_is_said(lena: Web, there: UnipileServer) -> None:
    """In place, and no sign-in is left behind."""
    there.stop()
    assert begin(lena) == "/senders/new"
    assert "Check the service in Settings → Services, then try again." in lena.get("/senders/new").text


def test_an_account_in_trouble_leads_to_its_sign_in(lena: Web, live: Workspace, there: UnipileServer) -> None:
    """And goes on when it has been signed in again."""
    account = networked.ines(live)
    there.world.stands(there.world.accounts["acc_ines"], "partial")
    poll.poll([account], live.now())
    end_read()
    page = lena.get(f"/senders/{account.id}").text
    assert "The network needs a security check" in page
    assert "Sign in again" in page
    path = begin(lena, account=str(account.id))
    shown = lena.get(path).text
    assert "Sign in again: Ines Duarte" in shown
    there.world.sign_in(at_unipile(there, shown))
    assert "Ines Duarte is connected" in lena.get(path).text
    assert begin(lena, account=str(account.id)) == f"/senders/{account.id}"


def test_only_those_who_may_connect_senders_sign_in(lena: Web, live: Workspace) -> None:
    """As for mailboxes."""
    path = begin(lena)
    become(live, Role.REVIEWER)
    for answer in (lena.get(path), lena.post(f"{path}/cancel"), lena.post("/senders/sign-in")):
        assert answer.status_code == 403


def test_a_sandbox_has_no_such_page(web: Web) -> None:
    """It reaches no one real."""
    assert "Unipile" not in web.get("/senders/new").text
    assert begin(web) == "/senders/new"
