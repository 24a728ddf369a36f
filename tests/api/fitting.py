"""What no schema can say of a request, made true of those that a tool makes up.

That is formats of our own, and what depends on the order of things or on another field.
"""

from contextlib import suppress
from datetime import timedelta
from itertools import chain
from typing import Any

import schemathesis
import sqlalchemy as sa
from email_validator import SPECIAL_USE_DOMAIN_NAMES
from hypothesis import strategies as st

from app.api.framework.csv_bodies import BINARY
from app.api.framework.declarations import Endpoint
from app.core import clock
from app.core.crypto import random_base62
from app.core.db import transaction
from app.core.errors import Conflict, NotFound
from app.domain.approvals import approvals
from app.domain.leads import listed_companies
from app.domain.leads.csv_mapping import IDENTITY
from app.domain.people import companies
from app.domain.platform import services
from app.domain.rules.limits import SEARCH_MOST
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Channel
from app.models.leads import ListedCompany
from app.ports import Product
from tests.api.posts import vary
from tests.api.stock import Stock

Json = dict[str, Any]
FILE = "publicId,First name\nada,Ada\n"
CHAT = "https://hooks.slack.com/services/T0/B0/"
NAMES = st.from_regex("[a-z][a-z0-9]{0,20}", fullmatch=True)
HOSTS = NAMES.map("{}.example".format)
RESERVED = tuple(f".{name}" for name in SPECIAL_USE_DOMAIN_NAMES)  # names that no one can have an address at
FORMATS = {
    "website": HOSTS | HOSTS.map("https://{}/about".format),
    "company-domain": HOSTS | HOSTS.map("https://www.{}".format),
    "webhook-receiver": HOSTS.map("https://{}/hooks".format),
    "chat-webhook": NAMES.map((CHAT + "{}").format),
    "search-address": NAMES.map("https://www.linkedin.com/search/results/people/?keywords={}".format),
    "profile": NAMES.map("https://network.example/in/{}".format),
    "email": st.emails().filter(lambda one: not one.lower().endswith(RESERVED) and "xn--" not in one.lower()),
    "email-or-empty": st.just("") | HOSTS.map("ada@{}".format),
    "country": st.sampled_from(["", "Germany", "DE", "Deutschland", "DACH"]),
    "country-name": st.sampled_from(["Germany", "Deutschland"]),
    "holiday-region": st.sampled_from(["", "none", "DE", "DE-BY", "US-CA", "GB-ENG"]),
    "web-link": st.just("") | HOSTS.map("https://{}/ada".format),
    "time-zone": st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
}

# Fields that the thing which the workspace has does not take: a draft has no people yet, its monitor no signal, and its
# conversation and account are of LinkedIn.
NOT_OF_OURS: dict[str, tuple[str, ...]] = {
    "/v1/campaigns/{campaignId}": ("campaignLeadIds",),
    "/v1/monitors/{monitorId}": ("signal",),
    "/v1/conversations": ("attachments", "cc", "replyAll"),
    "/v1/conversations/{conversationId}/messages": ("attachments", "cc", "replyAll"),
}


def know_formats() -> None:
    for name, values in FORMATS.items():
        schemathesis.openapi.format(name, values)


def fitted(body: Any) -> Any:
    """The body with all of that true, wherever it has the fields."""
    if not isinstance(body, dict):
        return body
    body = {name: fitted(value) if isinstance(value, dict) else value for name, value in body.items()}
    for change in chain(
        (_times_in_order, _days_in_order, _day_to_come, _sequence_in_order, _rules_once, _play_in_order, _rows_once),
        (_one_person, _file_of_people, _what_is_watched, _step_with_variants, _no_one_else, _no_stranger, _some_event),
    ):
        change(body)
    if body.get("kind") == "chat" and not body.get("target", "").startswith(CHAT):
        body["target"] = f"{CHAT}a"  # what another example says is an address of another kind
    return body


def fit(case: Any) -> None:
    """What the tool holds to be a fitting request is one, but for what the workspace has; it names no state of ours."""
    for given, name in ((case.query, "cursor"), (case.query, "assignee"), (case.headers, "If-Match")):
        if given:
            given.pop(name, None)
    if case.media_type == BINARY and case.query:
        case.query.pop("encoding", None)  # that of our file
        case.query = {name: _in_a_month() if name == "until" else one for name, one in case.query.items()}
    if "/webhooks/" in case.path and case.query:
        case.query.pop("event", None)  # one that this webhook takes
    if "/conversations/" in case.path and case.path.endswith("/assign"):
        case.body = {"email": None}  # the tool knows no member
    case.body = FILE if case.media_type == BINARY else fitted(case.body)
    if isinstance(case.body, dict):
        _fields_of_service(case)
        _not_twice(case)
        _new_search(case)
        if case.path.endswith("/company") and case.body.get("company"):
            case.body["company"] = f"Acme {case.body['company']}"[: companies.LONGEST]  # not only signs
        if case.path.startswith("/v1/tasks") and case.body.get("until"):
            case.body["until"] = _in_a_month()
        if case.path.endswith("/changes/preview") and case.body.get("schedule"):
            case.body["schedule"].pop("startDate", None)  # the campaign has started
        for name in NOT_OF_OURS.get(case.path, ()):
            case.body.pop(name, None)


