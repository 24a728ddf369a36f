"""What opened an installation before an upgrade opens it afterwards: keys, passwords, codes, links, secrets."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyotp
import pytest
from standardwebhooks import Webhook as Verifier

from tests.providers.hunter_server import HunterServer
from tests.support.receivers import Receiver
from tests.upgrade.conftest import KNOWN, Installation, Open

SEALED = 25  # values, in ten columns
NEW_SECRET = "another key of this installation, made long after"
NEW_PASSWORD = "five other unrelated loud words"
MISSING = "/u/" + "x" * 66


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint that answers."""
    running = Receiver()
    yield running
    running.stop()


def test_old_api_keys_still_open_the_api(old: Installation) -> None:
    """The workspaces they open and what they may do there are the same."""
    for name, workspace in (("harbour", "Harbour"), ("lighthouse", "Lighthouse"), ("reading", "Harbour")):
        me = old.api(name).get("me")
        assert (me.status_code, me.json["workspace"]["name"]) == (200, workspace)
    assert old.api("reading").get("lists").status_code == 200
    assert old.api("reading").post("lists", {"name": "Ours"}).status_code == 403


def test_a_revoked_key_still_opens_nothing(old: Installation) -> None:
    assert old.api("revoked").get("me").status_code == 401


def test_a_replaced_key_works_for_the_rest_of_its_day(old: Installation, clock: Any) -> None:
    assert old.api("rolled").get("me").status_code == 200
    clock.forward(days=1)
    assert old.api("rolled").get("me").status_code == 401


def test_old_passwords_still_sign_in(old: Installation) -> None:
    """And only they."""
    assert "Lighthouse" in old.web("lea@lighthouse.example").get("/").text
    assert old.visitor().sign_in("lea@lighthouse.example", NEW_PASSWORD).status_code == 422


def test_the_second_step_still_takes_codes_of_the_same_app(old: Installation, clock: Any) -> None:
    web = old.visitor()
    asked = web.sign_in("cy@harbour.example", old.known["password"])
    assert asked.headers["Location"] == "/login/code"
    code = pyotp.TOTP(old.known["totp_secret"]).at(datetime.fromisoformat(old.known["at"]))
    assert web.post("/login/code", code=f"{(int(code) + 1) % 1_000_000:06}").status_code == 422
    assert web.post("/login/code", code=code).status_code == 303
    assert "Operator of Harbour" in web.get("/").text


def test_recovery_codes_still_work_once(old: Installation) -> None:
    code = old.known["recovery_codes"][0]
    for answer in (303, 422):
        web = old.visitor()
        web.sign_in("cy@harbour.example", old.known["password"])
        assert web.post("/login/code", code=code).status_code == answer


def test_a_browser_that_was_signed_in_still_is(old: Installation) -> None:
    web = old.visitor()
    with web.client.session_transaction() as kept:
        kept.update(old.known["session"])
    assert "Harbour" in web.get("/lists").text


