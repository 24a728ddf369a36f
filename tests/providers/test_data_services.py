"""Hunter, People Data Labs and Apollo against servers that speak their contracts, errors and limits included."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from flask import Flask, Response, jsonify
from flask.typing import ResponseReturnValue

from app import ports
from app.ports import ContactQuestion, PeopleQuery, SignalQuestion
from app.providers.apollo import Apollo
from app.providers.http import HttpClient
from app.providers.hunter import Hunter
from app.providers.json_api import MOST
from app.providers.pdl import PeopleDataLabs
from app.providers.sandbox.directory import SandboxDirectory
from app.providers.sandbox.enrichment import SandboxContacts, SandboxSignals
from tests.providers.apollo_server import ApolloServer
from tests.providers.failing import differs, failure_of
from tests.providers.hunter_server import HunterServer
from tests.providers.lookup_contract import Contacts, keeps_to_contacts, keeps_to_people, keeps_to_signals
from tests.providers.pdl_server import PdlServer
from tests.support.movable import Movable

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
ADA = ContactQuestion(
    "email", "known-ada", "Ada", "Lovelace", "Engine", "engine.example", "https://linkedin.com/in/ada"
)
BOB = ContactQuestion("email", "nothing-bob", "Bob", "Nobody", "Engine", "engine.example")
BY_COMPANY = ContactQuestion("email", "ada", "Ada", "Lovelace", "Engine")
PHONES = ("pdl", "phone")
Start = Callable[[str], tuple[Any, Any]]
SERVERS = {"hunter": HunterServer, "pdl": PdlServer, "apollo": ApolloServer}
ADAPTERS = {"hunter": Hunter, "pdl": PeopleDataLabs, "apollo": Apollo}
ROWS = {"titles": ["Founder"], "companyType": ["Software companies"], "size": ["11-50"], "location": ["Germany"]}


def opened(name: str, key: str = "good") -> ports.Credentials:
    return ports.Credentials(name, {"api_key": key})


def a_person(number: int) -> dict[str, Any]:
    profile = f"linkedin.com/in/ada-{number}"
    return {
        "id": f"p{number}", "first_name": "Ada", "last_name": f"Lovelace{number}", "title": "Founder",
        "job_title": "Founder", "linkedin_url": profile, "job_company_name": "Engine", "job_start_date": "2026-08",
        "job_company_website": "engine.example", "location_name": "Berlin, Germany",
    }  # fmt: skip


@pytest.fixture
def start(running: Callable[[Any], Any]) -> Start:
    """Starts a server, and gives it with the adapter that asks it."""

    def start(name: str) -> tuple[Any, Any]:
        server = running(SERVERS[name]())
        return server, ADAPTERS[name](HttpClient(allow_private=True), server.url)

    return start


def test_sandbox_and_services_give_contacts_in_the_same_shape(app: Flask, start: Start) -> None:
    for name, kind in (("sandbox", "email"), ("sandbox", "phone"), *((name, "email") for name in SERVERS), PHONES):
        known, stranger = (ContactQuestion(**{**vars(one), "kind": kind}) for one in (ADA, BOB))
        if name == "sandbox":
            keeps_to_contacts(Contacts(SandboxContacts().find, known, stranger))
            continue
        server, adapter = start(name)
        server.people = [
            {
                "first_name": "Ada", "last_name": "Lovelace", "linkedin_url": "linkedin.com/in/ada", "score": 95,
                "email": "ada@engine.example", "status": "valid", "work_email": "ada@engine.example",
                "mobile_phone": "+15552000100", "email_status": "verified",
            }
        ]  # fmt: skip
        keeps_to_contacts(Contacts(partial(adapter.find_contact, opened(name)), known, stranger))
        assert adapter.check(opened(name)).startswith("Connected")


def test_sandbox_and_services_give_signals_in_the_same_shape(app: Flask, start: Start) -> None:
    """A person who stayed has changed nothing: the legal form of a company is no change of jobs."""
    headcount = SignalQuestion("headcount", NOW, domain="known-engine.example")
    moved = SignalQuestion("jobChange", NOW, full_name="Known- Lovelace", company_name="Alder", job_title="VP Sales")
    stayed = SignalQuestion("jobChange", NOW, full_name="Ada Lovelace", company_name="Engine GmbH")
    for question in (headcount, moved):
        keeps_to_signals(SandboxSignals().look_up, question)
    months = {f"2026-{month:02}": 100 + month for month in range(1, 12)}
    company = {
        "employee_count": 111, "employee_count_by_month": months, "estimated_num_employees": 111,
        "employee_growth_rate": {"6_month": 0.05, "12_month": None}, "organization_headcount_six_month_growth": 0.05,
    }  # fmt: skip
    job = {"organization_name": "Engine", "title": "CRO", "current": True, "start_date": "2026-08-01"}
    engine = {"job_company_name": "Engine", "employment_history": [job]}
    former = {"organization_name": "Alder Inc.", "title": "VP Sales", "current": False}
    person = {
        "first_name": "Known-", "last_name": "Lovelace", "linkedin_url": "https://linkedin.com/in/ada",
        "job_company_name": "Engine", "job_title": "CRO", "job_start_date": "2026-08",
        "employment_history": [former, job],
    }  # fmt: skip
    for name in ("pdl", "apollo"):
        server, adapter = start(name)
        look_up = partial(adapter.look_up, opened(name))
        server.companies["known-engine.example"] = company
        server.people = [person, {"first_name": "Ada", "last_name": "Lovelace", **engine}]
        size, change = (keeps_to_signals(look_up, question) for question in (headcount, moved))
        assert (size["current"], size["growth6m"], size["growth12m"]) == (111, 0.05, None)
        assert (change["to"]["company"], change["to"]["startedAt"][:7]) == ("Engine", "2026-08")
        assert look_up(stayed) is None
        server.companies.clear()
        server.people.clear()
        assert (look_up(headcount), look_up(moved)) == (None, None)


def test_people_are_found_page_by_page(app: Flask, start: Start) -> None:
    wanted, directory = PeopleQuery({**ROWS, "titles": ["Founder"]}), SandboxDirectory()
    keeps_to_people(directory.count, directory.find, wanted, max(directory.count(wanted) // 3, 1))
    for name in ("pdl", "apollo"):
        server, adapter = start(name)
        server.people = [a_person(number) for number in range(25)]
        if name == "apollo":  # shows whole addresses
            server.people = [{**one, "linkedin_url": f"http://www.{one['linkedin_url']}"} for one in server.people]
        find = partial(adapter.find_people, opened(name))
        keeps_to_people(partial(adapter.count_people, opened(name)), find, wanted, 10)
        server.people.clear()
        assert list(find(wanted, 10, "").people) == []


def test_a_targeting_becomes_a_query(start: Start, clock: Movable) -> None:
    """Rows as clauses of People Data Labs and as filters of Apollo; regions as their countries."""
    wanted = PeopleQuery(
        {**ROWS, "companyType": ["Software companies", "Llama breeders"], "location": ["DACH", "Paris, FR"]}
    )
    (pdl, one), (apollo, other) = start("pdl"), start("apollo")
    pdl.people = [a_person(1)]
    one.count_people(opened("pdl"), PeopleQuery(wanted.rows, "new_role"))
    must = pdl.asked[-1][1]["query"]["bool"]["must"]
    assert {"match_phrase": {"job_title": "founder"}} in must
    assert {"terms": {"job_company_size": ["11-50"]}} in must
    assert {"range": {"job_start_date": {"gte": "2025-09"}}} in must
    written = str(must)
    assert all(word in written for word in ("computer software", "llama breeders", "germany", "paris", "france"))
    other.count_people(opened("apollo"), wanted)
    assert apollo.asked[-1][1] == {
        "person_titles": ["Founder"],
        "q_organization_keyword_tags": ["software companies", "llama breeders"],
        "organization_num_employees_ranges": ["11,50"],
        "person_locations": ["germany", "austria", "switzerland", "paris, france"],
        "per_page": 1,
    }


def test_who_is_new_in_a_role_says_since_when(start: Start) -> None:
    """Whoever's month is not known is left out: the message could not say it."""
    server, adapter = start("pdl")
    server.people = [a_person(1), {**a_person(2), "job_start_date": "2026"}, {**a_person(3), "linkedin_url": None}]
    server.people.append({**a_person(4), "job_start_date": "2026-²8"})
    found = adapter.find_people(opened("pdl"), PeopleQuery(ROWS, "new_role"), 10)
    assert [(one.last_name, one.facts) for one in found.people] == [("Lovelace1", {"started": "August"})]