def _fields_of_service(case: Any) -> None:
    """A service that exists has fields of its own."""
    if case.path.startswith("/v1/services/") and "values" in case.body:
        with suppress(NotFound):
            fields = services.catalogue(case.path_parameters["name"]).service.fields
            case.body["values"] = {field.name: field.default or "word" for field in fields}


def _not_twice(case: Any) -> None:
    """No sender is connected twice, and no two workspaces have one name."""
    unique = random_base62(8)
    if case.path in ("/v1/accounts", "/v1/mailboxes", "/v1/workspaces"):
        case.body |= {"name": unique} | ({"address": f"{unique}@acme.example"} if "address" in case.body else {})


def _new_search(case: Any) -> None:
    """No search is read twice at once, and one of this kind shows only so many people."""
    if case.path.endswith("/search-imports"):
        case.body["address"] += random_base62(8)
        if "most" in case.body:
            case.body["most"] = min(case.body["most"], SEARCH_MOST[Product.CLASSIC])


def make_ready(one: Endpoint, stock: Stock) -> None:
    """What the operation before it used up is there again."""
    if one.name == "approvals.decide":
        with suppress(Conflict):
            approvals.undo(stock.workspace, stock.id_of("approval_id"))
    if one.name in ("lists.remove_companies", "lists.find_people"):
        _company_again(stock)
    if one.name == "campaign_statistics.choose_variant":
        vary(stock)


def _company_again(stock: Stock) -> None:
    company_id = stock.id_of("company_id")
    with transaction() as current:
        if current.get(ListedCompany, company_id) is not None:
            return
        listed_companies.add(stock.workspace, stock.firms, [{"name": "Engine Ltd", "website": "engine.example"}])
        named = sa.and_(ListedCompany.list_id == stock.firms, ListedCompany.domain == "engine.example")
        current.execute(sa.update(ListedCompany).where(named).values(id=company_id))


def _what_is_watched(body: Json) -> None:
    """A signal needs words to look for."""
    if body.get("kind") == "signal" and "listId" in body:
        body["targeting"] = {"titles": ["Head of Sales"]}


def _some_event(body: Json) -> None:
    """A webhook has events: one by the older name, or several."""
    if {"name", "url"} <= body.keys() and not (body.get("event") or body.get("events")):
        body["event"] = "every_reply"


def _times_in_order(body: Json) -> None:
    """What ends, ends after it began; one without the other would have to fit what is kept already."""
    body.pop("endDate", None)
    for earlier, later in (("startTime", "endTime"), ("start", "end")):
        given = sorted(body[name] for name in (earlier, later) if body.get(name))
        if len(given) == 2:
            body[earlier], body[later] = given if given[0] != given[1] else ("00:00", "23:59")
        elif given:
            del body[earlier if body.get(earlier) else later]


def _days_in_order(body: Json) -> None:
    """Hours, blackout dates and absences end after they begin; no one is away twice at once, or stands in alone."""
    for one in body.get("windows") or ():
        _times_in_order(one)
        one |= {"start": one.get("start") or "09:00", "end": one.get("end") or "17:30"}
    for one in [*(body.get("blackouts") or ()), *(body.get("absences") or ())]:
        one["lastDay"] = one["firstDay"]
    for one in body.get("absences") or ():
        one["handOverTo"] = None
    if body.get("absences"):
        body["absences"] = body["absences"][:1]


def _in_a_month() -> str:
    return f"{clock.now().date() + timedelta(days=30)}"


def _day_to_come(body: Json) -> None:
    day = _in_a_month()
    if body.get("until") and (not {"answer", "entries"}.isdisjoint(body) or len(body) == 1):
        body["until"] = day
    if "day" in body and set(body) <= {"day", "text"}:
        body["day"] = day
    for name in ("sendAt", "expiresAt"):
        if body.get(name):
            body[name] = f"{day}T09:00:00Z"


