"""What opened an installation before an upgrade opens it afterwards: keys, passwords, codes, links, secrets."""

import re
from datetime import UTC, datetime
from typing import Any

import pyotp
from standardwebhooks import Webhook as Verifier

from tests.providers.hunter_server import HunterServer
from tests.support.receivers import Receiver
from tests.upgrade.conftest import KNOWN, Installation, Open

SEALED = 25  # values, in ten columns
NEW_SECRET = "another key of this installation, made long after"
NEW_PASSWORD = "five other unrelated loud words"
MISSING = "/u/" + "x" * 66


def test_old_api_keys_and_passwords_still_open_what_they_did(old: Installation, clock: Any) -> None:
    """And only that: a key that was revoked opens nothing, one that was replaced works for the rest of its day."""
    for name, workspace in (("harbour", "Harbour"), ("lighthouse", "Lighthouse"), ("reading", "Harbour")):
        me = old.api(name).get("me")
        assert (me.status_code, me.json["workspace"]["name"]) == (200, workspace)
    assert old.api("reading").get("lists").status_code == 200
    assert old.api("reading").post("lists", {"name": "Ours"}).status_code == 403
    assert [old.api(name).get("me").status_code for name in ("revoked", "rolled")] == [401, 200]
    assert "Lighthouse" in old.web("lea@lighthouse.example").get("/").text
    assert old.visitor().sign_in("lea@lighthouse.example", NEW_PASSWORD).status_code == 422
    web = old.visitor()
    with web.client.session_transaction() as kept:  # a browser that was signed in still is
        kept.update(old.known["session"])
    assert "Harbour" in web.get("/lists").text
    clock.forward(days=1)
    assert old.api("rolled").get("me").status_code == 401


def test_the_second_step_still_takes_codes_of_the_same_app_and_recovery_codes_once(old: Installation) -> None:
    web = old.visitor()
    asked = web.sign_in("cy@harbour.example", old.known["password"])
    assert asked.headers["Location"] == "/login/code"
    code = pyotp.TOTP(old.known["totp_secret"]).at(datetime.fromisoformat(old.known["at"]))
    assert web.post("/login/code", code=f"{(int(code) + 1) % 1_000_000:06}").status_code == 422
    assert web.post("/login/code", code=code).status_code == 303
    assert "Operator of Harbour" in web.get("/").text
    for answer in (303, 422):
        web = old.visitor()
        web.sign_in("cy@harbour.example", old.known["password"])
        assert web.post("/login/code", code=old.known["recovery_codes"][0]).status_code == answer


def test_old_unsubscribe_links_still_lead_out(old: Installation) -> None:
    """Looking changes nothing; a click, or the mail program's own, puts the address on the list."""
    api, client, out = old.api("lighthouse"), old.app.test_client(), set[str]()
    assert client.get(MISSING).status_code == 404
    for link in old.known["links"]["unsubscribe"][:2]:
        page = client.get(link["path"])
        assert (page.status_code, "Lighthouse" in page.text) == (200, True)
        assert {entry["value"] for entry in api.get("never-contact").json["data"]} == out
        assert client.post(link["path"], data={"List-Unsubscribe": "One-Click"}).status_code == 200
        out.add(link["address"])
        assert {entry["value"] for entry in api.get("never-contact").json["data"]} == out


def test_old_links_to_join_and_for_a_new_password_still_work(old: Installation) -> None:
    """An invitation has the role it was made for; one that was withdrawn does not work."""
    links = old.known["links"]
    assert old.visitor().get(links["withdrawn"]).status_code == 404
    dee = old.visitor()
    assert "dee@harbour.example" in dee.get(links["invite"]).text
    assert dee.post(links["invite"], password=NEW_PASSWORD, name="Dee").status_code == 303
    assert "Operator of Harbour" in dee.get("/").text
    assert old.visitor().post(links["reset"], password=NEW_PASSWORD).headers["Location"] == "/login"
    assert old.visitor().sign_in("bo@harbour.example", NEW_PASSWORD).status_code == 303
    assert old.visitor().sign_in("bo@harbour.example", old.known["password"]).status_code == 422


def test_webhooks_are_signed_with_the_secrets_they_were_given(old: Installation, clock: Any) -> None:
    """A delivery that waited arrives; a replaced secret signs beside the new one for a day; what was off is off."""
    hooks = {hook["name"]: hook["active"] for hook in old.api().get("webhooks").json["data"]}
    assert hooks == {"replies": True, "messages": True, "waiting": True, "inactive": False}
    hook, receiver = old.known["webhooks"]["messages"], Receiver()
    try:
        old.api().patch(f"webhooks/{hook['id']}", {"url": receiver.url})
        assert old.api().post(f"webhooks/{hook['id']}/test").status_code == 201
        old.look("delivery")
        (tested,) = [request for request in receiver.requests if b'"test":true' in request.body.replace(b" ", b"")]
        assert set(signatures(tested.headers)) == {signed(hook[name], tested) for name in ("secret", "former_secret")}
    finally:
        receiver.stop()
    assert_what_waited_arrives_signed(old, clock)


def assert_what_waited_arrives_signed(installation: Installation, clock: Any) -> None:
    """Each delivery is made with the secret that its receiver was given before."""
    hook, receiver = installation.known["webhooks"]["waiting"], Receiver()
    try:
        assert installation.api().patch(f"webhooks/{hook['id']}", {"url": receiver.url}).status_code == 200
        clock.forward(hours=12)
        for _ in range(5):  # a host gets so many at a time
            installation.look("delivery")
        assert len(receiver.requests) == hook["pending"]
        for request in receiver.requests:
            assert signatures(request.headers) == [signed(hook["secret"], request)]
    finally:
        receiver.stop()
    assert installation.api().get(f"webhooks/{hook['id']}/deliveries", state="pending").json["data"] == []


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
    """Sealed anew with another key, nothing is left shut, and what was signed with the former one stays valid.

    With another key alone nothing opens: these tests would notice when secrets are lost.
    """
    lost = open_installation(SECRET_KEY=NEW_SECRET)
    assert lost.api().get("me").status_code != 200
    assert lost.command("secrets", "rotate").exit_code != 0
    former = old.known["secret_key"].replace(",", "%2C")
    rotated = old.command("secrets", "rotate", SECRET_KEY=NEW_SECRET, OVERTURE_OLD_SECRET_KEYS=former)
    assert rotated.exit_code == 0, rotated.output
    assert "All values are encrypted" in rotated.output
    assert sum(int(number) for number in re.findall(r": (\d+) re-encrypted", rotated.output)) >= SEALED
    renewed = open_installation(SECRET_KEY=NEW_SECRET)
    assert renewed.api().get("me").status_code == 200
    assert renewed.visitor().get(old.known["links"]["invite"]).status_code == 200
    assert renewed.visitor().get(old.known["links"]["unsubscribe"][0]["path"]).status_code == 200
