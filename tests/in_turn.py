"""Which tests ask both databases, and which one after the other: the first case here, the second there, and so on.

Every file runs on both in every run. Where its code writes SQL that one database may understand otherwise (inserts that
meet what is there, locks and claims, words and spellings, JSON, moments, orders), every test of it runs on both.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KINDS = ("sqlite", "postgres")
MATRIX = 4  # so many cases ask the same question of so many things, and one database after the other answers it
# What pages ask the database is asked on Postgres by the walk over every page; what they show is the same on both.
ON_BOTH = tuple(HERE / place for place in ("api", "core", "domain", "pages/test_safety.py", "e2e/test_every_page.py"))
# Requests end in the same verbs, and verbs in the same few places that speak to the database; these are about it.
BY_DATABASE = {
    HERE / "api": ("idempotency", "main_job", "paging", "events", "webhooks"),
    HERE / "domain/autopilot": (),
    HERE / "domain": (
        *("events", "webhooks", "deliveries", "delivery_outcomes", "outbox", "barring"),  # numbers without gaps, claims
        *("jobs", "hold", "spending", "settling", "credits", "rates", "wake", "lifecycle"),  # locks, claims, counts
        *("engine_properties", "enrolment", "suppression", "leads", "removals", "subjects"),  # inserts in bulk
        *("intents", "conversations", "kept_forecasts", "selling", "requests"),  # inserts that meet what is there
        *("conversation_words", "threads", "people", "lead_cards", "tagging", "team"),  # words, spellings, orders
        *("erasure", "remains", "audit", "sealing", "doctor", "timeline", "waiting"),  # JSON, moments, whole tables
    ),
}


def kinds(path: Path, chosen: str) -> tuple[str, ...]:
    """On which databases the tests of that file run."""
    if not any(place in (path, *path.parents) for place in ON_BOTH):
        return ("sqlite",)
    return KINDS if chosen == "both" else (chosen,)


def left_out(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Of cases that are asked in turn, those whose turn it is on the other database."""
    series: dict[tuple[Path, str], dict[str, list[pytest.Item]]] = {}
    for item in items:
        name, _, case = item.name.partition("[")
        kind = next((kind for kind in KINDS if case.startswith(kind)), None)
        if kind:
            of_file = series.setdefault((item.path, "" if _in_turn(item.path) else name), {})
            of_file.setdefault(name + case.removeprefix(kind), []).append(item)
    left: set[pytest.Item] = set()
    for (_, name), cases in series.items():
        if len(cases) > (MATRIX if name else 1):
            for number, on_both in enumerate(cases.values()):
                left.update(on_both[number % 2 : number % 2 + 1] if len(on_both) == 2 else ())
    return left


def _in_turn(path: Path) -> bool:
    by_database = BY_DATABASE.get(path.parent)
    return by_database is not None and path.stem.removeprefix("test_") not in by_database
