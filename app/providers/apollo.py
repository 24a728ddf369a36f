"""Apollo: email addresses, job changes, company growth, and people search."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.core import company_sizes, text
from app.core.countries import places
from app.ports import (
    Contact,
    ContactQuestion,
    Credentials,
    Field,
    FoundPeople,
    FoundPerson,
    LoggedOut,
    PeopleQuery,
    ProviderError,
    Refused,
    Service,
    SignalQuestion,
    SignalResult,
    Unreachable,
    Verdict,
)
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi, Query, Reply, number_of, share_of, text_of

URL = "https://api.apollo.io/api/v1"
AT_ONCE, MOST_PAGES = 10, 500  # people of one call that gives names; pages of one search
# What they say of an address; anything else is not checked.
VERDICTS = {"verified": Verdict.DELIVERABLE, "extrapolated": Verdict.RISKY, "guessed": Verdict.RISKY}
LOCKED = "email_not_unlocked@"


class Apollo:
    """A `ports.ServiceAdapter` that knows addresses, two signals and people."""

    service = Service(
        name="apollo",
        title="Apollo",
        serves=frozenset({"email", "people", "signals"}),
        fields=(Field("api_key", "API key"),),
        guide=(
            "In Apollo, open Settings → Integrations → API keys. Create a master key, or a key "
            "with people/match, people/bulk_match, mixed_people/api_search and organizations/enrich."
        ),
        cost={"email": 25_000, "people": 25_000, "signals": 25_000},
        link="https://app.apollo.io/#/settings/integrations/api/keys",
    )
    signals = ("headcount", "jobChange")
    angles = ("", "cold")

    def __init__(self, client: HttpClient, url: str = URL) -> None:
        self._api = JsonApi(client, "Apollo", url)

    def check(self, credentials: Credentials) -> str:
        """See ServiceAdapter. Searching costs nothing, and tells whether the key may."""
        try:
            self._ask(credentials, "POST", "/mixed_people/api_search", body={"page": 1, "per_page": 1})
        except LoggedOut as failure:
            raise Refused(failure.sentence) from None
        return "Connected."

    def find_contact(self, credentials: Credentials, question: ContactQuestion) -> Contact | None:
        company = {"domain": question.company_domain} if question.company_domain else {}
        asked = company or ({"organization_name": question.company_name} if question.company_name else {})
        if question.first_name and question.last_name and asked:
            asked |= {"first_name": question.first_name, "last_name": question.last_name}
        else:
            asked = {}
        if "/in/" in question.profile_url:
            asked |= {"linkedin_url": question.profile_url}
        if question.kind != "email" or not asked:
            return None
        reply = self._ask(credentials, "POST", "/people/match", body=asked)
        address = text_of(reply.part("person", "email"))
        if not address or address.startswith(LOCKED):
            return None
        verdict = VERDICTS.get(text_of(reply.part("person", "email_status")), Verdict.UNCHECKED)
        return Contact(address, "Apollo", verdict, "Apollo" if verdict else "")

    def look_up(self, credentials: Credentials, question: SignalQuestion) -> SignalResult | None:
        if question.kind == "headcount":
            reply = self._ask(credentials, "GET", "/organizations/enrich", query={"domain": question.domain})
            answer = _headcount(reply)
        else:
            asked = {"name": question.full_name, "organization_name": question.company_name}
            answer = _job_change(self._ask(credentials, "POST", "/people/match", body=asked), question)
        return SignalResult(answer, "Apollo") if answer else None

    def count_people(self, credentials: Credentials, wanted: PeopleQuery) -> int:
        reply = self._ask(credentials, "POST", "/mixed_people/api_search", body=_search(wanted) | {"per_page": 1})
        total = number_of(reply.part("total_entries"))
        if total is None:
            total = number_of(reply.part("pagination", "total_entries"))
        if total is None:
            raise self._api.strange("there is no total")
        return total

    def find_people(self, credentials: Credentials, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """See PeopleService. The search hides last names and profiles; a second call, which costs, shows them."""
        page = text.number(cursor, 1)
        body = _search(wanted) | {"page": page, "per_page": min(limit, 100)}
        found = self._ask(credentials, "POST", "/mixed_people/api_search", body=body).things("people")
        ids = [{"id": text_of(one.get("id"))} for one in found if text_of(one.get("id"))]
        people: list[FoundPerson] = []
        for start in range(0, len(ids), AT_ONCE):
            details = {"details": ids[start : start + AT_ONCE]}
            known = self._ask(credentials, "POST", "/people/bulk_match", body=details)
            people += [person for one in known.things("matches") if (person := _person(one))]
        more = len(found) == limit and page < MOST_PAGES
        return FoundPeople(people, str(page + 1) if more else "")

    def _ask(
        self, credentials: Credentials, method: str, path: str, *, query: Query | None = None, body: Any = None
    ) -> Reply:
        key = {"x-api-key": credentials.values["api_key"], "cache-control": "no-cache"}
        reply = self._api.ask(method, path, key, query=query, body=body)
        return self._api.sound(reply, _failure(reply, self._api))


def _failure(reply: Reply, api: JsonApi) -> ProviderError | None:
    """Return the error that a status means, or None for an answer."""
    match reply.status:
        case 200 | 404:
            return None
        case 401:
            return LoggedOut("Apollo rejected this API key. Create a new key and paste it here.")
        case 403:
            return LoggedOut("This Apollo key lacks permission. Create a master key and paste it here.")
        case 402 | 422 if reply.status == 402 or "credit" in reply.words.lower():
            return LoggedOut("Your Apollo credits are used up. Buy more, or wait for next month.")
        case 400 | 422:
            return None
        case 429:
            return api.throttled(reply.headers)
        case _:
            return Unreachable(f"Apollo returned an unexpected response ({reply.status}).")


def _search(wanted: PeopleQuery) -> dict[str, Any]:
    """Return the search in Apollo's terms. Labels without an equivalent restrict nothing."""
    rows = wanted.rows
    ranges = {
        company_sizes.named((least, min(most, 1_000_000)), ",") for least, most in _employees(rows.get("size", ()))
    }
    every = [places(label) for label in rows.get("location", ())]
    where = [", ".join(part for part in (place.town, place.country) if part) for some in every for place in some]
    body = {
        "person_titles": list(rows.get("titles", ())),
        "q_organization_keyword_tags": [label.casefold() for label in rows.get("companyType", ())],
        "organization_num_employees_ranges": sorted(ranges),
        "person_locations": where if all(every) else [],
    }
    return {name: values for name, values in body.items() if values}