def test_a_count_that_costs_is_asked_once(start: Start) -> None:
    server, adapter = start("pdl")
    server.people, server.keys = [a_person(1)], {"good", "other"}
    for key in ("good", "good", "other"):
        assert adapter.count_people(opened("pdl", key), PeopleQuery(ROWS)) == 1
    assert len(server.asked) == 2


def test_hunter_is_believed_when_it_is_sure(start: Start) -> None:
    """What it found to take no mail, or only guesses, is no find; a status that is new says nothing."""
    server, adapter = start("hunter")
    for status, score, verdict in (
        ("valid", 60, ports.Verdict.DELIVERABLE),
        ("accept_all", 90, ports.Verdict.RISKY),
        ("accept_all", 50, None),
        ("invalid", 99, None),
        ("brand-new-status", 90, ports.Verdict.UNCHECKED),
        (None, 90, ports.Verdict.UNCHECKED),
        (None, 30, None),
    ):
        server.people = [{"first_name": "Ada", "email": "ada@engine.example", "score": score, "status": status}]
        found = adapter.find_contact(opened("hunter"), ADA)
        assert (found.verdict if found else None) == verdict, (status, score)
    checks = {
        "valid": ports.Verdict.DELIVERABLE,
        "invalid": ports.Verdict.UNDELIVERABLE,
        "disposable": ports.Verdict.UNDELIVERABLE,
        "accept_all": ports.Verdict.RISKY,
        "webmail": ports.Verdict.RISKY,
        "unknown": ports.Verdict.UNCHECKED,
        "brand-new-status": ports.Verdict.UNCHECKED,
    }
    server.statuses = {f"{status}@engine.example": status for status in checks}
    assert {one: adapter.verify(opened("hunter"), f"{one}@engine.example") for one in checks} == checks


