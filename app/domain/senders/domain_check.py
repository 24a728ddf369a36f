"""Check a mailbox's domain for deliverability: MX, SPF, DKIM, DMARC and block lists, each with what to do."""

import base64
import binascii
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from ipaddress import ip_address
from typing import Any, NamedTuple

import sqlalchemy as sa
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from app import ports
from app.core import domains
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import NotSupported, Unavailable
from app.domain.platform import jobs
from app.domain.senders import provider_credentials
from app.models.accounts import Account, MailboxLogin
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import DomainRecords

KIND = "domain_check"  # of the background job
MOST_ADDRESSES = 3  # of the server


class _OnBlockLists(NamedTuple):
    """What the lists say: what is listed as (what, list, where to ask for removal), and which lists don't answer."""

    listed: Sequence[tuple[str, str, str]]
    asked: Sequence[str]
    silent: Sequence[str]


@cache
def _lists() -> Sequence[Mapping[str, str]]:
    table = tomllib.loads(resources.files(__package__).joinpath("block_lists.toml").read_text("utf-8"))
    return tuple(table["lists"])


def _ask_block_lists(records: DomainRecords, domain: str, server: str) -> _OnBlockLists:
    """Ask every list about the domain or the server; one that fails is not asked again."""
    names = {"domain": [(domain, domain)], "server": list(_reversed(records, server)) if server else []}
    listed: list[tuple[str, str, str]] = []
    asked: list[str] = []
    silent: list[str] = []
    for one in _lists():
        about = names[one["of"]]
        try:
            found = {what: records.addresses(f"{name}.{one['zone']}") for name, what in about}
        except ports.ProviderError:
            silent.append(one["name"])
            continue
        bad = [what for what, answers in found.items() if any(re.fullmatch(one["listed"], each) for each in answers)]
        known = f"{one['listed']}|{one.get('policy', one['listed'])}"
        refused = any(not re.fullmatch(known, each) for answers in found.values() for each in answers)
        listed += [(what, one["name"], one["removal"]) for what in bad]
        if about:
            (silent if refused and not bad else asked).append(one["name"])
    return _OnBlockLists(listed, asked, silent)


def _reversed(records: DomainRecords, server: str) -> Iterator[tuple[str, str]]:
    """Yield the name under which a list knows each address of the server, and what to call it."""
    for address in records.addresses(server)[:MOST_ADDRESSES]:
        name = ip_address(address).reverse_pointer.removesuffix(".in-addr.arpa").removesuffix(".ip6.arpa")
        yield name, f"{server} ({address})"


