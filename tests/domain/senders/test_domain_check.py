"""Whether a domain's records let its e-mails arrive, against a real name server: each sentence, and what to do."""

import base64
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import Flask

from app import ports
from app.core.db import transaction
from app.core.errors import NotSupported, Unavailable
from app.domain.platform import jobs
from app.domain.senders import accounts, domain_check
from app.domain.senders.domain_check import Finding
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.providers.dns import Dns
from tests.conftest import PASSWORD
from tests.domain.engine.test_mailbox_campaign import login
from tests.domain.outreach import a_campaign, email
from tests.providers.mail.mailservers import Post, Servers
from tests.providers.nameserver import Nameserver, Records

KEY = base64.b64encode(
    rsa.generate_private_key(65537, 2048).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
).decode()
PUBLISHED = [f'"v=DKIM1; k=rsa; p={KEY[:200]}" "{KEY[200:]}"']
SIGNED = "v=1; a=rsa-sha256; d=acme.com; s=mine; h=from:list-unsubscribe; bh=x; b=y"
GOOD: Records = {
    ("acme.com", "MX"): ["10 mx.acme.com.", "5 first.acme.com."],
    ("first.acme.com", "A"): ["192.0.2.1"],
    ("acme.com", "TXT"): ['"v=spf1 include:_spf.google.com ~all"', '"something else"'],
    ("_spf.google.com", "TXT"): ['"v=spf1 ip4:192.0.2.0/24 ~all"'],
    ("mine._domainkey.acme.com", "TXT"): PUBLISHED,
    ("_dmarc.acme.com", "TXT"): ['"v=DMARC1; p=quarantine"'],
}


@pytest.fixture
def names(app: Flask) -> Iterator[Nameserver]:
    """A name server on which everything is as it should be, and which is asked."""
    running = Nameserver(dict(GOOD))
    ports.domain_records.connect(Dns(running.place, within=30))
    yield running
    running.close()


def found(
    names: Nameserver, domain: str = "acme.com", host: str = "smtp.gmail.com", signature: str = SIGNED
) -> dict[str, Finding]:
    return {one.check: one for one in domain_check.examine(ports.domain_records(), domain, host, signature)}


def test_a_domain_with_all_records_is_good_each_time(names: Nameserver) -> None:
    """A provider's own key proves nothing about the domain; that of the domain above does."""
    seen = found(names)
    assert {name: one.verdict for name, one in seen.items()} == dict.fromkeys(
        ("MX", "SPF", "DKIM", "DMARC", "Block lists"), "good"
    )
    assert "first.acme.com" in seen["MX"].sentence
    assert "mine of acme.com" in seen["DKIM"].sentence
    names.records["x._domainkey.relay.net", "TXT"] = PUBLISHED
    assert found(names, signature="d=relay.net; s=x")["DKIM"].verdict == "warning"
    below = {("mail.acme.com", "MX"): ["1 first.acme.com."], ("mail.acme.com", "TXT"): GOOD["acme.com", "TXT"]}
    names.records.update(below)
    seen = found(names, domain="mail.acme.com")
    assert (seen["DKIM"].verdict, seen["DMARC"].verdict) == ("good", "good")


def test_a_domain_without_records_gets_advice_that_can_be_pasted(names: Nameserver) -> None:
    """A key that only a signed message proves is left open: the usual names are tried, and no more is claimed."""
    names.records.clear()
    seen = found(names, signature="")
    expected = {"MX": "bad", "SPF": "bad", "DKIM": "open", "DMARC": "bad", "Block lists": "good"}
    assert {name: one.verdict for name, one in seen.items()} == expected
    assert seen["SPF"].advice.endswith("v=spf1 include:_spf.google.com ~all")
    assert "_dmarc.acme.com: v=DMARC1; p=none" in seen["DMARC"].advice
    assert "No DKIM key found under the usual names. Your key may have a different name." in seen["DKIM"].sentence
    names.records["selector1._domainkey.acme.com", "TXT"] = PUBLISHED
    key = found(names, signature="")["DKIM"]
    assert key.verdict == "open"
    assert "selector1" in key.sentence
    assert "to itself" in key.advice