def test_hunter_may_need_time_or_refuse_a_person(start: Start) -> None:
    """403 means too many at once, 429 too many this month."""
    server, adapter = start("hunter")
    server.statuses["ada@engine.example"] = "pending"
    with pytest.raises(ports.Throttled, match="still checking"):
        adapter.verify(opened("hunter"), "ada@engine.example")
    server.not_wanted = {"Ada"}
    with pytest.raises(ports.Refused, match="asked Hunter not to"):
        adapter.find_contact(opened("hunter"), ADA)
    server.wrong = wrong(403, {"errors": [{"id": "too_many_requests"}]})
    with pytest.raises(ports.Throttled):
        adapter.find_contact(opened("hunter"), ADA)


def test_a_plan_or_key_that_allows_less_is_told(start: Start) -> None:
    """For People Data Labs `true` is no address; Apollo's keys may each ask for some things."""
    server, adapter = start("pdl")
    server.people = [{"first_name": "Ada", "last_name": "Lovelace", "linkedin_url": "x", "work_email": "a@b.example"}]
    server.contact_data = False
    with pytest.raises(ports.LoggedOut, match="contact data"):
        adapter.find_contact(opened("pdl"), BY_COMPANY)
    server, adapter = start("apollo")
    server.allowed = ("/people",)
    with pytest.raises(ports.Refused, match="master key"):
        adapter.check(opened("apollo"))


