"""Lookups on the sandbox network: invented companies and people, the same at every lookup.

About seven in ten companies show a signal, seven in ten people have a known address and four in ten a number. For tests
and demos, a prefix of a domain's or a public id's name decides: `nothing-` is never found (`no-email-` and `no-phone-`
lack only that); `known-` is always found, as is every public id that names a behavior, such as `accepts-`;
`unreachable-` raises Unreachable, and `throttled-` asks to wait.
"""

import tomllib
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from app.core.db import end_read
from app.ports import Contact, ContactQuestion, SignalQuestion, SignalResult, Throttled, Unreachable, Verdict
from app.providers.sandbox.population import character

HITS = {"hiring": 0.72, "funding": 0.55, "techStack": 0.9, "news": 0.68, "headcount": 0.8, "jobChange": 0.6}
CONTACT_HITS = {"email": 0.7, "phone": 0.4}
_FOUND = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
OPENINGS, CITIES, INVESTORS, ROUNDS = (_FOUND[name] for name in ("openings", "cities", "investors", "rounds"))
TECHNOLOGIES, STORIES, PAPERS = (_FOUND[name] for name in ("technologies", "stories", "papers"))
COMPANIES, TITLES = _FOUND["companies"], _FOUND["titles"]
T = TypeVar("T")


class _Draw:
    """Numbers and choices that belong to what is asked about; the same everywhere and always."""

    def __init__(self, *about: object) -> None:
        self._about = "|".join(map(str, about))

    def chance(self, *what: object) -> float:
        """Return a number from 0 to 1."""
        name = "|".join((self._about, *map(str, what)))
        return int.from_bytes(blake2b(name.encode(), digest_size=7).digest(), "big") / 2**56

    def number(self, least: int, most: int, *what: object) -> int:
        """Return a whole number of that range."""
        return least + int(self.chance(*what) * (most - least + 1))

    def one_of(self, choices: Sequence[T], *what: object) -> T:
        """Return one of them."""
        return choices[int(self.chance(*what) * len(choices))]

    def some(self, choices: Sequence[T], number: int, *what: object) -> list[T]:
        """Return so many of them, each at most once."""
        order = sorted(range(len(choices)), key=lambda index: self.chance(*what, index))
        return [choices[index] for index in order[:number]]


def _refuse_trouble(name: str) -> None:
    if name.startswith(("unreachable-", "never-reachable-")):
        raise Unreachable("The sandbox source is not reachable.")
    if name.startswith("throttled-"):
        raise Throttled("The sandbox source has reached its limit.", 60)


class SandboxSignals:
    """Signals of invented companies. Everything lies before the moment at which it is asked."""

    kinds = tuple(HITS)

    def look_up(self, question: SignalQuestion) -> SignalResult | None:
        """Return the signal, or None."""
        end_read()
        about = question.domain or question.full_name.casefold()
        _refuse_trouble(about)
        draw = _Draw(question.seed, question.kind, about, question.company_name.casefold())
        if about.startswith("nothing-"):
            return None
        if not about.startswith("known-") and draw.chance("hit") >= HITS[question.kind]:
            return None
        make = {
            "hiring": _hiring,
            "funding": _funding,
            "techStack": _tech_stack,
            "news": _news,
            "headcount": _headcount,
            "jobChange": _job_change,
        }[question.kind]
        return SignalResult(make(question, draw), "sandbox")


def _name(domain: str) -> str:
    return domain.split(".")[0].removeprefix("known-").replace("-", " ").title()


def _day(at: datetime, days: int) -> str:
    return (at - timedelta(days=days)).date().isoformat()


def _hiring(question: SignalQuestion, draw: _Draw) -> dict[str, Any]:
    openings = [
        {
            "title": title,
            "location": draw.one_of(CITIES, "city", title),
            "department": department,
            "url": f"https://jobs.{question.domain}/{title.lower().replace(' ', '-')}",
            "postedAt": _day(question.at, draw.number(1, 45, "posted", title)),
        }
        for title, department in draw.some(OPENINGS, draw.number(1, 5, "openings"), "which")
    ]
    return {"openings": openings, "total": len(openings)}


