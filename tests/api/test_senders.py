"""Connecting senders in `/v1`: accounts, hosted sign-ins, mailboxes, and what could not be read."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app import ports
from app.core.db import session
from app.domain.platform import request_log
from app.domain.senders import accounts
from app.domain.workspace import api_keys
from app.models.platform.requests import ApiRequest
from app.models.workspaces import Workspace
from app.providers.dns import Dns
from tests.domain.outreach import the_account
from tests.providers.mail.mailservers import Post, Servers
from tests.providers.nameserver import Nameserver
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked
from tests.support.clients import Api, paths
from tests.support.networked import live, there

__all__ = ["live", "there"]
PASSWORD = "canary password"


@pytest.fixture
def ours(app: Flask, live: Workspace) -> Api:
    return Api(app.test_client(), api_keys.create(live, "Tests", ["all"])[1])  # type: ignore[arg-type]


@pytest.fixture
def servers() -> Iterator[Servers]:
    """A mailbox."""
    running = Servers(Post(username="ines@acme.com", password=PASSWORD))
    yield running
    running.close()


@pytest.fixture
def names(app: Flask) -> Iterator[Nameserver]:
    """A name server that knows nothing."""
    running = Nameserver({})
    ports.domain_records.connect(Dns(running.place, within=30))
    yield running
    running.close()


def login(servers: Servers, password: str = PASSWORD) -> dict[str, object]:
    return {
        "smtpHost": "127.0.0.1", "smtpPort": servers.smtp_port, "imapHost": "127.0.0.1",
        "imapPort": servers.imap_port, "password": password,
    }  # fmt: skip


def test_the_sandbox_connects_simulated_senders_without_a_domain(api: Api, acme: Workspace) -> None:
    made = api.post("accounts", {"name": "Lena Fischer", "timezone": "Europe/Berlin"})
    assert (made.status_code, made.json["publicId"], made.json["timezone"]) == (201, "lena-fischer", "Europe/Berlin")
    assert set(paths(api.post("accounts", {"name": "Lena Fischer"}))) == {"name"}
    assert set(paths(api.post("accounts", {"name": " ", "timezone": "Mars"}))) == {"name", "timezone"}
    box = api.post("mailboxes", {"address": "Lena@Acme.example"})
    assert (box.status_code, box.json["address"], box.json["name"]) == (201, "lena@acme.example", "lena")
    assert api.get(f"mailboxes/{box.json['id']}").json == box.json
    assert set(paths(api.post("mailboxes", {"address": "nobody", "smtpPort": 0}))) == {"smtpPort"}
    refused = api.put(f"mailboxes/{box.json['id']}/login", {"password": "word"})
    assert (refused.status_code, refused.json["error"]["code"]) == (400, "not_supported")
    assert api.post(f"mailboxes/{box.json['id']}/domain-checks").json["error"]["code"] == "not_supported"
    assert api.post(f"mailboxes/{the_account(acme).id}/domain-checks").status_code == 404


def test_an_account_signs_in_on_the_networks_page(ours: Api, live: Workspace, there: UnipileServer) -> None:
    begun = ours.post("sign-ins", {"timezone": "Europe/Berlin"})
    path = f"sign-ins/{begun.json['id']}"
    assert (begun.status_code, begun.json["status"], begun.json["accountId"]) == (201, "open", None)
    waiting = ours.get(path).json
    assert waiting == {name: value for name, value in begun.json.items() if name != "page"}
    there.world.sign_in(begun.json["page"].rpartition("/")[2])
    done = ours.get(path).json
    account = ours.get(f"accounts/{done['accountId']}").json
    assert (done["status"], account["timezone"]) == ("done", "Europe/Berlin")
    assert ours.post(f"{path}/cancel").json == done
    again = ours.post("sign-ins", {"accountId": account["id"]})
    assert (again.status_code, again.json["error"]["code"]) == (409, "conflict")


def test_a_sign_in_can_be_canceled_and_names_what_is_wrong(
    ours: Api, api: Api, acme: Workspace, there: UnipileServer
) -> None:
    begun = ours.post("sign-ins", {}).json
    path = f"sign-ins/{begun['id']}"
    assert ours.post(f"{path}/cancel").json["status"] == "canceled"
    there.world.sign_in(begun["page"].rpartition("/")[2])
    assert ours.get(path).json["accountId"] is None
    assert set(paths(ours.post("sign-ins", {"accountId": the_account(acme).id}))) == {"accountId"}
    assert set(paths(ours.post("sign-ins", {"timezone": "Mars"}))) == {"timezone"}
    refused = api.post("sign-ins", {})
    assert (refused.status_code, refused.json["error"]["code"]) == (400, "not_supported")


def test_a_mailbox_is_connected_with_a_login_that_is_never_shown(ours: Api, live: Workspace, servers: Servers) -> None:
    refused = ours.post("mailboxes", {"address": "ines@acme.com", **login(servers, "canary wrong")})
    assert set(paths(refused)) <= {"password", "smtpHost", "imapHost"}
    assert accounts.every(live) == []
    made = ours.post("mailboxes", {"address": "ines@acme.com", "name": "Ines", **login(servers)})
    assert (made.status_code, made.json["name"]) == (201, "Ines")
    assert "canary" not in refused.text + made.text
    request_log.finish()
    assert not any("canary" in line.sent + line.answered for line in session().query(ApiRequest))


def test_a_mailbox_gets_another_login_after_a_test(ours: Api, servers: Servers) -> None:
    made = ours.post("mailboxes", {"address": "ines@acme.com", **login(servers)}).json
    path = f"mailboxes/{made['id']}/login"
    servers.post.password = "another"
    assert ours.put(path, login(servers)).status_code == 400
    assert ours.put(path, login(servers, "another")).json["status"] == "connected"


def test_unknown_servers_are_asked_for(ours: Api, names: Nameserver) -> None:
    assert set(paths(ours.post("mailboxes", {"address": "ines@acme.com", "password": "word"}))) == {
        "smtpHost",
        "imapHost",
    }
    assert "address" in paths(ours.post("mailboxes", {"address": "ines"}))


def test_a_domain_is_checked_and_the_findings_stay(ours: Api, servers: Servers, names: Nameserver) -> None:
    made = ours.post("mailboxes", {"address": "ines@acme.com", **login(servers)}).json
    path = f"mailboxes/{made['id']}/domain-checks"
    assert ours.get(path).json == {"checks": [], "checkedAt": None}
    found = ours.post(path).json
    assert {one["check"]: one["verdict"] for one in found["checks"]} == {
        "MX": "bad", "SPF": "bad", "DKIM": "open", "DMARC": "bad", "Block lists": "good",
    }  # fmt: skip
    assert all(one["advice"] for one in found["checks"] if one["verdict"] == "bad")
    assert ours.get(path).json == found


def test_a_sender_signed_out_is_connected_again_once_the_network_lets_it(
    ours: Api, live: Workspace, there: UnipileServer
) -> None:
    account = networked.ines(live)
    account.status = "challenged"
    session().commit()
    there.world.stands(there.world.accounts[account.provider_ref], "disconnected")
    path = f"senders/{account.id}/reconnect"
    refused = ours.post(path)
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "conflict")
    there.world.stands(there.world.accounts[account.provider_ref], "running")
    assert ours.post(path).json["health"]["status"] == "connected"


def test_an_inbox_is_read_at_once(api: Api, acme: Workspace) -> None:
    account = the_account(acme)
    account.polled_at = acme.now()
    session().commit()
    assert api.post(f"senders/{account.id}/read").status_code == 204
    assert the_account(acme).polled_at is None
