"""Job boards that companies publish: where each is named on a website, how it is asked, and what it answers."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.providers.json_api import part_of, text_of, things_of
from app.providers.public_signals.web import Web

_NAME = r"([A-Za-z0-9][A-Za-z0-9._-]{0,99})"
PAGES, A_PAGE = 5, 100  # of boards that answer in pages
Opening = dict[str, str]
Read = Callable[[Web, str], Sequence[Opening]]


@dataclass(frozen=True)
class Board:
    """A kind of board: what names a company's on a website, and who reads it."""

    title: str
    named: re.Pattern[str]
    read: Read


def find(html: str) -> list[tuple[Board, str]]:
    """Return the job boards that a page links or embeds, each with the company's id on it."""
    found: dict[tuple[str, str], tuple[Board, str]] = {}
    for board in BOARDS:
        for match in board.named.finditer(html):
            name = next(group for group in match.groups() if group)
            if name.lower() not in _NO_COMPANY:
                found.setdefault((board.title, name.lower()), (board, name))
    return list(found.values())


_NO_COMPANY = frozenset(
    "embed www api jobs job-boards boards js css assets static careers job_board app help support".split()
)


def _opening(title: Any, where: Any, department: Any, url: Any, day: Any) -> Opening:
    link = text_of(url, 1000)
    return {
        "title": text_of(title),
        "location": text_of(where),
        "department": text_of(department),
        "url": link if link.startswith(("https://", "http://")) else "",
        "postedAt": _day(day),
    }


def _day(value: Any) -> str:
    """Return the day of a time in milliseconds or as text; '' for other values."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**14:
        return datetime.fromtimestamp(value / 1000, UTC).date().isoformat()
    found = re.match(r"\d{4}-\d{2}-\d{2}", text_of(value))
    return found[0] if found else ""


def _places(*parts: Any) -> str:
    return ", ".join(dict.fromkeys(part for one in parts if (part := text_of(one, 100))))


def _greenhouse(web: Web, name: str) -> Sequence[Opening]:
    found = things_of(web.json("greenhouse", f"/v1/boards/{name}/jobs", {"content": "true"}), "jobs")
    return [
        _opening(
            one.get("title"),
            part_of(one, "location", "name"),
            _places(*(part.get("name") for part in things_of(one, "departments"))),
            one.get("absolute_url"),
            one.get("first_published") or one.get("updated_at"),
        )
        for one in found
    ]


def _lever(web: Web, name: str, source: str = "lever") -> Sequence[Opening]:
    every: list[Opening] = []
    for number in range(PAGES):
        query = {"mode": "json", "skip": str(number * A_PAGE), "limit": str(A_PAGE)}
        found = things_of(web.json(source, f"/v0/postings/{name}", query))
        every += [
            _opening(
                one.get("text"),
                part_of(one, "categories", "location"),
                part_of(one, "categories", "department") or part_of(one, "categories", "team"),
                one.get("hostedUrl"),
                one.get("createdAt"),
            )
            for one in found
        ]
        if len(found) < A_PAGE:
            break
    return every


def _lever_of_europe(web: Web, name: str) -> Sequence[Opening]:
    return _lever(web, name, "lever-eu")


def _ashby(web: Web, name: str) -> Sequence[Opening]:
    found = things_of(web.json("ashby", f"/posting-api/job-board/{name}"), "jobs")
    return [
        _opening(
            one.get("title"),
            one.get("location"),
            one.get("department") or one.get("team"),
            one.get("jobUrl"),
            one.get("publishedAt"),
        )
        for one in found
        if one.get("isListed") is not False
    ]


def _workable(web: Web, name: str) -> Sequence[Opening]:
    found = things_of(web.json("workable", f"/api/v1/widget/accounts/{name}", {"details": "true"}), "jobs")
    return [
        _opening(
            one.get("title"),
            _places(one.get("city"), one.get("state"), one.get("country")),
            one.get("department"),
            one.get("url"),
            one.get("published_on"),
        )
        for one in found
    ]


def _smart_recruiters(web: Web, name: str) -> Sequence[Opening]:
    every: list[Opening] = []
    for number in range(PAGES):
        query = {"limit": str(A_PAGE), "offset": str(number * A_PAGE)}
        found = things_of(web.json("smartrecruiters", f"/v1/companies/{name}/postings", query), "content")
        every += [
            _opening(
                one.get("name"),
                _places(*(part_of(one, "location", part) for part in ("city", "region", "country"))),
                part_of(one, "department", "label"),
                f"https://jobs.smartrecruiters.com/{name}/{text_of(one.get('id'), 40)}",
                one.get("releasedDate"),
            )
            for one in found
        ]
        if len(found) < A_PAGE:
            break
    return every


def _recruitee(web: Web, name: str) -> Sequence[Opening]:
    found = things_of(web.json("recruitee", "/api/offers/", of=name), "offers")
    return [
        _opening(
            one.get("title"),
            one.get("location"),
            one.get("department"),
            one.get("careers_url"),
            one.get("published_at"),
        )
        for one in found
    ]


BOARDS = (
    Board(
        "Greenhouse",
        re.compile(
            rf"(?:boards|job-boards)(?:\.eu)?\.greenhouse\.io/(?:embed/job_board(?:/js)?\?for=)?{_NAME}"
            rf"|boards-api\.greenhouse\.io/v1/boards/{_NAME}",
            re.IGNORECASE,
        ),
        _greenhouse,
    ),
    Board("Lever", re.compile(rf"(?:jobs|api)\.lever\.co/(?:v0/postings/)?{_NAME}", re.IGNORECASE), _lever),
    Board("Lever", re.compile(rf"jobs\.eu\.lever\.co/{_NAME}", re.IGNORECASE), _lever_of_europe),
    Board("Ashby", re.compile(rf"jobs\.ashbyhq\.com/{_NAME}", re.IGNORECASE), _ashby),
    Board(
        "Workable", re.compile(rf"apply\.workable\.com/(?:api/v1/widget/accounts/)?{_NAME}", re.IGNORECASE), _workable
    ),
    Board(
        "SmartRecruiters",
        re.compile(rf"(?:jobs|careers)\.smartrecruiters\.com/{_NAME}", re.IGNORECASE),
        _smart_recruiters,
    ),
    Board("Recruitee", re.compile(r"([A-Za-z0-9-]{1,60})\.recruitee\.com", re.IGNORECASE), _recruitee),
)