def _employees(labels: Sequence[str]) -> list[tuple[int, int]]:
    return [size for label in labels if (size := company_sizes.employees(label))]


def _person(record: Mapping[str, Any]) -> FoundPerson | None:
    """Return a person with a profile; None for others."""

    def of(name: str) -> str:
        return text_of(record.get(name))

    person = text.public_id(of("linkedin_url"))
    if not person:
        return None
    company = record.get("organization")
    company = company if isinstance(company, dict) else {}
    address = of("email")
    return FoundPerson(
        public_id=person,
        profile_url=of("linkedin_url").replace("http://", "https://"),
        first_name=of("first_name"),
        last_name=of("last_name"),
        title=of("title"),
        company=text_of(company.get("name")) or of("organization_name"),
        company_domain=text.domain(text_of(company.get("primary_domain")) or text_of(company.get("website_url"))),
        headline=of("headline") or of("title"),
        location=", ".join(part for part in (of("city"), of("state"), of("country")) if part),
        industry=text_of(company.get("industry")),
        image_url=of("photo_url"),
        email="" if address.startswith(LOCKED) else text.email(address),
    )


def _headcount(reply: Reply) -> Mapping[str, Any] | None:
    current = number_of(reply.part("organization", "estimated_num_employees"))
    if not current:
        return None
    growth = {
        "growth6m": reply.part("organization", "organization_headcount_six_month_growth"),
        "growth12m": reply.part("organization", "organization_headcount_twelve_month_growth"),
    }
    return {"current": current, **{name: share_of(rate) for name, rate in growth.items()}, "byMonth": []}


def _job_change(reply: Reply, question: SignalQuestion) -> Mapping[str, Any] | None:
    """Return the current job if it is not at the company where the person was known to work."""
    jobs = [one for one in reply.things("person", "employment_history") if one.get("current") is True]
    before = text.company(question.company_name)
    if not jobs or any(text.company(text_of(job.get("organization_name"))) == before for job in jobs):
        return None
    job = jobs[0]
    return {
        "person": question.full_name,
        "from": {"company": question.company_name, "title": question.job_title},
        "to": {
            "company": text_of(job.get("organization_name")),
            "title": text_of(job.get("title")),
            "startedAt": text_of(job.get("start_date"), 10),
        },
        "profileUrl": text_of(reply.part("person", "linkedin_url")),
    }
