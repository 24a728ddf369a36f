"""Read a CRM, a page per turn: what changed every quarter of an hour, and once a day everything."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from app.core import claims, clock
from app.core.db import end_read, session, transaction
from app.domain.enrichment.crm import connection, contacts, flows, lists
from app.domain.enrichment.crm.flows import Turn
from app.models.crm import CrmList, Way
from app.ports import Refused

EVERY, WHOLE_EVERY = timedelta(minutes=15), timedelta(days=1)
OVERLAP = timedelta(minutes=5)  # a CRM's search may find the latest changes only later
BY_ID = 100
STAGES = ("owners", "contacts", "companies", "deals", "lists", "end")


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return the flows of which a page, or a new pass, is due."""
    return flows.due(Way.IN, most, busy)


def run(flow_id: int) -> int:
    """Read some pages; return how many turns were done."""
    return flows.run(flow_id, _turn)


def _turn(turn: Turn) -> None:
    _DO[turn.flow.stage](turn)


def _begin(turn: Turn) -> None:
    """Begin a pass: of everything once a day, else of what changed since the last one began."""
    now = clock.now()
    whole = turn.flow.whole_at is None or turn.flow.whole_at <= now - WHOLE_EVERY
    since = None if whole or turn.flow.since is None else turn.flow.since
    with transaction():
        turn.connection()
        turn.put(
            **{"stage": STAGES[0], "cursor": "", "place": 0, "read": 0, "note": "", "error": ""},
            **{"passes": turn.flow.passes + 1, "begun_at": now, "since": since, "due_at": now},
        )


def _page(turn: Turn, method: str, take: Callable[[Any, Any], None], *asked: Any, end: Any = None) -> None:
    """Read a page of the stage, take it, and go on to the next page or stage."""
    page = turn.ask(getattr(turn.adapter, method), *asked, turn.flow.cursor)
    with transaction():
        known = turn.connection()
        if not turn.is_current():
            return
        take(known, page.things)
        more = {"read": turn.flow.read + len(page.things)} if method == "contacts" else {}
        if page.cursor and page.cursor != turn.flow.cursor:
            turn.put(cursor=page.cursor, due_at=clock.now(), note="", error="", **more)
            return
        if end is not None:
            end(known)
        _go_on(turn, **more)


def _go_on(turn: Turn, **more: Any) -> None:
    """Go to the next stage. Inside a transaction."""
    stage = STAGES[STAGES.index(turn.flow.stage) + 1]
    turn.put(stage=stage, cursor="", place=0, due_at=clock.now(), note="", error="", **more)


def _owners(turn: Turn) -> None:
    def take(known: Any, found: Any) -> None:
        known.owners = {**known.owners, **{one.id: one.name for one in found}}

    _page(turn, "owners", take)


def _contacts(turn: Turn) -> None:
    def take(known: Any, found: Any) -> None:
        title = turn.adapter.service.title
        contacts.take(turn.workspace, known, turn.settings, title, found, turn.flow.passes)

    try:
        _page(turn, "contacts", take, turn.flow.since)
    except Refused:
        if turn.flow.since is None:
            raise
        with transaction():  # the CRM refused the search for changes: read all
            turn.connection()
            turn.put(since=None, cursor="", due_at=clock.now())


def _companies(turn: Turn) -> None:
    def take(known: Any, found: Any) -> None:
        contacts.take_companies(known, turn.settings, found, turn.flow.passes)

    def end(known: Any) -> None:
        if turn.flow.since is None:
            contacts.forget_unseen(known, turn.flow.passes)

    _page(turn, "companies", take, turn.flow.since, end=end)


def _deals(turn: Turn) -> None:
    def take(known: Any, found: Any) -> None:
        contacts.take_deals(known, found, turn.flow.passes)

    _page(turn, "open_deals", take, end=partial(contacts.end_deals, this_pass=turn.flow.passes))


def _lists(turn: Turn) -> None:
    row = lists.next_to_read(turn.flow)
    if row is None:
        with transaction():
            turn.connection()
            _go_on(turn)
        return
    list_id, external_id = row.id, row.external_id
    cursor = turn.flow.cursor if list_id == turn.flow.place else ""
    try:
        page = turn.ask(turn.adapter.members, external_id, cursor)
    except Refused as refusal:
        _leave_out(turn, list_id, refusal.sentence)
        return
    known = lists.unknown_contacts(connection.get(turn.workspace), row, page.things)
    end_read()
    fetched: list[Any] = []
    for start in range(0, len(known), BY_ID):
        fetched += turn.ask(turn.adapter.contacts_by_id, known[start : start + BY_ID])
    with transaction():
        current = turn.connection()
        followed = session().get(CrmList, list_id, populate_existing=True)
        if not turn.is_current() or followed is None:
            return
        title = turn.adapter.service.title
        lists.take_members(
            turn.workspace, current, turn.settings, title, followed, page.things, fetched, turn.flow.passes
        )
        if page.cursor and page.cursor != cursor:
            turn.put(place=list_id, cursor=page.cursor, due_at=clock.now(), note="", error="")
            return
        lists.end_list(turn.workspace, followed)
        turn.put(place=list_id, cursor="", due_at=clock.now(), note="", error="")


def _leave_out(turn: Turn, list_id: int, sentence: str) -> None:
    """Record why a list is not read, and continue with the next one."""
    with transaction():
        turn.connection()
        if turn.is_current() and (row := session().get(CrmList, list_id)):
            row.error = sentence
        turn.put(place=list_id, cursor="", due_at=clock.now())


def _end(turn: Turn) -> None:
    now = clock.now()
    begun = turn.flow.begun_at or now
    with transaction():
        known = turn.connection()
        if not turn.is_current():
            return
        contacts.name_do_not_contact(turn.workspace, known, turn.settings)
        whole = {"whole_at": begun} if turn.flow.since is None else {}
        turn.put(stage="", cursor="", since=begun - OVERLAP, done_at=now, due_at=begun + EVERY, note="", **whole)


_DO: dict[str, Callable[[Turn], None]] = {
    "": _begin,
    "owners": _owners,
    "contacts": _contacts,
    "companies": _companies,
    "deals": _deals,
    "lists": _lists,
    "end": _end,
}
