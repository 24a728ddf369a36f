"""What every source of contacts, signals and people promises; the sandbox and each real one are held to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.ports import Contact, ContactQuestion, FoundPeople, PeopleQuery, SignalQuestion, SignalResult, Verdict

# The names in each shape; those of its lists' objects after them.
SHAPES: Mapping[str, tuple[set[str], str, set[str]]] = {
    "hiring": ({"openings", "total"}, "openings", {"title", "location", "department", "url", "postedAt"}),
    "funding": ({"rounds"}, "rounds", {"name", "amountUsd", "announcedAt", "investors", "url"}),
    "techStack": ({"technologies"}, "technologies", {"name", "category", "version", "evidence"}),
    "news": ({"articles"}, "articles", {"title", "source", "url", "publishedAt"}),
    "headcount": ({"current", "growth6m", "growth12m", "byMonth"}, "byMonth", {"month", "count"}),
    "jobChange": ({"person", "from", "to", "profileUrl"}, "", set()),
}


@dataclass(frozen=True)
class Contacts:
    """A source of contacts, and who is known to it and who is not."""

    find: Callable[[ContactQuestion], Contact | None]
    known: ContactQuestion
    stranger: ContactQuestion


def keeps_to_contacts(source: Contacts) -> None:
    """Whoever is known has a usable value with its source; a stranger has none, which is no failure."""
    found = source.find(source.known)
    assert found is not None
    assert found.source
    if source.known.kind == "email":
        assert "@" in found.value
        assert found.verdict in (Verdict.DELIVERABLE, Verdict.RISKY, Verdict.UNCHECKED)
        assert bool(found.verified_by) == bool(found.verdict)
    else:
        assert found.value.startswith("+")
    assert source.find(source.known) == found
    assert source.find(source.stranger) is None


def keeps_to_signals(
    look_up: Callable[[SignalQuestion], SignalResult | None], known: SignalQuestion
) -> Mapping[str, Any]:
    """What is found has the shape of its kind and a source; a company that does not exist has nothing."""
    found = look_up(known)
    assert found is not None
    assert found.source
    names, several, inner = SHAPES[known.kind]
    assert set(found.answer) == names
    for one in found.answer[several] if several else ():
        assert set(one) == inner
    if known.kind == "jobChange":
        assert set(found.answer["from"]) == {"company", "title"}
        assert set(found.answer["to"]) == {"company", "title", "startedAt"}
    return found.answer


def keeps_to_people(
    count: Callable[[PeopleQuery], int],
    find: Callable[[PeopleQuery, int, str], FoundPeople],
    wanted: PeopleQuery,
    limit: int,
) -> None:
    """A walk through the pages meets everyone once, in the same order each time, and each can be contacted."""
    walks = []
    for _ in range(2):
        met, cursor = [], ""
        for _ in range(10):
            found = find(wanted, limit, cursor)
            met += list(found.people)
            cursor = found.cursor
            if not cursor:
                break
        walks.append(met)
    assert walks[0] == walks[1]
    assert len({one.public_id for one in walks[0]}) == len(walks[0])
    assert len(walks[0]) > limit
    assert count(wanted) >= len(walks[0])
    for one in walks[0]:
        assert one.public_id
        assert one.profile_url.startswith("https://")
        assert one.first_name
        assert one.title