@pytest.mark.parametrize("number", [0, 1])
def test_old_unsubscribe_links_still_lead_out(old: Installation, number: int) -> None:
    """Looking changes nothing; a click, or the mail program's own, puts the address on the list."""
    link = old.known["links"]["unsubscribe"][number]
    page = old.app.test_client().get(link["path"])
    assert page.status_code == 200
    assert "Lighthouse" in page.text
    assert old.app.test_client().get(MISSING).status_code == 404
    api = old.api("lighthouse")
    assert api.get("never-contact").json["data"] == []
    assert old.app.test_client().post(link["path"], data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert [entry["value"] for entry in api.get("never-contact").json["data"]] == [link["address"]]


def test_an_old_invitation_still_lets_in(old: Installation) -> None:
    """With the role it was made for; one that was withdrawn does not work."""
    assert old.visitor().get(old.known["links"]["withdrawn"]).status_code == 404
    dee = old.visitor()
    assert "dee@harbour.example" in dee.get(old.known["links"]["invite"]).text
    assert dee.post(old.known["links"]["invite"], password=NEW_PASSWORD, name="Dee").status_code == 303
    assert "Operator of Harbour" in dee.get("/").text


def test_an_old_link_for_a_new_password_still_works(old: Installation) -> None:
    answer = old.visitor().post(old.known["links"]["reset"], password=NEW_PASSWORD)
    assert answer.headers["Location"] == "/login"
    assert old.visitor().sign_in("bo@harbour.example", NEW_PASSWORD).status_code == 303
    assert old.visitor().sign_in("bo@harbour.example", old.known["password"]).status_code == 422


def test_a_delivery_that_waited_arrives_with_a_valid_signature(
    old: Installation, receiver: Receiver, clock: Any
) -> None:
    """Each is made with the secret that its receiver was given before the upgrade."""
    hook = old.known["webhooks"]["waiting"]
    assert old.api().patch(f"webhooks/{hook['id']}", {"url": receiver.url}).status_code == 200
    clock.forward(hours=12)
    for _ in range(5):  # a host gets so many at a time
        old.look("delivery")
    assert len(receiver.requests) == hook["pending"]
    for request in receiver.requests:
        assert signatures(request.headers) == [signed(hook["secret"], request)]
    waiting = old.api().get(f"webhooks/{hook['id']}/deliveries", state="pending").json["data"]
    assert waiting == []


def test_a_replaced_webhook_secret_still_signs_beside_the_new_one(old: Installation, receiver: Receiver) -> None:
    """For the rest of its day."""
    hook = old.known["webhooks"]["messages"]
    old.api().patch(f"webhooks/{hook['id']}", {"url": receiver.url})
    assert old.api().post(f"webhooks/{hook['id']}/test").status_code == 201
    old.look("delivery")
    (tested,) = [request for request in receiver.requests if b'"test":true' in request.body.replace(b" ", b"")]
    assert set(signatures(tested.headers)) == {signed(hook[name], tested) for name in ("secret", "former_secret")}


def test_a_webhook_that_was_off_is_still_off(old: Installation) -> None:
    hooks = {hook["name"]: hook["active"] for hook in old.api().get("webhooks").json["data"]}
    assert hooks == {"replies": True, "messages": True, "waiting": True, "inactive": False}


def signatures(headers: dict[str, str]) -> list[str]:
    """Those that a request came with."""
    return headers["webhook-signature"].split()


def signed(secret: str, request: Any) -> str:
    """The signature that a receiver with that secret expects."""
    at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"]), tz=UTC)
    return str(Verifier(secret).sign(request.headers["webhook-id"], at, request.body.decode()))


def test_a_connected_service_is_still_asked_with_its_key(open_installation: Open) -> None:
    """Another key would be refused there."""
    hunter = HunterServer(keys={KNOWN["sqlite"]["hunter_key"]})
    try:
        old = open_installation(OVERTURE_HUNTER_URL=hunter.url)
        found = old.api("lighthouse").post("services/hunter/check").json
        assert (found["failure"], [path for path, _ in hunter.asked]) == ("", ["/account"])
    finally:
        hunter.stop()


def test_everything_sealed_still_opens(old: Installation, open_installation: Open) -> None:
    """Sealed anew with another key, nothing is left shut, and what was signed with the former one stays valid."""
    former = old.known["secret_key"].replace(",", "%2C")
    rotated = old.command("secrets", "rotate", SECRET_KEY=NEW_SECRET, OVERTURE_OLD_SECRET_KEYS=former)
    assert rotated.exit_code == 0, rotated.output
    assert "All values are encrypted" in rotated.output
    assert sum(int(number) for number in re.findall(r": (\d+) re-encrypted", rotated.output)) >= SEALED
    renewed = open_installation(SECRET_KEY=NEW_SECRET)
    assert renewed.api().get("me").status_code == 200
    assert renewed.visitor().get(old.known["links"]["invite"]).status_code == 200
    assert renewed.visitor().get(old.known["links"]["unsubscribe"][0]["path"]).status_code == 200


def test_a_wrong_key_of_the_installation_opens_nothing_of_it(open_installation: Open) -> None:
    """These tests notice when secrets are lost: with another SECRET_KEY nothing above would hold."""
    lost = open_installation(SECRET_KEY=NEW_SECRET)
    assert lost.api().get("me").status_code != 200
    rotated = lost.command("secrets", "rotate")
    assert rotated.exit_code != 0
