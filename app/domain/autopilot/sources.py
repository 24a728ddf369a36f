"""Data sources: analytics, payments and website verification. Secrets are tested, encrypted and never shown."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.crypto import keyring
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, Unavailable
from app.domain.autopilot import setup_state, source_sync
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log, locks
from app.models.autopilot import Setup
from app.models.autopilot import SourceConnection as SourceConnection
from app.models.workspaces import Workspace
from app.ports import ProviderError, SourceRefused

REGIONS = ("us", "eu")
KINDS = ("analytics", "payments")
LONGEST_KEY, LONGEST_PROJECT = 500, 100
RECORD = "overture-site="  # how the domain's TXT record for verification begins


@dataclass(frozen=True)
class Site:
    """The website, and the tag that proves that it belongs to the workspace."""

    domain: str
    key: str
    snippet: str
    verified_at: datetime | None

    @property
    def record(self) -> str:
        """Return the TXT record that verifies the site instead of the tag."""
        return f"{RECORD}{self.key}"


@dataclass(frozen=True)
class Sources:
    """What is connected."""

    site: Site | None
    analytics: SourceConnection | None
    payments: SourceConnection | None


def get(workspace: Workspace) -> Sources:
    """Return what is connected."""
    query = sa.select(SourceConnection).where(SourceConnection.workspace_id == workspace.id)
    found = session().scalars(query.execution_options(populate_existing=True))
    connected = {one.kind: one for one in found}
    return Sources(_site(setup_state.get(workspace)), connected.get("analytics"), connected.get("payments"))


def _site(setup: Setup) -> Site | None:
    if not setup.website:
        return None
    host = text.domain(setup.website) or setup.website.split("//")[-1].split("/")[0].split(":")[0]
    return Site(host, setup.site_key, snippet(setup.site_key), setup.site_verified_at)


def snippet(key: str) -> str:
    """Return the tag for the home page's head."""
    return f'<meta name="overture-site" content="{key}">'


def customers_left_out(workspace: Workspace) -> int:
    """Return how many people are excluded because they are customers."""
    return never_contact.count_of(workspace, "payments")


def connect_analytics(workspace: Workspace, api_key: str, region: str = "us", project_id: str = "") -> Sources:
    """Test the key and connect the analytics source. Calls out, so never inside a transaction."""
    api_key, project_id = api_key.strip(), project_id.strip()
    problems = _key_problems("apiKey", api_key)
    if region not in REGIONS:
        problems.append(("region", "Use “us” or “eu”."))
    if project_id and not _is_token(project_id, LONGEST_PROJECT):
        problems.append(("projectId", f"Enter the project id, at most {LONGEST_PROJECT} characters without spaces."))
    if problems:
        raise InvalidRequest.of(*problems)
    source = source_sync.port(workspace, "analytics")()
    end_read()
    try:
        project = source.check(api_key, region, project_id)
    except ProviderError as failure:
        raise _refusal(failure, {"key": "apiKey", "region": "region", "project": "projectId"}) from None
    with transaction():
        _keep(workspace, "analytics", api_key, region=region, project_id=project)
    return get(workspace)


def connect_payments(workspace: Workspace, restricted_key: str) -> Sources:
    """Connect the payments source and list former customers. Calls out.

    With many customers, the rest is read in the background.
    """
    restricted_key = restricted_key.strip()
    if problems := _key_problems("restrictedKey", restricted_key):
        raise InvalidRequest.of(*problems)
    source = source_sync.port(workspace, "payments")()
    end_read()
    try:
        test = source.check(restricted_key)
    except ProviderError as failure:
        raise _refusal(failure, {"key": "restrictedKey"}) from None
    with transaction():
        _keep(workspace, "payments", restricted_key, test=test)
    source_sync.read_some(workspace, "payments")
    return get(workspace)


def _refusal(failure: ProviderError, fields: dict[str, str]) -> InvalidRequest | Unavailable:
    """Return the error for a failed connection of a source."""
    if isinstance(failure, SourceRefused):
        return InvalidRequest.of((fields[failure.field], failure.sentence))
    if isinstance(failure, ports.Refused | ports.LoggedOut):
        return InvalidRequest.of((fields["key"], failure.sentence))
    wait = failure.retry_after if isinstance(failure, ports.Throttled) else None
    return Unavailable(failure.sentence, recovery="Nothing was connected. Try again in a moment.", retry_after=wait)


def _key_problems(field: str, key: str) -> list[tuple[str, str]]:
    if _is_token(key, LONGEST_KEY):
        return []
    return [(field, f"Enter the key, 1 to {LONGEST_KEY} characters without spaces.")]


def _is_token(given: str, most: int) -> bool:
    return 1 <= len(given) <= most and given.isascii() and given.isprintable() and " " not in given


def _keep(workspace: Workspace, kind: str, secret: str, **columns: Any) -> SourceConnection:
    """Store the source with its encrypted secret and start its sync. Inside a transaction."""
    current = session()
    locks.lock_workspaces([workspace.id])
    query = sa.select(SourceConnection).where(
        SourceConnection.workspace_id == workspace.id, SourceConnection.kind == kind
    )
    kept = current.scalars(query.with_for_update()).one_or_none()
    if kept is None:
        kept = SourceConnection(workspace_id=workspace.id, kind=kind, created_at=workspace.now(), sealed=None)
        current.add(kept)
    elif any(getattr(kept, name) != value for name, value in columns.items()):
        kept.refreshed_at = None  # another account: an earlier reading says nothing about its data
    for name, value in columns.items():
        setattr(kept, name, value)
    current.flush()
    kept.sealed = keyring().seal(secret.encode(), source_sync.bound_to(kept))
    kept.checked_at = workspace.now()
    source_sync.begin(workspace, kept)
    audit_log.record(workspace, "source.connected", kind)
    return kept


def disconnect(workspace: Workspace, kind: str) -> None:
    """Disconnect the source and delete its secret; the people it found stay in their list."""
    with transaction() as current:
        locks.lock_workspaces([workspace.id])
        current.execute(
            sa.delete(SourceConnection)
            .where(SourceConnection.workspace_id == workspace.id, SourceConnection.kind == kind)
            .execution_options(synchronize_session=False)
        )
        audit_log.record(workspace, "source.disconnected", kind)


def verify_site(workspace: Workspace) -> Sources:
    """Verify the website by its tag or its domain's record. Calls out, so never in a transaction."""
    setup = setup_state.get(workspace)
    if not setup.website:
        raise Conflict("No website is known yet.", recovery="Analyze your website first.")
    website, key = setup.website, setup.site_key
    end_read()
    found, sentence = False, ""
    try:
        found = ports.site_proof().holds(website, key)
    except ProviderError as failure:
        sentence = failure.sentence
    if not found and not _in_records(website, key):
        if sentence:
            raise Conflict(f"We couldn't read your website. {sentence}", recovery="Try again later.")
        raise Conflict(
            "The tag isn't on your home page yet.",
            recovery=f"Add {snippet(key)} to your home page's <head>, then verify again.",
        )
    with transaction():
        setup = setup_state.locked(workspace)
        if setup.website == website:
            setup.site_verified_at = workspace.now()
    return get(workspace)


def _in_records(website: str, key: str) -> bool:
    """Return whether the domain's DNS has the tag; False if DNS does not respond."""
    host = text.domain(website)
    try:
        return bool(host) and f"{RECORD}{key}" in [one.strip() for one in ports.domain_records().texts(host)]
    except ProviderError:
        return False
