"""Buying signals: look one up, and list past lookups."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint, one_of
from app.api.framework.schema_notes import COMPANY_DOMAIN, PRINTED, WRITTEN, Json, any_one_of, case, up_to
from app.domain.enrichment import signals
from app.domain.workspace.workspaces import Workspace

KINDS = Literal["hiring", "funding", "techStack", "news", "headcount", "jobChange"]
LINE: Any = up_to(signals.LONGEST, **PRINTED)


def _input_schema(needs: tuple[str, ...]) -> Json:
    """Return the schema of the inputs that these signals need."""
    kinds = [kind for kind, about in signals.SIGNALS.items() if about.needs == needs]
    facts = {signals.FIELDS[name]: {**WRITTEN, **(COMPANY_DOMAIN if name == "domain" else {})} for name in needs}
    needed = " and ".join(f"`{name}`" for name in facts)
    return case(f"{', '.join(kinds)}: with {needed}.", *facts, kind={"enum": kinds}, **facts)


class LookUp(Body):
    """The signal to look up. The kind `jobChange` needs `fullName` and `companyName`; all other kinds need `domain`."""

    model_config = any_one_of(*map(_input_schema, dict.fromkeys(about.needs for about in signals.SIGNALS.values())))

    kind: KINDS
    """The kind of signal."""
    domain: Annotated[str, LINE] = ""
    """The domain of the company."""
    full_name: Annotated[str, LINE] = ""
    """The person's name."""
    company_name: Annotated[str, LINE] = ""
    """The name of the company."""
    job_title: Annotated[str, LINE] = ""
    """The job title, to tell people with the same name apart."""
    max_credits: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """The maximum number of credits to spend; null for no limit."""


@endpoint(
    "POST",
    "/signals",
    scope="signals:write",
    body=LookUp,
    returns=resources.SignalResult,
    example={"kind": "hiring", "domain": "analytical.example", "maxCredits": 10},
    costly=True,
    outside=True,
)
def look_up(workspace: Workspace, body: LookUp) -> signals.Answered:
    """Look up a signal; you only pay if it is found.

    The connected services are asked in order until one has a result. The same lookup is free for a week. Returns 403
    and looks nothing up if you don't have enough credits, or if the lookup costs more than `maxCredits`.
    """
    given = body.model_dump(exclude={"kind", "max_credits"})
    return signals.look_up(workspace, body.kind, max_credits=body.max_credits, **given)


@endpoint(
    "GET",
    "/signals",
    scope="signals:read",
    page_of=resources.Signal,
    filters={"kind": one_of(*signals.SIGNALS, about="Only lookups of this kind.")},
)
def page(workspace: Workspace, kind: str = "") -> sa.Select[Any]:
    """List past signal lookups with their results."""
    return signals.page(workspace, kind)


@endpoint("GET", "/signals/<id:signal_id>", scope="signals:read", returns=resources.Signal)
def show(workspace: Workspace, signal_id: int) -> Any:
    """Get a signal lookup with its result."""
    return signals.get(workspace, signal_id)