def _funding(question: SignalQuestion, draw: _Draw) -> dict[str, Any]:
    rounds = []
    for number in range(draw.number(1, 3, "rounds")):
        name, usual = ROUNDS[number]
        rounds.append(
            {
                "name": name,
                "amountUsd": int(usual * (0.6 + 0.8 * draw.chance("amount", number))) // 100_000 * 100_000,
                "announcedAt": _day(question.at, 60 + 500 * (2 - number) + draw.number(0, 200, "when", number)),
                "investors": draw.some(INVESTORS, draw.number(1, 3, "investors", number), "who", number),
                "url": f"https://{question.domain}/news/{name.lower().replace(' ', '-')}",
            }
        )
    return {"rounds": rounds[::-1]}


def _tech_stack(question: SignalQuestion, draw: _Draw) -> dict[str, Any]:
    chosen = draw.some(TECHNOLOGIES, draw.number(3, 7, "technologies"), "which")
    return {
        "technologies": [
            {"name": name, "category": kind, "version": version, "evidence": f"named on {question.domain}"}
            for name, kind, version in chosen
        ]
    }


def _news(question: SignalQuestion, draw: _Draw) -> dict[str, Any]:
    name = _name(question.domain)
    articles = [
        {
            "title": story.format(name=name, city=draw.one_of(CITIES[:6], "city", number)),
            "source": draw.one_of(PAPERS, "paper", number),
            "url": f"https://news.example/{question.domain}/{number + 1}",
            "publishedAt": (question.at - timedelta(days=3 + 9 * number, hours=draw.number(0, 20, number))).isoformat(),
        }
        for number, story in enumerate(draw.some(STORIES, draw.number(1, 4, "articles"), "which"))
    ]
    return {"articles": articles}


def _headcount(question: SignalQuestion, draw: _Draw) -> dict[str, Any]:
    now, growth = draw.number(18, 900, "size"), 0.004 + 0.03 * draw.chance("growth")
    counts = [max(round(now / (1 + growth) ** month), 1) for month in range(12, -1, -1)]
    first = question.at.date().replace(day=1)
    by_month = [{"month": f"{_month(first, 12 - index):%Y-%m}", "count": count} for index, count in enumerate(counts)]
    grown = [round((now - counts[index]) / counts[index], 3) for index in (6, 0)]
    return {"current": now, "growth6m": grown[0], "growth12m": grown[1], "byMonth": by_month}


def _month(first: date, back: int) -> date:
    months = first.year * 12 + first.month - 1 - back
    return date(months // 12, months % 12 + 1, 1)


def _job_change(question: SignalQuestion, draw: _Draw) -> dict[str, Any]:
    elsewhere = [name for name in COMPANIES if name.casefold() != question.company_name.casefold()]
    slug = "-".join(question.full_name.casefold().split())
    return {
        "person": question.full_name,
        "from": {"company": question.company_name, "title": question.job_title},
        "to": {
            "company": draw.one_of(elsewhere, "company"),
            "title": draw.one_of(TITLES, "title"),
            "startedAt": _day(question.at, draw.number(10, 150, "started")),
        },
        "profileUrl": f"https://network.example/in/{slug}",
    }


class SandboxContacts:
    """Addresses and numbers of the people of the sandbox network. None of them reaches a real person."""

    kinds = tuple(CONTACT_HITS)

    def find(self, question: ContactQuestion) -> Contact | None:
        """Return the contact, or None."""
        end_read()
        person, kind = question.person, question.kind
        _refuse_trouble(person)
        draw = _Draw(question.seed, kind, person)
        if person.startswith(("nothing-", f"no-{kind}-")):
            return None
        sure = person.startswith(("known-", "no-")) or character(person) is not None
        if not sure and draw.chance("hit") >= CONTACT_HITS[kind]:
            return None
        if kind == "phone":
            # Numbers that were set aside for fiction.
            return Contact(f"+1555{draw.number(200, 999, 'area')}01{draw.number(0, 99, 'number'):02}", "sandbox")
        local = "".join(sign if sign.isascii() and sign.isalnum() else "." for sign in person).strip(".")
        address = f"{local or 'person'}@{question.company_domain or 'people.example'}"
        risky = person.startswith("bounces-")
        return Contact(address, "sandbox", Verdict.RISKY if risky else Verdict.DELIVERABLE, "sandbox")