def test_an_address_that_apollo_does_not_show_is_not_found(start: Start) -> None:
    server, adapter = start("apollo")
    for address in (None, "", "email_not_unlocked@domain.com", 7):
        server.people = [{"first_name": "Ada", "last_name": "Lovelace", "email": address, "email_status": "verified"}]
        assert adapter.find_contact(opened("apollo"), ADA) is None


def test_what_a_service_cannot_look_up_is_not_asked(start: Start) -> None:
    """No name, no company, no number: no call, and no cost."""
    nameless = ContactQuestion("email", "ada", company_domain="engine.example")
    for name in SERVERS:
        server, adapter = start(name)
        assert adapter.find_contact(opened(name), nameless) is None
        assert server.asked == []


def wrong(status: int, body: Any = "", **headers: str) -> Callable[[str], ResponseReturnValue]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda path: (body if isinstance(body, str | bytes | Response) else jsonify(body), status, named)


def drips(path: str) -> ResponseReturnValue:
    """A server that closes the connection in the middle of an answer."""
    return Response(b'{"data":', headers={"content-length": "1000"})


TROUBLES = [
    (wrong(429, {"message": "slow down"}, retry_after="30"), ports.Throttled, "request limit"),
    (wrong(503, "<html>maintenance</html>"), ports.Unreachable, "under maintenance"),
    (wrong(500, {"errors": []}), ports.Unreachable, "under maintenance"),
    (wrong(200, "<html>hello</html>"), ports.Unreachable, "unexpected response"),
    (wrong(200, []), ports.Unreachable, "unexpected response"),
    (wrong(200, b"{" * 100_000), ports.Unreachable, "unexpected response"),
    (wrong(200, b'"' + b"a" * (MOST + 10) + b'"'), ports.Unreachable, "too large"),
    (wrong(418, {"teapot": True}), ports.Unreachable, "unexpected response"),
    (wrong(302, "", location="http://evil.example/"), ports.Unreachable, "unexpected response"),
    (drips, ports.Unreachable, ""),
]


def test_every_trouble_is_a_failure_with_a_sentence(start: Start) -> None:
    """Which says what happened, and holds no key; a wrong key and an empty account are what a human must change."""
    otherwise = []
    for name in SERVERS:
        server, adapter = start(name)
        for number, (answer, kind, words) in enumerate(TROUBLES):
            server.wrong = answer
            found = failure_of(partial(adapter.find_contact, opened(name, "secret-key"), ADA))
            if differs(found, kind, words) or "secret-key" in str(found) or getattr(found, "retry_after", 30) != 30:
                otherwise.append((name, number, found))
        server.wrong = lambda path: None
        with pytest.raises(ports.LoggedOut, match="API key"):
            adapter.find_contact(opened(name, "wrong"), ADA)
        with pytest.raises(ports.Refused, match="API key"):
            adapter.check(opened(name, "wrong"))
        known = {"first_name": "Ada", "last_name": "Lovelace", "linkedin_url": "x", "work_email": "a@b.example"}
        server.people, server.left = [known], 0
        with pytest.raises(ports.LoggedOut, match="used up"):
            adapter.find_contact(opened(name), BY_COMPANY)
    assert otherwise == []
    gone = Hunter(HttpClient(allow_private=True), "http://127.0.0.1:9")
    with pytest.raises(ports.Unreachable, match="Hunter is not reachable"):
        gone.find_contact(opened("hunter"), ADA)


def test_missing_fields_are_no_failure(start: Start) -> None:
    """What is not there is not known; a search without its total is another contract."""
    for name in ("pdl", "apollo"):
        server, adapter = start(name)
        server.people = [{"id": "p1", "linkedin_url": "https://linkedin.com/in/ada", "first_name": "", "title": None}]
        found = adapter.find_people(opened(name), PeopleQuery({}), 5)
        assert [one.public_id for one in found.people] == ["ada"]
        server.wrong = wrong(200, {"people": []})
        with pytest.raises(ports.Unreachable, match="total"):
            adapter.count_people(opened(name), PeopleQuery({"titles": ["Nurse"]}))
