"""Enrichment: look up missing email addresses and phone numbers of a list."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import any_one_of, case
from app.domain.enrichment import address_checks, enrichment
from app.domain.leads import lists
from app.domain.workspace.workspaces import Workspace

RUN = "/enrichments/<id:enrichment_id>"


class Enrich(Body):
    """What to look up for the people in the list, and how much to spend at most."""

    model_config = any_one_of(
        *(
            case(f"`{what}`, with at least {least} `maxCredits`.", what={"const": what}, maxCredits={"minimum": least})
            for what, least in ((what, enrichment.least_credits(what)) for what in enrichment.WHAT)
        )
    )

    what: Literal["email", "phone", "both"]
    """What to look up."""
    max_credits: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    """The maximum number of credits to spend; null to be limited only by your balance."""


@endpoint(
    "POST",
    "/lists/<id:list_id>/enrich",
    scope="enrichment:write",
    body=Enrich,
    returns=resources.EnrichmentResult,
    status=202,
    costly=True,
    example={"what": "email", "maxCredits": 40},
)
def start(workspace: Workspace, list_id: int, body: Enrich) -> tuple[int | None, int, int]:
    """Look up missing data for the people in a list; you only pay for what is found.

    The lookups run in the background; poll `GET /v1/enrichments/{enrichmentId}` for the result. People who already have
    the value, or must not be contacted, are skipped. The maximum cost is put on hold at the start; credits that are not
    spent are released. If you don't have enough credits, nothing starts. Returns 409 for a list of companies, and if
    `maxCredits` does not pay for one lookup: raise it, or leave it out.
    """
    run = enrichment.begin(workspace, list_id, body.what, body.max_credits)
    return (run.id, run.queued, run.max_credits) if run else (None, 0, 0)


@endpoint("GET", "/lists/<id:list_id>/enrichments", scope="enrichment:read", page_of=resources.Enrichment)
def page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """List the enrichment runs of a list, with their progress."""
    lists.get_list(workspace, list_id)
    return enrichment.page(workspace, list_id)


@endpoint(
    "POST",
    "/lists/<id:list_id>/check-addresses",
    scope="enrichment:write",
    returns=resources.CheckedAddresses,
    status=202,
    costly=True,
)
def check_addresses(workspace: Workspace, list_id: int) -> Any:
    """Check email addresses in a list that have not been checked yet, in the background.

    The check finds disposable and role-based addresses, and domains that do not accept email. If a verification service
    is connected, it checks that each mailbox exists. Addresses that cannot receive email are added to the
    do-not-contact list. This call is optional: every address is also checked before its first email. Returns 409 for a
    list of companies: use a list of people.
    """
    return address_checks.start(workspace, list_id)


@endpoint("GET", "/lists/<id:list_id>/checked-addresses", scope="enrichment:read", returns=resources.CheckedAddresses)
def get_checked_addresses(workspace: Workspace, list_id: int) -> Any:
    """Get how many of a list's email addresses can receive email, and the share of emails expected to bounce."""
    lists.get_list(workspace, list_id)
    return address_checks.of_lists(workspace, [list_id])


@endpoint("GET", RUN, scope="enrichment:read", returns=resources.Enrichment)
def show(workspace: Workspace, enrichment_id: int) -> Any:
    """Get the progress and cost of an enrichment run.

    Poll this endpoint until `state` is no longer `running`.
    """
    return enrichment.get(workspace, enrichment_id)


@endpoint("GET", RUN + "/lookups", scope="enrichment:read", page_of=resources.ContactLookup, oldest_first=True)
def lookups(workspace: Workspace, enrichment_id: int) -> sa.Select[Any]:
    """List the lookups of an enrichment run, each with its value, source and price."""
    return enrichment.lookups(workspace, enrichment_id)


@endpoint("POST", RUN + "/cancel", scope="enrichment:write", returns=resources.Enrichment)
def cancel(workspace: Workspace, enrichment_id: int) -> Any:
    """Cancel an enrichment run's remaining lookups and release their credits.

    Values that have been found are kept. Returns 409 if the run has already ended.
    """
    return enrichment.cancel(workspace, enrichment_id)
