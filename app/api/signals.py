"""Buying signals: one look-up at a time, and the ones before."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.bodies import Body, Text
from app.api.endpoint import endpoint, one_of
from app.domain import signals
from app.domain.workspaces import Workspace

KINDS = Literal["hiring", "funding", "techStack", "news", "headcount", "jobChange"]


class LookUp(Body):
    """What to look up: `domain` for every kind but jobChange, which needs `fullName` and `companyName` instead.

    With `maxCredits` a look-up that costs more is refused.
    """

    kind: KINDS
    domain: Text = ""
    full_name: Text = ""
    company_name: Text = ""
    job_title: Text = ""
    max_credits: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


@endpoint(
    "POST",
    "/signals",
    scope="signals:write",
    body=LookUp,
    returns=resources.SignalResult,
    errors="E409",
    costly=True,
    outside=True,
)
def look_up(workspace: Workspace, body: LookUp) -> signals.Answered:
    """The signal is looked up, and charged when something is found."""
    given = body.model_dump(exclude={"kind", "max_credits"})
    return signals.look_up(workspace, body.kind, max_credits=body.max_credits, **given)


@endpoint(
    "GET",
    "/signals",
    scope="signals:read",
    page_of=resources.Signal,
    errors="E0",
    filters={"kind": one_of(*signals.SIGNALS)},
)
def page(workspace: Workspace, kind: str = "") -> sa.Select[Any]:
    """Earlier look-ups with what they found."""
    return signals.page(workspace, kind)


@endpoint("GET", "/signals/<id:signal_id>", scope="signals:read", returns=resources.Signal, errors="E404")
def show(workspace: Workspace, signal_id: int) -> Any:
    """The look-up with what it found."""
    return signals.get(workspace, signal_id)
