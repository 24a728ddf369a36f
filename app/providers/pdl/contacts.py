"""People Data Labs: contact data, job changes, company growth, and people search."""

from collections.abc import Mapping
from typing import Any

from app.core import text
from app.ports import (
    Contact,
    ContactQuestion,
    Credentials,
    Field,
    FoundPeople,
    LoggedOut,
    PeopleQuery,
    ProviderError,
    Refused,
    Service,
    SignalQuestion,
    SignalResult,
    Unreachable,
)
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi, Query, Reply, number_of, share_of, text_of
from app.providers.pdl import search
from app.providers.ttl_cache import TtlCache

URL = "https://api.peopledatalabs.com/v5"
TITLE = "People Data Labs"
LIKELY = 6  # of 10: how sure they must be that it is this person
VALUES = {"email": "work_email", "phone": "mobile_phone"}
NOT_SOLD = f"Your {TITLE} plan doesn't include email addresses and phone numbers. Choose a plan with contact data."


class PeopleDataLabs:
    """A `ports.ServiceAdapter` that knows contacts, two signals and people."""

    service = Service(
        name="pdl",
        title=TITLE,
        serves=frozenset({"email", "phone", "people", "signals"}),
        fields=(Field("api_key", "API key"),),
        guide=(
            "In the People Data Labs dashboard, open API keys and copy yours. Email addresses "
            "and phone numbers need a plan with contact data. Each person in a search counts as one record."
        ),
        cost={"email": 280_000, "phone": 280_000, "people": 280_000, "signals": 100_000},
        link="https://dashboard.peopledatalabs.com/api-keys",
    )
    signals = ("headcount", "jobChange")
    angles = ("", "cold", "new_role")

    def __init__(self, client: HttpClient, url: str = URL) -> None:
        self._api = JsonApi(client, TITLE, url)
        self._counted = TtlCache[int]()

    def check(self, credentials: Credentials) -> str:
        """Test the key with a company that does not exist: a miss costs nothing."""
        try:
            self._ask(credentials, "/company/enrich", {"website": "overture-key-check.invalid"})
        except LoggedOut as failure:
            raise Refused(failure.sentence) from None
        return "Connected."

    def find_contact(self, credentials: Credentials, question: ContactQuestion) -> Contact | None:
        wanted = VALUES[question.kind]
        asked = _person(question.first_name, question.last_name, question.company_domain or question.company_name)
        if "/in/" in question.profile_url:
            asked |= {"profile": question.profile_url}
        if not asked:
            return None
        reply = self._ask(credentials, "/person/enrich", {**asked, "required": wanted, "min_likelihood": LIKELY})
        value = reply.part("data", wanted) if reply.status == 200 else None
        if value is True:
            raise LoggedOut(NOT_SOLD)
        return Contact(text_of(value), TITLE) if text_of(value) else None

    def look_up(self, credentials: Credentials, question: SignalQuestion) -> SignalResult | None:
        if question.kind == "headcount":
            reply = self._ask(credentials, "/company/enrich", {"website": question.domain})
            answer = _headcount(reply) if reply.status == 200 else None
        else:
            first, _, last = question.full_name.rpartition(" ")
            asked = _person(first, last, question.company_name) or {"name": question.full_name}
            reply = self._ask(credentials, "/person/enrich", {**asked, "min_likelihood": LIKELY})
            answer = _job_change(reply, question) if reply.status == 200 else None
        return SignalResult(answer, TITLE) if answer else None

    def count_people(self, credentials: Credentials, wanted: PeopleQuery) -> int:
        """Count matches, cached for a day: each count costs a record."""
        key = (credentials.values["api_key"], repr(search.query(wanted)))
        if (known := self._counted.get(key)) is not None:
            return known
        reply = self._search(credentials, wanted, 1, "")
        total = number_of(reply.part("total")) if reply.status == 200 else 0
        if total is None:
            raise self._api.strange("there is no total")
        return self._counted.keep(key, total)

    def find_people(self, credentials: Credentials, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        reply = self._search(credentials, wanted, limit, cursor)
        if reply.status != 200:
            return FoundPeople()
        found = reply.things("data")
        more = text_of(reply.part("scroll_token"), 2000) if len(found) == limit else ""
        return FoundPeople(search.people(found, wanted.angle), more)

    def _search(self, credentials: Credentials, wanted: PeopleQuery, size: int, cursor: str) -> Reply:
        body = {"query": search.query(wanted), "size": min(size, 100), "titlecase": True}
        if cursor:
            body["scroll_token"] = cursor
        return self._ask(credentials, "/person/search", body=body)

    def _ask(self, credentials: Credentials, path: str, query: Query | None = None, body: Any = None) -> Reply:
        key = {"x-api-key": credentials.values["api_key"]}
        reply = self._api.ask("POST" if body else "GET", path, key, query=query, body=body)
        return self._api.sound(reply, _failure(reply, self._api))


def _failure(reply: Reply, api: JsonApi) -> ProviderError | None:
    """Return the error that a status means; None for answers: 404, and 400 for an unreadable question."""
    match reply.status:
        case 200 | 400 | 404:
            return None
        case 401:
            return LoggedOut(f"{TITLE} rejected this API key. Copy the key again from the dashboard.")
        case 402 | 403:
            return LoggedOut(f"Your {TITLE} plan is used up or doesn't include this lookup. Check its dashboard.")
        case 429:
            return api.throttled(reply.headers)
        case _:
            return Unreachable(f"{TITLE} returned an unexpected response ({reply.status}).")


def _person(first: str, last: str, company: str) -> dict[str, str | int]:
    return {"first_name": first, "last_name": last, "company": company} if first and last and company else {}


def _headcount(reply: Reply) -> Mapping[str, Any] | None:
    current = number_of(reply.part("employee_count"))
    if not current:
        return None
    months = reply.part("employee_count_by_month")
    counted = {
        month: count
        for month, value in (months.items() if isinstance(months, dict) else ())
        if len(month) == 7 and (count := number_of(value)) is not None
    }
    growth = {f"growth{months}m": reply.part("employee_growth_rate", f"{months}_month") for months in (6, 12)}
    by_month = [{"month": month, "count": counted[month]} for month in sorted(counted)[-13:]]
    return {"current": current, **{name: share_of(rate) for name, rate in growth.items()}, "byMonth": by_month}


def _job_change(reply: Reply, question: SignalQuestion) -> Mapping[str, Any] | None:
    """Return the current job if it is not where the person was known to work."""
    company, title = (text_of(reply.part("data", name)) for name in ("job_company_name", "job_title"))
    if not company or text.company(company) == text.company(question.company_name):
        return None
    profile = text_of(reply.part("data", "linkedin_url"))
    return {
        "person": question.full_name,
        "from": {"company": question.company_name, "title": question.job_title},
        "to": {"company": company, "title": title, "startedAt": text_of(reply.part("data", "job_start_date"), 10)},
        "profileUrl": f"https://{profile}" if profile and "://" not in profile else profile,
    }
