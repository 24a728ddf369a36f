"""Bookings: what services tell of meetings, applied once each, in whatever order the calls come."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import session
from app.core.errors import NotFound, Unauthorized
from app.domain.conversations import meeting_links
from app.domain.people import identities, merge
from app.domain.people.identities import Identity
from app.domain.platform import former_ids, locks, services
from app.domain.tasks.meetings import meetings
from app.models.meetings import MEETING, Meeting, MeetingState
from app.models.people import IdentityKind
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from app.ports import Booking, MeetingNews, MeetingService, Refused

LOG = logging.getLogger(__name__)
SERVES = "meetings"
UNREADABLE = "We couldn't read a booking, so a meeting may be missing. Compare with the booking service."
_REFUSED = "No meeting service is connected here, or the signature is wrong."


@dataclass(frozen=True)
class Owner:
    """Whose meeting it is, and by which text of which campaign it came."""

    person_id: int
    campaign_id: int = 0
    variant: str = ""


def address(base_url: str, workspace: Workspace, service: str) -> str:
    """Return the address to which the service sends its calls."""
    return f"{base_url.rstrip('/')}/hooks/meetings/{service}/{workspace.id}"


def take(service: str, workspace_id: int, headers: Mapping[str, str], body: bytes) -> bool:
    """Apply a service's call; return whether it told of a meeting.

    Raise Unauthorized without a right signature. A signed call that can't be read is noted on the service's card.
    """
    workspace, login = _connected(service, former_ids.row_id("workspace", workspace_id))
    adapter = cast(MeetingService, ports.service(service))
    try:
        news = adapter.hear(services.credentials(login), headers, body, clock.now())
    except Refused:
        raise Unauthorized(_REFUSED) from None
    except ValueError as problem:
        LOG.warning("A call of %s for workspace %d could not be read: %s", service, workspace.id, problem)
        services.note_heard(workspace, login, UNREADABLE)
        return False
    services.note_heard(workspace, login)
    if news is None:
        return False
    with locks.changing(workspace.id):
        _apply(workspace, service, news)
    return True


def _connected(service: str, workspace_id: int) -> tuple[Workspace, ServiceLogin]:
    """Return the workspace that connected the service; raise Unauthorized as for a wrong signature."""
    workspace = session().get(Workspace, workspace_id)
    try:
        serves = SERVES in services.catalogue(service).service.serves
        login = services.get(workspace, service) if workspace is not None and serves else None
        if login is not None:
            services.credentials(login)
    except (NotFound, ValueError):
        login = None
    if workspace is None or login is None:
        raise Unauthorized(_REFUSED)
    return workspace, login


def _apply(workspace: Workspace, service: str, news: MeetingNews) -> None:
    known = _find(workspace, service, news.ref)
    if news.what == Booking.CANCELED:
        known = known or _add(workspace, service, news)
        if known.state == MeetingState.BOOKED:
            meetings.cancel(workspace, known)
        return
    if known is not None:
        return
    former = _given_way(workspace, service, news)
    if former is not None and former.person_id is not None:
        made = _add(workspace, service, news)
        for column in ("person_id", "campaign_id", "variant", "conversation_id", "by", "at"):
            setattr(made, column, getattr(former, column))
        return
    owner = _person_of(workspace, news)
    if owner is None:
        made = _add(workspace, service, news)
        made.dismissed_at, made.by = (former.dismissed_at, former.by) if former else (None, "")
        return
    marked = meetings.marked_by_hand(workspace, owner.person_id)
    if marked is not None:
        _copy_news(marked, service, news)
        marked.variant = owner.variant
        return
    made = _add(workspace, service, news)
    made.variant = owner.variant
    meetings.give(workspace, made, owner.person_id, owner.campaign_id)


def _find(workspace: Workspace, service: str, ref: str) -> Meeting | None:
    query = sa.select(Meeting).where(
        Meeting.workspace_id == workspace.id, Meeting.service == service, Meeting.ref == ref
    )
    return session().scalars(query.with_for_update()).one_or_none()


def _add(workspace: Workspace, service: str, news: MeetingNews) -> Meeting:
    made = Meeting(workspace_id=workspace.id, state=MeetingState.BOOKED, at=workspace.now())
    _copy_news(made, service, news)
    session().add(made)
    session().flush()
    return made


def _copy_news(meeting: Meeting, service: str, news: MeetingNews) -> None:
    """Copy the values that the service sent into the meeting."""
    meeting.service, meeting.ref = service, news.ref
    meeting.name, meeting.title = news.name, news.title
    meeting.email = news.addresses[0] if news.addresses else ""
    meeting.starts_at, meeting.ends_at = news.starts_at, news.ends_at


def _given_way(workspace: Workspace, service: str, news: MeetingNews) -> Meeting | None:
    """Return the meeting whose place this one takes; it is kept as moved even if the call about it comes later."""
    if not news.former_ref or news.former_ref == news.ref:
        return None
    former = _find(workspace, service, news.former_ref)
    if former is None:
        former = Meeting(
            workspace_id=workspace.id,
            service=service,
            ref=news.former_ref,
            state=MeetingState.BOOKED,
            at=workspace.now(),
        )
        session().add(former)
        session().flush()
    if former.state == MeetingState.BOOKED:
        MEETING.move(former, "move")
    return former


def _person_of(workspace: Workspace, news: MeetingNews) -> Owner | None:
    """Return whose meeting it is: the token of our link says it, else an address of those who come."""
    for mark in news.marks:
        try:
            origin = meeting_links.read(mark)
            if origin.workspace_id == workspace.id:
                person = merge.current(workspace, origin.person_id)
                return Owner(person.id, origin.campaign_id, origin.variant)
        except (ValueError, NotFound):
            continue
    wanted = [Identity(IdentityKind.EMAIL, one) for one in news.addresses]
    known = identities.owners(workspace.id, wanted)
    for one in wanted:
        if one in known:
            return Owner(known[one])
    return None
