"""One of everything in an installation: what is done there, in which order, and what is written down of it."""

import html
import json
import re
from typing import Any

import pyotp
import sqlalchemy as sa

from app.core import clock
from tests.support.clients import Api
from tests.upgrade.being_made import HUNTER_KEY, MAIL_PASSWORD, PASSWORD, Installation

FORMER_SECRET = "the key of the first months of this installation"
SECRET = "the key of this installation, for as long as it stands"
ALWAYS = {"timezone": "UTC", "days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "23:59"}
INVITE = {"type": "connection_request", "message": "Hello {{first_name|there}}"}
PEOPLE = (
    "accepts-ada accepts-alan accepts-barbara accepts-claude replies-positive-cleo replies-positive-dora"
    " replies-negative-edsger replies-question-frances replies-neutral-grace replies-referral-hedy away-ines"
    " ignores-joan ignores-karen late-accepts-lise connected-mary connected-niklaus closed-olga refuses-peter"
    " bounces-quinn soft-bounces-rosa lost-answer-sophie unreachable-tony accepts-ursula cannot-tell-vint"
).split()
CSV = """First name,Last name,Profile,Email,Tier,Tags
Wanda,Brook,https://network.example/in/accepts-wanda,wanda@engine.example,A,"north, pilot"
Xaver,Lund,https://network.example/in/ignores-xaver,xaver@engine.example,B,north
,,,not an address,C,
"""


def message(text: str, days: int = 0) -> dict[str, Any]:
    """A message step."""
    return {"type": "message", "message": text, "delay": {"value": days, "unit": "days"}}


def email(subject: str, days: int = 0) -> dict[str, Any]:
    """An e-mail step."""
    text = "Dear {{first_name|reader}},\n\nwould a short call help?"
    return {"type": "email", "subject": subject, "message": text, "delay": {"value": days, "unit": "days"}}


def fill(made: Installation) -> dict[str, Any]:
    """The installation has one of everything; what tests need to know of it."""
    notes = made.notes = {"secret_key": SECRET, "former_secret_key": FORMER_SECRET, "password": PASSWORD}
    made.open(FORMER_SECRET)
    made.command("db", "upgrade")
    create = ("workspace", "create", "--password", PASSWORD)
    notes["harbour"] = json.loads(
        made.command(
            *(*create, "--name", "Harbour", "--email", "ada@harbour.example"),
            *("--sandbox", "--timezone", "Europe/Berlin", "--seed", 7),
        )
    )
    notes["lighthouse"] = json.loads(made.command(*create, "--name", "Lighthouse", "--email", "lea@lighthouse.example"))
    harbour, lighthouse = notes["harbour"]["workspaceId"], notes["lighthouse"]["workspaceId"]
    for number in (harbour, lighthouse):
        made.command("credits", "grant", "--workspace", number, "--amount", 5000, "--ref", "welcome")
    _keys(made, harbour, lighthouse)
    _webhooks(made)
    made.open(SECRET, FORMER_SECRET)
    made.command("secrets", "rotate")
    made.open(SECRET)
    _team(made)
    _people(made)
    _campaigns(made)
    _autopilot(made)
    _later(made, harbour)
    _live(made, lighthouse)
    _refusing(made, harbour)
    _links(made, harbour)
    notes["at"] = clock.now().isoformat()
    return notes


def _keys(made: Installation, harbour: int, lighthouse: int) -> None:
    keys = made.notes["keys"] = {}
    for name, number, scopes in (
        ("harbour", harbour, "all"),
        ("lighthouse", lighthouse, "all"),
        ("reading", harbour, "lists:read,campaigns:read"),
        ("revoked", harbour, "all"),
        ("rolled", harbour, "all"),
    ):
        keys[name] = made.command("key", "create", "--workspace", number, "--name", name, "--scopes", scopes)
    ada = made.web("ada@harbour.example")
    page = ada.get("/developers/keys").text
    ids = sorted({int(found) for found in re.findall(r"/developers/keys/(\d+)/revoke", page)})
    assert len(ids) == 4, ids  # of harbour, in the order they were made
    assert ada.post(f"/developers/keys/{ids[2]}/revoke").status_code == 303
    assert ada.post(f"/developers/keys/{ids[3]}/roll").status_code == 201


def _webhooks(made: Installation) -> None:
    call = made.api(made.notes["keys"]["harbour"])
    hooks = made.notes["webhooks"] = {}
    for name, event, path in (
        ("replies", "every_reply", ""),
        ("messages", "message_sent", ""),
        ("waiting", "invite_sent", "?refused"),
        ("inactive", "invite_accepted", ""),
    ):
        url = made.servers["receiver"].url + path
        answer = call("POST", "webhooks", {"name": name, "url": url, "event": event})
        hooks[name] = {"id": int(answer["id"]), "secret": answer["secret"], "event": event}
    call("PATCH", f"webhooks/{hooks['inactive']['id']}", {"active": False})
    rotated = call("POST", f"webhooks/{hooks['messages']['id']}/rotate-secret")
    hooks["messages"] |= {"secret": rotated["secret"], "former_secret": hooks["messages"]["secret"]}
    call("POST", f"webhooks/{hooks['replies']['id']}/test")
    made.look(2)


def _team(made: Installation) -> None:
    ada, links = made.web("ada@harbour.example"), made.notes.setdefault("links", {})
    for name, role in (("bo", "reviewer"), ("cy", "operator")):
        page = ada.post("/settings/team", email=f"{name}@harbour.example", role=role)
        joined = made.visitor().post(_link(page.text, "invite"), password=PASSWORD, name=name.title())
        assert joined.status_code == 303
    cy = made.web("cy@harbour.example")
    secret = re.search(r"\b((?:[A-Z2-7]{4} ){7}[A-Z2-7]{4})\b", cy.get("/settings/two-factor").text)
    assert secret
    made.notes["totp_secret"] = secret[1].replace(" ", "")
    code = pyotp.TOTP(made.notes["totp_secret"]).at(clock.now())
    shown = cy.post("/settings/two-factor", code=code)
    assert shown.status_code == 201
    made.notes["recovery_codes"] = re.findall(r"^(?:.*<code>)?([2-9a-z]{5}-[2-9a-z]{5})\b", shown.text, re.M)
    assert len(made.notes["recovery_codes"]) == 10, made.notes["recovery_codes"]
    spare = ada.post("/settings/team", email="eve@harbour.example", role="reviewer")
    withdrawn = re.findall(r"/settings/team/invitations/(\d+)/withdraw", spare.text)
    assert ada.post(f"/settings/team/invitations/{withdrawn[0]}/withdraw").status_code == 303
    links["withdrawn"] = _link(spare.text, "invite")


def _people(made: Installation) -> None:
    call = made.api(made.notes["keys"]["harbour"])
    lists = made.notes["lists"] = {}
    lists["running"] = made.people(call, "Operations leaders", PEOPLE)
    lists["held"] = made.people(call, "New heads", [f"accepts-new-{number}" for number in range(8)])
    lists["few"] = made.people(call, "A few", ["accepts-few-1", "accepts-few-2", "ignores-few-3"])
    lists["later"] = made.people(call, "For later", ["accepts-later-1", "ignores-later-2"])
    lists["imported"] = int(call("POST", "lists", {"name": "From a file"})["id"])
    mapping = {"Tier": "custom:tier"}
    call("POST", f"lists/{lists['imported']}/imports", {"csv": CSV, "fileName": "fair.csv", "mapping": mapping})
    gone = call("POST", "lists", {"name": "Deleted"})
    call("DELETE", f"lists/{gone['id']}")
    made.look(3)
    leads = call("GET", f"lists/{lists['few']}/leads")["data"]
    call("PUT", f"leads/{leads[0]['id']}/tags", {"tags": ["vip", "harbour"]})
    call("PATCH", f"leads/{leads[0]['id']}", {"customFields": {"tier": "B", "note": "Sailed once."}})
    made.notes["tagged_lead"] = int(leads[0]["id"])
    entries = ["nobody@blocked.example", "rival.example", "https://network.example/in/never-nora"]
    call("POST", "never-contact", {"entries": entries, "reason": "Asked us not to."})
    made.notes["never_contact"] = entries
    forgotten = made.people(call, "To be forgotten", ["accepts-zelda"])
    (zelda,) = call("GET", f"lists/{forgotten}/leads")["data"]
    call("POST", f"leads/{zelda['id']}/erase")
    made.notes["erased"] = "accepts-zelda"
    call("POST", f"lists/{lists['imported']}/enrich", {"what": "phone"})
    call("POST", "signals", {"kind": "hiring", "domain": "known-engine.example"})
    call("POST", "signals", {"kind": "news", "domain": "harbour-works.example"})
    made.look(4)


def _campaigns(made: Installation) -> None:
    call, lists = made.api(made.notes["keys"]["harbour"]), made.notes["lists"]
    ids = made.notes["campaigns"] = {}
    accounts = made.notes["harbour"]["accountIds"]

    def campaign(name: str, list_id: int, sequence: list[Any], **more: Any) -> None:
        chosen = {"listId": list_id, "accountIds": accounts, "schedule": ALWAYS}
        ids[name] = int(call("POST", "campaigns", {"name": name, "sequence": sequence, **chosen, **more})["id"])

    long = [
        {"type": "view_profile"},
        INVITE,
        message("Thank you, {{first_name|there}}.\n---\nHow do you plan your week?", 1),
        email("Two pages", 3),
        message("Still curious, {{first_name|there}}.", 5),
    ]
    campaign("running", lists["running"], long)
    campaign("held", lists["held"], [INVITE, message("Welcome, {{first_name|there}}.", 1)], approval=True)
    campaign("paused", lists["few"], long[1:3])
    campaign("finished", lists["few"], [{"type": "view_profile"}])
    campaign("canceled", lists["imported"], long[1:3])
    campaign("scheduled", lists["later"], long[:2], schedule={**ALWAYS, "startDate": "2026-03-20T08:00:00Z"})
    campaign("draft", lists["few"], long[:2])
    for name in ("running", "held", "paused", "finished", "canceled", "scheduled"):
        call("POST", f"campaigns/{ids[name]}/start")
    made.look(2)
    made.command("sandbox", "advance", "--workspace", made.notes["harbour"]["workspaceId"], "--hours", 30)
    call("POST", f"campaigns/{ids['paused']}/pause")
    call("POST", f"campaigns/{ids['canceled']}/cancel")
    ada = made.web("ada@harbour.example")
    assert ada.get(f"/campaigns/{ids['running']}/forecast?now=1").status_code == 200


def _autopilot(made: Installation) -> None:
    call = made.api(made.notes["keys"]["harbour"])
    words = "Tidemark is booking software for sailing schools in Germany. It fills courses and takes payments."
    call("POST", "autopilot/analyze", {"description": words})
    made.look(6)
    found = call("GET", "autopilot")
    call("PATCH", "autopilot", {"customerTypeId": found["customerTypes"][0]["id"]})
    made.look(6)
    offer = {"channel": "social_email", "country": "Germany", "offer": {"kind": "call"}}
    call("PATCH", "autopilot", offer)
    made.look(40)
    plays = call("GET", "autopilot/plays")["data"]
    (cold,) = [play for play in plays if play["angle"] == "cold"]
    assert cold["status"] == "review", plays
    play = call("GET", f"autopilot/plays/{cold['id']}")
    sample = play["sample"][0]
    call("POST", f"autopilot/plays/{cold['id']}/samples/{sample['leadId']}/vote", {"fit": "good"})
    call("POST", f"autopilot/plays/{cold['id']}/approve")
    call("POST", f"autopilot/plays/{cold['id']}/templates", {"name": "Our opening"})
    call("PUT", "autopilot/rules", {"rules": ["Never mention prices.", "Be brief."]})
    call("PUT", "autopilot/docs/icp", {"markdown": "# Whom we want\n\nSailing schools with more than one boat."})
    alerts = {"kind": "chat", "target": "https://chat.harbour.example/hooks/secret-of-the-chat", "replies": True}
    call("PUT", "autopilot/alerts", alerts)
    call("POST", "autopilot/sources/analytics", {"apiKey": "phx_readonly"})
    call("POST", "autopilot/sources/payments", {"restrictedKey": "rk_test_readonly"})
    made.look(6)
    launch = {"approval": False, "mostPeople": 6, "maxCredits": 200}
    call("POST", f"autopilot/plays/{cold['id']}/launch", launch)
    made.look(10)
    made.notes["play"] = int(cold["id"])


def _later(made: Installation, harbour: int) -> None:
    """Days passed, people answered, and some of it was dealt with by hand."""
    call, ada = made.api(made.notes["keys"]["harbour"]), made.web("ada@harbour.example")
    made.command("sandbox", "advance", "--workspace", harbour, "--hours", 66)
    made.look(4)
    waiting = call("GET", "approvals")["data"]
    assert len(waiting) > 4, waiting
    call("PATCH", f"approvals/{waiting[0]['id']}", {"text": "Welcome aboard.", "approve": False})
    call("POST", f"approvals/{waiting[2]['id']}/skip")
    talks = call("GET", "conversations")["data"]
    answered = [talk for talk in talks if talk["sentiment"]]
    one, other, third = (int(talk["id"]) for talk in answered[:3])
    call("POST", f"conversations/{one}/messages", {"text": "Thank you. Would Thursday suit you?"})
    call("POST", f"conversations/{other}/classify", {"sentiment": "positive"})
    call("POST", f"conversations/{third}/mute")
    assert ada.post(f"/conversations/{other}/typed", text="I will come back to th").status_code < 400
    made.notes["typed"] = {"conversation": other, "text": "I will come back to th"}
    made.look(3)
    call("POST", "approvals/bulk", {"ids": [waiting[1]["id"], waiting[3]["id"]], "action": "approve"})
    made.notes["approvals"] = {"approved": int(waiting[1]["id"]), "skipped": int(waiting[2]["id"])}
    call("POST", "billing/trial/extend")


def _live(made: Installation, lighthouse: int) -> None:
    """A workspace that reaches the outside: a mailbox, a service, a network, and an e-mail that went out."""
    call, post, mail = made.api(made.notes["keys"]["lighthouse"]), made.servers["post"], made.servers["mail"]
    call("PUT", "services/hunter", {"values": {"api_key": HUNTER_KEY}, "dailyBudget": 5})
    made.notes["hunter_key"] = HUNTER_KEY
    network = made.servers["network"]
    call("PUT", "services/unipile", {"values": network.values("v2")})
    secret = made.folder / "password"
    secret.write_text(MAIL_PASSWORD)
    mailbox = json.loads(
        made.command(
            *("mailbox", "connect", "--workspace", lighthouse, "--provider", "smtp", "--address", "ines@acme.example"),
            *("--name", "Ines Duarte", "--username", "ines", "--password-file", secret),
            *("--smtp-host", "127.0.0.1", "--smtp-port", mail.smtp_port),
            *("--imap-host", "127.0.0.1", "--imap-port", mail.imap_port),
        )
    )
    account = json.loads(
        made.command("account", "connect", "--workspace", lighthouse, "--provider", "unipile", "--ref", "acc_ines")
    )
    made.notes["lighthouse"] |= mailbox | account
    lea = made.web("lea@lighthouse.example")
    assert lea.post("/senders/sign-in", provider="unipile").status_code == 303
    listed = made.people(call, "Readers", ["reader-one", "reader-two", "reader-three"])
    chosen = {"listId": listed, "accountIds": [mailbox["mailboxId"]], "schedule": ALWAYS}
    campaign = call("POST", "campaigns", {"name": "By e-mail", "sequence": [email("A question")], **chosen})
    call("POST", f"campaigns/{campaign['id']}/start")
    for _ in range(12):
        made.look(2)
        made.time.forward(minutes=20)
        if len(post.taken) > 1:
            break
    links = [re.findall(rb"<http://localhost(/u/[^>\s]+)>", raw.replace(b"\r\n ", b"")) for _, _, raw in post.taken]
    assert links
    assert all(links)
    made.notes["links"]["unsubscribe"] = [
        {"path": found[0].decode(), "address": to} for (_, to, _), found in zip(post.taken, links, strict=True)
    ]
    call("POST", "billing/cancel", {"reason": "other", "feedback": "The season is over until the spring."})


def _refusing(made: Installation, harbour: int) -> None:
    """An endpoint refuses what it is sent, so that deliveries wait for their next try."""
    made.command("sandbox", "advance", "--workspace", harbour, "--hours", 3)
    call, hook = made.api(made.notes["keys"]["harbour"]), made.notes["webhooks"]["waiting"]
    made.look(3)
    waiting = call("GET", f"webhooks/{hook['id']}/deliveries?limit=100&state=pending")["data"]
    assert len(waiting) > 20, waiting
    made.notes["webhooks"]["waiting"]["pending"] = len(waiting)


def _links(made: Installation, harbour: int) -> None:
    """What is only good for a while: links, a session, a stored answer; and what the campaign has done by then."""
    links, keys = made.notes["links"], made.notes["keys"]
    call, ada = made.api(keys["harbour"]), made.web("ada@harbour.example")
    body = {"name": "Made once"}
    answer = call("POST", "lists", body, idempotency_key="once-and-for-all")
    made.notes["stored"] = {"key": "once-and-for-all", "path": "lists", "body": body, "answer": answer}
    links["invite"] = _link(ada.post("/settings/team", email="dee@harbour.example", role="operator").text, "invite")
    links["reset"] = made.command("user", "reset-password", "--email", "bo@harbour.example").partition("localhost")[2]
    # Not the cookie itself: its signature grows old by the clock of the machine.
    with ada.client.session_transaction() as kept:
        made.notes["session"] = dict(kept)
    assert made.app
    refused = Api(made.app.test_client(), keys["harbour"]).post("lists", {"name": ""})  # type: ignore[arg-type]
    assert refused.status_code == 400, refused.text
    made.look(3)
    states = ["draft", "scheduled", "running", "paused", "finished", "canceled"]
    ids = made.notes["campaigns"]
    found = {state: call("GET", f"campaigns/{ids[state]}")["status"] for state in states}
    assert found == {state: state for state in states}, found
    made.notes["stats"] = {name: call("GET", f"campaigns/{number}/stats")["totals"] for name, number in ids.items()}
    for hook in made.notes["webhooks"].values():  # nothing listens there, in whatever else runs on a machine
        call("PATCH", f"webhooks/{hook['id']}", {"url": "http://127.0.0.1:9/hook"})
    _only_from_outside(made, harbour)
    _under_way(made, call)
    made.notes["now"] = call("GET", "me")["workspace"]["now"]
    made.look(only="request log")


def _under_way(made: Installation, call: Any) -> None:
    """Begun, and not looked at any more: an approved draft, an answer by hand, and a search for addresses."""
    waiting = call("GET", "approvals")["data"]
    call("POST", "approvals/bulk", {"ids": [waiting[-1]["id"]], "action": "approve"})
    made.notes["approvals"] |= {"released": int(waiting[-1]["id"]), "waiting": int(waiting[0]["id"])}
    (talk,) = call("GET", "conversations?query=frances")["data"]
    sent = call("POST", f"conversations/{talk['id']}/messages", {"text": "It costs nothing until the summer."})
    made.notes["queued"] = {"conversation": int(talk["id"]), "message": int(sent["id"])}
    few = made.notes["lists"]["few"]
    call("POST", f"lists/{few}/enrich", {"what": "phone"})
    made.notes["enrichment"] = int(call("GET", f"lists/{few}/enrichments")["data"][0]["id"])


def _only_from_outside(made: Installation, harbour: int) -> None:
    """What a payment provider has told us, and a stranger who tries passwords."""
    told = {"workspace": harbour, "at": clock.now().replace(tzinfo=None).isoformat(sep=" ")}
    words = (
        "INSERT INTO billing_event (workspace_id, event, kind, received_at) VALUES (:workspace, 'evt_1', 'paid', :at)"
    )
    engine = sa.create_engine(made.url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text(words), told)
    for _ in range(6):
        made.visitor().sign_in("ada@harbour.example", "not her password")


def _link(page: str, kind: str) -> str:
    found = re.search(rf"http://localhost(/{kind}/[0-9A-Za-z]{{43}})", html.unescape(page))
    assert found, page
    return found[1]