def test_each_fault_is_named(names: Nameserver) -> None:
    """One at a time; the others stay good."""
    mx, spf, dmarc = ("acme.com", "MX"), ("acme.com", "TXT"), ("_dmarc.acme.com", "TXT")
    dkim, google = ("mine._domainkey.acme.com", "TXT"), ("_spf.google.com", "TXT")
    circle = '"v=spf1 include:acme.com include:_spf.google.com ~all"'  # it ends, as receivers end it
    everyone = "The SPF record lets any server send for your domain."
    for check, place, records, verdict, words in (
        ("MX", mx, ["0 ."], "bad", "accept email"),
        ("MX", mx, ["5 nowhere.acme.com."], "bad", "have no address"),
        ("SPF", spf, ['"v=spf1 ~all"', '"v=spf1 -all"'], "bad", "2 SPF records"),
        ("SPF", spf, ['"v=spf1 include:_spf.google.com +all"'], "bad", everyone),
        ("SPF", spf, ['"v=spf1 mx ~all"'], "bad", "doesn't include smtp.gmail.com"),
        ("SPF", spf, ['"v=spf1 -all"'], "bad", "allows no server to send"),
        ("SPF", spf, ['"v=spf1 include:_spf.google.com"'], "warning", "blocks nothing"),
        ("SPF", spf, [f'"v=spf1 {"a " * 12}~all"'], "bad", "needs 12 DNS lookups"),
        ("SPF", spf, ['"v=spf1 redirect=_spf.google.com"'], "good", "includes"),
        ("SPF", google, [circle], "good", ""),
        ("DKIM", dkim, ['"v=DKIM1; p="'], "bad", "was revoked"),
        ("DKIM", dkim, ['"v=DKIM1; p=notakey"'], "bad", "cannot be read"),
        ("DKIM", dkim, ['"hello"'], "bad", "is not a valid key"),
        ("DKIM", dkim, [], "bad", "is not published"),
        ("DMARC", dmarc, ['"v=DMARC1; p=none"'], "good", "DMARC is set to monitor only (p=none)."),
        ("DMARC", dmarc, ['"v=DMARC1; rua=x"'], "bad", "The DMARC record has no valid policy."),
        ("DMARC", dmarc, ['"v=DMARC1; p=none"', '"v=DMARC1; p=reject"'], "bad", "2 DMARC"),
    ):
        names.records.clear()
        names.records.update(GOOD | {place: records})
        seen = found(names)
        assert seen[check].verdict == verdict, records
        assert words in seen[check].sentence
        assert seen[check].advice or verdict == "good"
        assert sum(one.verdict != "good" for one in seen.values()) == (verdict != "good")


def test_block_lists_are_asked_about_the_domain_and_the_server(names: Nameserver) -> None:
    """An answer that means "not you" is none, and neither is one about a network's policy."""
    names.records["smtp.gmail.com", "A"] = ["192.0.2.7"]
    of_domain, of_server = ("acme.com.dbl.spamhaus.org", "A"), ("7.2.0.192.zen.spamhaus.org", "A")
    surbl, spamcop = ("acme.com.multi.surbl.org", "A"), ("7.2.0.192.bl.spamcop.net", "A")
    refused = ["127.255.255.254"]
    for answers, verdict, words in (
        ({}, "good", "acme.com is on none of these block lists: Spamhaus DBL, SURBL, Spamhaus ZEN, SpamCop."),
        ({of_server: ["127.0.0.10"]}, "good", "SpamCop"),
        ({of_domain: refused}, "good", "on none of these block lists: SURBL, Spamhaus ZEN, SpamCop."),
        ({of_domain: ["127.0.1.2"], of_server: refused}, "bad", "acme.com is on Spamhaus DBL"),
        ({of_server: ["127.0.0.4"]}, "bad", "smtp.gmail.com (192.0.2.7) is on Spamhaus ZEN"),
        ({of_domain: refused, of_server: refused, surbl: ["127.0.0.1"], spamcop: refused}, "open", "No response from"),
    ):
        for place in (of_domain, of_server, surbl, spamcop):
            names.records.pop(place, None)
        names.records.update(answers)
        seen = found(names)["Block lists"]
        assert seen.verdict == verdict, answers
        assert words in seen.sentence
        assert verdict != "bad" or "https://check.spamhaus.org" in seen.advice