def _sequence_in_order(body: Json) -> None:
    """One connection request, before every message; the first e-mail has a subject."""
    steps = body.get("sequence")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        body.pop("branches", None)  # of the steps that are kept already
        return
    later = [step for step in steps if step["type"] != "connection_request"]
    invites = [step for step in steps if step["type"] == "connection_request"]
    if invites or any(STEPS[step["type"]].needs_connection for step in steps):
        later = [*(invites or [{"type": "connection_request"}])[:1], *later[:29]]
    for step in later:
        _fit_variants(step)
    emails = [step for step in later if STEPS[step["type"]].channel == Channel.EMAIL]
    _with_subject(emails)
    # An acceptance can be waited for after an invitation, and an email with a condition gives no subject.
    for step in later:
        if step in emails or "accepted" in str(step.get("when")):
            step.pop("when", None)
        elif isinstance(when := step.get("when"), dict):
            for one in (when, *(when.get("all") or ())):
                if one.get("is") == "country":
                    one["value"] = "Germany"  # a value that another condition takes is no country
    body["sequence"] = later
    if "applyTo" in body:
        body.pop("branches", None)  # those of a campaign under way stay as they are
    if body.get("branches"):  # one whose first side is the last step
        body["branches"] = [
            {"at": len(later) - 1, "otherwise": len(later), "join": len(later), "when": {"is": "has_email"}}
        ]


def _step_with_variants(body: Json) -> None:
    if "step" in body and {*body} <= {"step", "variant"}:
        body["step"] = 0
        if "variant" in body:
            body["variant"] = "B"


def _no_one_else(body: Json) -> None:
    """Lists and campaigns whose people are left out would have to exist, and senders would have to leave."""
    if "accountIds" in body:
        body.pop("replace", None)
    if isinstance(exclude := body.get("exclude"), dict):
        body["exclude"] = {name: value for name, value in exclude.items() if name not in ("listIds", "campaignIds")}


def _fit_variants(step: Json) -> None:
    """Several texts are of different letters, with the subject of their step, whose text is the first of them."""
    if several := step.get("variants"):
        texts = [(one.get("message") or "").strip() or "Hello" for one in several]
        subject = (step.get("subject") or "").strip() or "A question"
        subject = {"subject": subject} if STEPS[step["type"]].max_subject else {}
        step["variants"] = [{"message": text, **subject} for text in texts]
        step |= {"message": texts[0], **subject}


def _rules_once(body: Json) -> None:
    """No rule stands twice, and none names a list, which the workspace would have to have."""
    if isinstance(rules := body.get("onReply"), list):
        body["onReply"] = [*{rule["do"]: rule for rule in rules if rule["do"] != "list"}.values()]


def _play_in_order(body: Json) -> None:
    """One invite, before every social message; nothing waits for what was not; no id stands twice."""
    steps = body.get("steps")
    if not isinstance(steps, list):
        return
    later = [step for step in steps if step["kind"] != "invite"]
    invites = [step for step in steps if step["kind"] == "invite"]
    if invites or any(step["kind"] == "social" for step in steps):
        later = [*(invites or [{"kind": "invite", "delay": {"count": 0, "unit": "days"}}])[:1], *later[:29]]
    reached = False
    for step in later:
        if step.get("after", "previous") != "accept" or not invites:
            step["after"] = "no_reply" if step.get("after") == "no_reply" and reached else "previous"
        reached = reached or step["kind"] != "reaction"
        step.pop("id", None)
    _with_subject([step for step in later if step["kind"] == "email"])
    body["steps"] = later


def _with_subject(emails: list[Json]) -> None:
    if emails and not (emails[0].get("subject") or "").strip():
        emails[0]["subject"] = "A question"


def _rows_once(body: Json) -> None:
    if isinstance(rows := body.get("rows"), list):
        body["rows"] = list({row["key"]: row for row in rows}.values())


def _no_stranger(body: Json) -> None:
    """Only a member takes on a claim, and the tool knows none."""
    body.pop("takenOnBy", None)
    if "keyScopes" in body:
        body["keyScopes"] = []  # a reviewer's keys can hold none


def _one_person(body: Json) -> None:
    """A link and an id would have to name the same person."""
    if body.get("publicId") and body.get("profileUrl"):
        del body["profileUrl"]


def _file_of_people(body: Json) -> None:
    """A file that names people; each of its other columns can be one thing, and no two the same."""
    if not isinstance(body.get("csv"), str):
        return
    meant = [one for one in dict.fromkeys((body.get("mapping") or {}).values()) if one not in IDENTITY]
    named = [f"Column {number}" for number, _ in enumerate(meant)]
    body["csv"] = ",".join(["publicId", *named]) + "\n" + ",".join(["ada", *("A" for _ in named)]) + "\n"
    if "mapping" in body:
        body["mapping"] = dict(zip(named, meant, strict=True))
    if "consent" in body:
        body["consent"] = {}  # it names columns whose values say something