GOOD, WARNING, BAD, OPEN = "good", "warning", "bad", "open"
MOST_LOOKUPS = 10  # of other names, that a receiver makes for one SPF record (RFC 7208)
# By the end of the sending server's name: what a domain has to include for it.
INCLUDES = {
    "gmail.com": "_spf.google.com",
    "office365.com": "spf.protection.outlook.com",
    "outlook.com": "spf.protection.outlook.com",
    "zoho.com": "zohomail.com",
    "zoho.eu": "zohomail.eu",
    "fastmail.com": "spf.messagingengine.com",
    "mailbox.org": "mailbox.org",
    "ovh.net": "mx.ovh.com",
    "gandi.net": "_mailcust.gandi.net",
}
SELECTORS = (
    "google selector1 selector2 default dkim mail s1 s2 k1 k2 k3 key1 key2 zoho zmail fm1 fm2 fm3 protonmail"
    " protonmail2 protonmail3 mbo0001 mbo0002 gm1 gm2 ovh1 s1-ionos s2-ionos sig1 smtp dk x"
).split()
_TAG = re.compile(r"(?:^|;)\s*([a-z]+)\s*=\s*([^;]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """The state of one check (good, warning, bad, or open when it can't be known), a sentence, and what to do."""

    check: str
    verdict: str
    sentence: str
    advice: str = ""


def check_domain(workspace: Workspace, account_id: int) -> list[Finding]:
    """Look up the domain's records and store the findings. Calls out, so never inside a transaction."""
    account = get_owned(Account, workspace, account_id)
    if account.provider != "smtp":
        raise NotSupported("Only real mailboxes have a domain to check.", recovery="Choose a mailbox.")
    reference = provider_credentials.to_account_ref(account, workspace.now())
    end_read()
    domain = account.address.rpartition("@")[2]
    try:
        signature = ports.signed_mail().signature(reference)
    except ports.ProviderError:
        signature = ""  # then DKIM is looked up under usual names
    try:
        found = examine(ports.domain_records(), domain, reference.settings.get("smtp_host", ""), signature)
    except ports.ProviderError as problem:
        raise Unavailable(problem.sentence, recovery="Nothing was changed. Try again in a few minutes.") from None
    with transaction():
        kept = session().scalars(sa.select(MailboxLogin).where(MailboxLogin.account_id == account.id)).one()
        kept.checks, kept.checked_at = [asdict(one) for one in found], workspace.now()
    return found


def queue(workspace: Workspace, account_ids: Iterable[int]) -> None:
    """Check the domains of these mailboxes in the background. Inside a transaction."""
    for account_id in account_ids:
        jobs.add(workspace, KIND, str(account_id), {"account": account_id})


def queue_unchecked(workspace: Workspace, account_ids: Sequence[int]) -> None:
    """Check, in the background, those of these mailboxes that were never checked. Inside a transaction."""
    query = sa.select(Account.id).join(MailboxLogin, MailboxLogin.account_id == Account.id)
    ours = (Account.workspace_id == workspace.id, Account.id.in_(account_ids), Account.provider == "smtp")
    queue(workspace, session().scalars(query.where(*ours, MailboxLogin.checked_at.is_(None))).all())


def check_queued(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Do the background check of one mailbox."""
    check_domain(workspace, payload["account"])


def is_under_way(workspace: Workspace, account: Account) -> bool:
    """Return whether the mailbox is being checked in the background."""
    return jobs.is_under_way(workspace, KIND, str(account.id))


def latest(account: Any) -> tuple[list[Finding], datetime | None]:
    """Return the last findings and their time."""
    query = sa.select(MailboxLogin.checks, MailboxLogin.checked_at).where(MailboxLogin.account_id == account.id)
    row = session().execute(query).first()
    return ([Finding(**one) for one in row.checks], row.checked_at) if row else ([], None)


def problems(ask: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each mailbox domain's problems with their fix, from the last check or from a new one."""
    query = sa.select(Account).join(MailboxLogin, MailboxLogin.account_id == Account.id)
    for account in session().scalars(query.where(Account.active.is_(True)).order_by(Account.id)).all():
        if ask:
            with suppress(Unavailable):  # then what was found last is still the best there is
                check_domain(session().get_one(Workspace, account.workspace_id), account.id)
        for one in latest(account)[0]:
            if one.verdict == BAD:
                yield f"{account.address}: {one.sentence}", one.advice


def examine(records: DomainRecords, domain: str, smtp_host: str, signature: str) -> list[Finding]:
    """Check a domain's records; `signature` is the DKIM-Signature of a message from it, or ''."""
    return [
        _mx(records, domain),
        _spf(records, domain, smtp_host),
        _dkim(records, domain, signature),
        _dmarc(records, domain),
        _block_lists(records, domain, smtp_host),
    ]


def _mx(records: DomainRecords, domain: str) -> Finding:
    servers = records.mail_servers(domain)
    advice = "Add your email provider's MX records, or replies can't reach you."
    if not servers:
        return Finding("MX", BAD, f"{domain} has no MX record, so replies are lost.", advice)
    if list(servers) == ["."]:
        return Finding("MX", BAD, f"{domain} doesn't accept email.", advice)
    if not any(records.addresses(host) for host in servers[:3]):
        return Finding("MX", BAD, f"The mail servers of {domain} have no address: {servers[0]}.", advice)
    return Finding("MX", GOOD, f"{servers[0]} receives email for {domain}.")


def _spf(records: DomainRecords, domain: str, smtp_host: str) -> Finding:
    include = next((name for host, name in INCLUDES.items() if smtp_host.lower().endswith(host)), "")
    wanted = f"include:{include}" if include else "your provider's SPF entry"
    found = [one for one in records.texts(domain) if one.lower().split(" ")[0] == "v=spf1"]
    if not found:
        advice = f"Add a TXT record for {domain}: v=spf1 {wanted if include else 'include:(your provider)'} ~all"
        return Finding("SPF", BAD, f"{domain} has no SPF record.", advice)
    if len(found) > 1:
        return Finding("SPF", BAD, f"{domain} has {len(found)} SPF records, so none is valid.", "Merge the records.")
    named: list[str] = []
    _follow(records, found[0], named)
    terms = found[0].lower().split()[1:]
    ending = terms[-1] if terms else ""
    if terms and all(term in ("-all", "~all") or term.startswith("exp=") for term in terms):
        advice = f"Add {wanted} before the end of the record."
        return Finding(
            "SPF", BAD, f"The SPF record of {domain} allows no server to send, so your emails fail SPF.", advice
        )
    if ending in ("+all", "all"):
        return Finding("SPF", BAD, "The SPF record lets any server send for your domain.", "End the record with ~all.")
    if len(named) > MOST_LOOKUPS:
        advice = "Remove servers you no longer use."
        return Finding("SPF", BAD, f"The SPF record needs {len(named)} DNS lookups; the maximum is ten.", advice)
    if include and include not in named:
        return Finding(
            "SPF", BAD, f"The SPF record doesn't include {smtp_host}.", f"Add {wanted} before the end of the record."
        )
    if not ending.endswith("all") and "redirect=" not in found[0].lower():
        return Finding(
            "SPF", WARNING, "The SPF record has no “all” at its end, so it blocks nothing.", "End the record with ~all."
        )
    if include:
        return Finding("SPF", GOOD, f"The SPF record of {domain} includes {smtp_host}.")
    return Finding(
        "SPF",
        OPEN,
        f"{domain} has an SPF record. We can't tell whether the record includes {smtp_host or 'your server'}.",
        f"Compare the record with {wanted}.",
    )


def _follow(records: DomainRecords, record: str, named: list[str]) -> None:
    """Collect every name that a receiver has to look up for this record."""
    for term in record.lower().split()[1:]:
        kind, _, name = term.lstrip("+-~?").replace("redirect=", "include:").partition(":")
        if kind in ("a", "mx", "ptr", "exists") or kind.startswith(("a/", "mx/")):
            named.append(name or kind)
        if kind == "include" and name not in named and len(named) <= MOST_LOOKUPS * 2:
            named.append(name)
            for inner in records.texts(name) if "%" not in name else ():
                if inner.lower().startswith("v=spf1"):
                    _follow(records, inner, named)


def _dkim(records: DomainRecords, domain: str, signature: str) -> Finding:
    said = tags(signature)
    if said.get("s") and said.get("d"):
        return _signed(records, domain, said["s"], said["d"].lower().rstrip("."))
    look_again = "Send an email from this mailbox to itself, then check again. The email's signature shows the key."
    for selector in SELECTORS:
        for record in records.texts(f"{selector}._domainkey.{domain}"):
            if _key_problem(record) is None:
                words = f"A DKIM key is published under {selector}. Send an email to confirm that the key is used."
                return Finding("DKIM", OPEN, words, look_again)
    words = "No DKIM key found under the usual names. Your key may have a different name."
    return Finding("DKIM", OPEN, words, f"Turn on DKIM at your provider. {look_again}")


def _signed(records: DomainRecords, domain: str, selector: str, signer: str) -> Finding:
    """Check the DKIM key of a signed message."""
    published = records.texts(f"{selector}._domainkey.{signer}")
    if not published:
        words = f"Emails are signed with the key {selector} of {signer}, which is not published."
        return Finding("DKIM", BAD, words, f"Add the TXT record of {selector}._domainkey.{signer} from your provider.")
    if problem := _key_problem(published[0]):
        return Finding("DKIM", BAD, f"The key {selector} of {signer} {problem}.", "Create a new key at your provider.")
    if organisation(signer) != organisation(domain):
        words = f"Emails are signed by {signer}, not by {domain}, so DMARC ignores the signature."
        return Finding("DKIM", WARNING, words, f"Turn on DKIM for {domain} at your provider.")
    return Finding("DKIM", GOOD, f"Emails are signed with the key {selector} of {signer}.")


def _key_problem(record: str) -> str | None:
    """Return what is wrong with a published key, or None."""
    said = tags(record)
    if "p" not in said:
        return "is not a valid key"
    if not said["p"].strip():
        return "was revoked"
    if said.get("k", "rsa").lower() != "rsa":
        return None
    try:
        key = load_der_public_key(base64.b64decode("".join(said["p"].split()), validate=True))
    except (ValueError, binascii.Error, UnsupportedAlgorithm):
        return "cannot be read"
    short = isinstance(key, RSAPublicKey) and key.key_size < 1024
    return "is too short to be secure" if short else None


def _dmarc(records: DomainRecords, domain: str) -> Finding:
    places = dict.fromkeys((domain, organisation(domain)))
    found: Sequence[str] = ()
    for place in places:
        found = [one for one in records.texts(f"_dmarc.{place}") if one.lower().replace(" ", "").startswith("v=dmarc1")]
        if found:
            break
    advice = f"Add a TXT record for _dmarc.{domain}: v=DMARC1; p=none; rua=mailto:you@{domain}"
    if not found:
        return Finding("DMARC", BAD, f"{domain} has no DMARC record, which large email providers require.", advice)
    if len(found) > 1:
        return Finding(
            "DMARC", BAD, f"{domain} has {len(found)} DMARC records, so none is valid.", "Merge the records."
        )
    policy = tags(found[0]).get("p", "").strip().lower()
    if policy not in ("none", "quarantine", "reject"):
        return Finding("DMARC", BAD, "The DMARC record has no valid policy.", "Set p=none in it.")
    if policy == "none":
        later = "After some weeks with valid SPF and DKIM, use p=quarantine to stop others from sending as you."
        return Finding("DMARC", GOOD, "DMARC is set to monitor only (p=none).", later)
    return Finding("DMARC", GOOD, f"DMARC is set with the policy {policy}.")


def _block_lists(records: DomainRecords, domain: str, smtp_host: str) -> Finding:
    found = _ask_block_lists(records, organisation(domain), smtp_host)
    silent = f"No response from {', '.join(found.silent)}." if found.silent else ""
    if found.listed:
        said = "; ".join(f"{what} is on {name}" for what, name, _ in found.listed)
        where = ", ".join(dict.fromkeys(removal for *_, removal in found.listed))
        advice = f"Pause this mailbox, find the cause, then ask to be removed: {where}. {silent}"
        return Finding("Block lists", BAD, f"{said}, so many servers refuse your emails.", advice.strip())
    if not found.asked:
        advice = "These lists don't respond to public DNS servers. Let this server use its provider's DNS."
        return Finding("Block lists", OPEN, silent, advice)
    return Finding("Block lists", GOOD, f"{domain} is on none of these block lists: {', '.join(found.asked)}.", silent)


def tags(record: str) -> dict[str, str]:
    """Return the `name=value` pairs of a DKIM or DMARC record."""
    return {name.lower(): value.strip() for name, value in _TAG.findall(record)}


def organisation(domain: str) -> str:
    """Return the registered domain of a host name."""
    return domains.registered(domain) or domain