@pytest.fixture
def mailbox(app: Flask, names: Nameserver) -> Iterator[tuple[Workspace, Account, Post]]:
    post = Post()
    servers, live = Servers(post), workspaces.create("Live", "ada@live.example", PASSWORD)
    made = accounts.connect_mailbox(live, provider="smtp", address="ines@acme.com", name="Ines", servers=login(servers))
    yield live, made, post
    servers.close()


def test_what_was_found_is_kept(mailbox: tuple[Workspace, Account, Post], names: Nameserver) -> None:
    """With its moment; the signature is read from the newest message of the domain in the inbox."""
    live, account, post = mailbox
    assert domain_check.latest(account) == ([], None)
    post.arrives("Ines <ines@acme.com>", "To myself", DKIM_Signature=SIGNED)
    post.arrives("rob@rival.com", "Hello", DKIM_Signature="d=rival.com; s=other")
    seen = {one.check: one for one in domain_check.check_domain(live, account.id)}
    assert seen["DKIM"].sentence == "Emails are signed with the key mine of acme.com."
    kept, at = domain_check.latest(account)
    assert (kept, at is not None) == (list(seen.values()), True)
    assert list(domain_check.problems()) == []
    del names.records["_dmarc.acme.com", "TXT"]
    assert list(domain_check.problems()) == []
    [(sentence, remedy)] = domain_check.problems(ask=True)
    assert list(domain_check.problems()) == [(sentence, remedy)]
    assert sentence == "ines@acme.com: acme.com has no DMARC record, which large email providers require."
    assert "v=DMARC1" in remedy


def test_a_mailbox_is_checked_once_it_is_connected_and_again_at_a_start_if_that_failed(
    mailbox: tuple[Workspace, Account, Post], names: Nameserver
) -> None:
    live, account, _ = mailbox
    names.silent = True
    ports.domain_records.connect(Dns(names.place, within=0.05))
    jobs.run_due()
    assert domain_check.latest(account) == ([], None)
    with transaction() as current:
        current.execute(sa.delete(Job))
    names.silent = False
    ports.domain_records.connect(Dns(names.place, within=30))
    a_campaign(live, ["ada"], [email()], senders=[account.id])
    assert domain_check.is_under_way(live, account)
    jobs.run_due()
    found, at = domain_check.latest(account)
    assert (len(found), at is not None, domain_check.is_under_way(live, account)) == (5, True, False)


def test_only_real_mailboxes_have_a_domain_and_a_silent_name_server_changes_nothing(
    acme: Workspace, mailbox: tuple[Workspace, Account, Post], names: Nameserver
) -> None:
    """When names cannot be looked up, it says so, and what was found before stays."""
    live, account, _ = mailbox
    sandbox = next(one for one in accounts.every(acme) if one.channel == "email")
    with pytest.raises(NotSupported):
        domain_check.check_domain(acme, sandbox.id)
    domain_check.check_domain(live, account.id)
    before = domain_check.latest(account)
    names.silent = True
    ports.domain_records.connect(Dns(names.place, within=0.05))
    with pytest.raises(Unavailable, match="could not be looked up"):
        domain_check.check_domain(live, account.id)
    assert domain_check.latest(account) == before
