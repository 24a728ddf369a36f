"""The flows of a CRM: each is a unit with its own claim, so that reading never waits for writing.

A turn calls out and then changes rows and its place in one transaction. A worker that dies loses its claim, and the
turn is done again from the same place.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app import ports
from app.core import claims, clock
from app.core.db import change_rows, end_read, session, transaction
from app.core.errors import AppError
from app.domain.enrichment.crm import connection
from app.domain.enrichment.crm.settings import CrmSettings
from app.domain.platform import services
from app.models.crm import CrmConnection, CrmFlow, Way
from app.models.workspaces import Workspace
from app.ports import Crm, ProviderError

LOG = logging.getLogger(__name__)
LEASE = timedelta(minutes=2)
LONGEST_RUN = 10.0  # seconds, before other work has a turn
AFTER_TROUBLE, AFTER_REFUSAL = timedelta(seconds=15), timedelta(hours=1)
BROKEN = "Something went wrong on our side. We'll retry in an hour."
LOST = "The CRM's key can't be used. Connect the CRM again in Settings → Services."

_FLOWS: Any = CrmFlow.__table__
_REAL = sa.bindparam("real", type_=_FLOWS.c.due_at.type)
_WAY = sa.bindparam("way", type_=sa.String())
_FREE = claims.is_free(_FLOWS.c.claimed_until, _REAL)
_DUE = claims.share_fairly(
    _FLOWS.c.id, _FLOWS.c.workspace_id, _FLOWS.c.due_at, _FLOWS.c.due_at <= _REAL, _FREE, _FLOWS.c.way == _WAY
)
_CLAIM = claims.Claim(CrmFlow, CrmFlow.due_at, [_FLOWS.c.id == sa.bindparam("flow")])


class Turn(NamedTuple):
    """One turn of a flow: where it was found, and what it works with."""

    workspace: Workspace
    connection_id: int
    flow: Any
    adapter: Crm
    ready: services.ServiceCredentials
    settings: CrmSettings

    def ask(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call out with the key, counted with the service."""
        with services.call(self.workspace, self.ready):
            return method(self.ready.credentials, *arguments)

    def connection(self) -> CrmConnection:
        """Return the connection, locked. Inside a transaction."""
        return connection.get(self.workspace, lock=True)

    def is_current(self) -> bool:
        """Return whether the flow still stands where this turn found it. Inside a transaction that locks."""
        query = sa.select(CrmFlow.id).where(*_ours(self.flow))
        return session().scalars(query).first() is not None

    def put(self, **values: Any) -> None:
        """Change the flow's place, and end the turn. Inside a transaction."""
        change = sa.update(CrmFlow).where(*_ours(self.flow)).values(**values, turns=self.flow.turns + 1)
        change_rows(change.values(claimed_until=None))


def due(way: Way, most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return the flows of that way whose next turn is due."""
    return claims.due_units(_DUE, most, busy, real=clock.now(), way=way)


def run(flow_id: int, turn: Callable[[Turn], None]) -> int:
    """Do the turns of the flow that are due; return how many."""
    done, until = 0, time.monotonic() + LONGEST_RUN
    while time.monotonic() < until:
        taken = _CLAIM.take(clock.now(), 1, LEASE, flow=flow_id)
        if not taken:
            break
        _run_one(taken[0], turn)
        done += 1
    return done


def _run_one(flow: Any, turn: Callable[[Turn], None]) -> None:
    try:
        begun = _begin(flow)
        if begun is None:
            _wait(flow, None, error=LOST)
            return
        end_read()
        turn(begun)
    except ports.Throttled as wait:
        _wait(flow, clock.now() + timedelta(seconds=max(wait.retry_after, 1)), note=wait.sentence)
    except (ports.LoggedOut, ports.Refused) as refusal:
        _wait(flow, clock.now() + AFTER_REFUSAL, error=refusal.sentence)
    except ProviderError as failure:
        _wait(flow, clock.now() + AFTER_TROUBLE, note=failure.sentence)
    except AppError as refusal:
        session().rollback()
        _wait(flow, clock.now() + AFTER_REFUSAL, error=refusal.message)
    except Exception:
        session().rollback()
        LOG.exception("A CRM's flow broke", extra={"fields": {"flow": flow.id}})
        _wait(flow, clock.now() + AFTER_REFUSAL, error=BROKEN)


def _begin(flow: Any) -> Turn | None:
    """Return the turn; None when the key is gone."""
    workspace = session().get_one(Workspace, flow.workspace_id, populate_existing=True)
    known = connection.find(workspace)
    ready = connection.credentials_of(workspace, known) if known else None
    if known is None or ready is None:
        return None
    return Turn(workspace, known.id, flow, connection.adapter_of(known), ready, connection.settings_of(known))


def _wait(flow: Any, until: datetime | None, note: str = "", error: str = "") -> None:
    """Record what the flow waits for; its place stays."""
    with transaction():
        change = sa.update(CrmFlow).where(*_ours(flow)).values(due_at=until, note=note, error=error)
        change_rows(change.values(claimed_until=None))


def _ours(flow: Any) -> tuple[sa.ColumnElement[bool], ...]:
    return (CrmFlow.id == flow.id, CrmFlow.turns == flow.turns, CrmFlow.claimed_until == flow.claimed_until)
