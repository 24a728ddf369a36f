"""Connected services with the workspace's own keys: tested, encrypted, asked in order.

Sandbox workspaces have none: samples answer there. Other modules call a service through `credentials_for` and `call`.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app import ports
from app.core import crypto
from app.core.db import change_rows, end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, Unavailable
from app.domain.platform import audit_log, locks, secret_rotation
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from app.ports import Credentials, Field, ProviderError, Service, ServiceAdapter

LONGEST_VALUE = 500
MADE_LETTERS = 40
MILLION = 1_000_000
MOST_BUDGET = 10_000 * MILLION  # a day, in millionths of a dollar


@dataclass(frozen=True)
class ServiceCredentials:
    """A service that can be asked for `kind` now."""

    name: str
    adapter: ServiceAdapter
    credentials: Credentials
    kind: str
    login_id: int
    workspace_id: int


@dataclass
class Asked:
    """How many answers a call to a service brought; the caller sets the number when it is not one."""

    answers: int


@dataclass(frozen=True)
class State:
    """A service as a workspace sees it; `login` where it is connected, with its use and cost of today."""

    service: Service
    login: ServiceLogin | None
    used: int = 0
    spent: int = 0


def states(workspace: Workspace) -> list[State]:
    """Return the states of all services: connected ones first, in the order of use."""
    logins = connected(workspace)
    names = {login.service for login in logins}
    found = [State(catalogue(login.service).service, login, *use_today(workspace, login)) for login in logins]
    return found + [State(service, None) for service in ports.services() if service.name not in names]


def state(workspace: Workspace, name: str) -> State:
    """Return the state of one service, or raise NotFound."""
    catalogue(name)
    return next(one for one in states(workspace) if one.service.name == name)


def connected(workspace: Workspace) -> list[ServiceLogin]:
    """Return the connected services in the order in which they are asked."""
    query = sa.select(ServiceLogin).where(ServiceLogin.workspace_id == workspace.id).order_by(ServiceLogin.position)
    known = {service.name for service in ports.services()}
    return [login for login in session().scalars(query) if login.service in known]


def get(workspace: Workspace, name: str) -> ServiceLogin:
    """Return the connected service of that name, or raise NotFound."""
    login = _find(workspace, name)
    if login is None:
        raise NotFound("This service is not connected.", recovery="Connect it first.")
    return login


def _find(workspace: Workspace, name: str, *, lock: bool = False) -> ServiceLogin | None:
    query = sa.select(ServiceLogin).where(ServiceLogin.workspace_id == workspace.id, ServiceLogin.service == name)
    return session().scalars(query.with_for_update() if lock else query).one_or_none()


def catalogue(name: str) -> ServiceAdapter:
    """Return the adapter of the service of that name, or raise NotFound."""
    try:
        return ports.service(name)
    except KeyError:
        raise NotFound("Service not found.", recovery="Use a name from GET /v1/services.") from None


def connect(
    workspace: Workspace, name: str, values: Mapping[str, str], daily_budget: int | None = None
) -> ServiceLogin:
    """Test the key and connect the service. Calls out, so never inside a transaction.

    A secret that is left out stays unless another field changes: a stored key must not be sent to a new address.
    """
    adapter = catalogue(name)
    chosen = _chosen(workspace, adapter.service, values, daily_budget)
    if workspace.sandbox:
        raise Conflict("Sandbox workspaces use sample data.", recovery="Connect services in a live workspace.")
    end_read()
    try:
        about = adapter.check(Credentials(name, chosen))
    except (ports.Refused, ports.LoggedOut) as refusal:
        raise InvalidRequest.of((f"values.{_asked_for(adapter.service)}", refusal.sentence)) from None
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="Nothing was changed. Try again in a few minutes.") from None
    with transaction():
        return _keep(workspace, adapter.service, chosen, daily_budget, about)


def to_micro_usd(dollars: float) -> int:
    """Return the amount in millionths of a dollar; -1, which is refused, when it is no valid amount."""
    return round(dollars * MILLION) if math.isfinite(dollars) and abs(dollars) < MILLION else -1


def _asked_for(service: Service) -> str:
    """Return the name of the key field, which a refusal is about."""
    return next((field.name for field in service.fields if field.secret), service.fields[0].name)


def _chosen(workspace: Workspace, service: Service, values: Mapping[str, str], budget: int | None) -> dict[str, str]:
    """Return every value, completed with defaults; raise InvalidRequest with all problems."""
    given = {name: value.strip() for name, value in values.items()}
    names = {field.name for field in service.fields}
    problems = [(f"values.{name}", "This service has no such field.") for name in given if name not in names]
    before = _before(workspace, service)
    kept = {field.name: before.get(field.name, "") for field in service.fields if field.secret}
    if any(given.get(field.name) != before.get(field.name) for field in service.fields if not field.secret):
        kept = {}
    chosen = {}
    for field in service.fields:
        value = given.get(field.name) or kept.get(field.name, "") or field.default
        if not value and field.made:
            value = crypto.random_base62(MADE_LETTERS)
        if sentence := _value_problem(field, value):
            problems.append((f"values.{field.name}", sentence))
        chosen[field.name] = value
    if budget is not None and not 0 <= budget <= MOST_BUDGET:
        problems.append(("dailyBudget", "Enter an amount from 0 to 10,000 dollars, or leave it blank."))
    InvalidRequest.raise_for(problems)
    return chosen


def _before(workspace: Workspace, service: Service) -> Mapping[str, str]:
    """Return the values the service was connected with; {} when there are none or they cannot be decrypted."""
    login = _find(workspace, service.name)
    try:
        return credentials(login).values if login else {}
    except ValueError:
        return {}


def _value_problem(field: Field, value: str) -> str:
    if not value:
        return "" if field.optional or field.made else f"Enter the {_in_a_sentence(field.label)}."
    if len(value) <= LONGEST_VALUE and value.isascii() and value.isprintable() and " " not in value:
        return ""
    return f"Use at most {LONGEST_VALUE} letters, digits and symbols (ASCII only), without spaces."


def _in_a_sentence(label: str) -> str:
    """Return a label as it reads inside a sentence: `API key` unchanged, `Address` as `address`."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def _keep(
    workspace: Workspace, service: Service, values: Mapping[str, str], budget: int | None, about: str
) -> ServiceLogin:
    """Store the credentials of the service. Inside a transaction."""
    locks.lock_workspaces([workspace.id])
    login = _find(workspace, service.name, lock=True)
    if login is None:
        last = sa.select(sa.func.max(ServiceLogin.position)).where(ServiceLogin.workspace_id == workspace.id)
        login = ServiceLogin(
            workspace_id=workspace.id,
            service=service.name,
            position=(session().scalar(last) or 0) + 1,
            shown={},
            created_at=workspace.now(),
        )
        session().add(login)
        session().flush()
    secret_rotation.seal(login, ServiceLogin.sealed, json.dumps(dict(values)))
    login.shown = {field.name: _masked(field, values[field.name]) for field in service.fields}
    login.daily_budget, login.about = budget, about
    login.checked_at = login.succeeded_at = workspace.now()
    login.failed_at, login.failure = None, ""
    audit_log.record(workspace, "service.connected", service.title)
    for verb in _connecting:
        verb(workspace, login)
    return login


def _masked(field: Field, value: str) -> str:
    if not field.secret:
        return value
    return "••••" + (value[-4:] if len(value) >= 12 else "") if value else ""


def credentials(login: ServiceLogin) -> Credentials:
    """Return the decrypted credentials for the adapter; raise ValueError when their key is gone."""
    return Credentials(login.service, json.loads(secret_rotation.unseal(login, ServiceLogin.sealed)))


def before_leaving(verb: Callable[[Workspace, str], None]) -> Callable[[Workspace, str], None]:
    """Register a function to call before a service is disconnected, while its key still works."""
    _leaving.append(verb)
    return verb


_leaving: list[Callable[[Workspace, str], None]] = []


def after_connecting(verb: Callable[[Workspace, ServiceLogin], None]) -> Callable[[Workspace, ServiceLogin], None]:
    """Register a function to call in the transaction that keeps a service's key."""
    _connecting.append(verb)
    return verb


_connecting: list[Callable[[Workspace, ServiceLogin], None]] = []


def disconnect(workspace: Workspace, name: str) -> None:
    """Disconnect the service and delete its key; the data it brought stays. Calls out."""
    get(workspace, name)
    for verb in _leaving:
        verb(workspace, name)
    with locks.changing(workspace.id) as current:
        login = get(workspace, name)
        current.delete(login)
        audit_log.record(workspace, "service.disconnected", catalogue(name).service.title)


def move(workspace: Workspace, name: str, position: int) -> list[ServiceLogin]:
    """Move the service to that position, counted from 1; the others keep their order."""
    with locks.changing(workspace.id):
        moved = get(workspace, name)
        others = [login for login in connected(workspace) if login.id != moved.id]
        others.insert(max(position, 1) - 1, moved)
        for number, login in enumerate(others, start=1):
            login.position = number
    return others


def check(workspace: Workspace, name: str) -> str:
    """Test the service, record the result and return it; record a ProviderError too and raise it. Calls out."""
    login, adapter = get(workspace, name), catalogue(name)
    opened = _opened(login)
    if opened is None:
        raise ports.LoggedOut(_LOST)
    end_read()
    with _noted(workspace, login.id) as changes:
        about = adapter.check(opened)
        changes.update(about=about, checked_at=workspace.now())
    return about


def fetch_status(workspace: Workspace, name: str) -> bool:
    """Test the service and record the result or the error; return whether it answered."""
    try:
        check(workspace, name)
    except ProviderError:
        return False
    return True


_LOST = "This key was encrypted with an old SECRET_KEY. Connect the service again."


def _opened(login: ServiceLogin) -> Credentials | None:
    """Return the decrypted credentials; None when they cannot be decrypted, which the card says."""
    try:
        return credentials(login)
    except ValueError:
        with transaction():
            change_rows(sa.update(ServiceLogin).where(ServiceLogin.id == login.id).values(failure=_LOST))
        return None


def today(workspace: Workspace) -> str:
    """Return the day that use is counted for."""
    return workspace.now().astimezone(ZoneInfo(workspace.timezone)).date().isoformat()


def use_today(workspace: Workspace, login: ServiceLogin) -> tuple[int, int]:
    """Return today's number of calls and their cost."""
    return (login.used, login.spent) if login.used_on == today(workspace) else (0, 0)


def credentials_for(workspace: Workspace, serves: str) -> list[ServiceCredentials]:
    """Return the services for this purpose in order, without those whose daily budget is used up."""
    if workspace.sandbox:
        return []
    found = []
    for login in connected(workspace):
        adapter = catalogue(login.service)
        price = adapter.service.cost.get(serves, 0)
        fits = serves in adapter.service.serves and _affordable(workspace, login, price)
        if fits and (opened := _opened(login)):
            found.append(ServiceCredentials(login.service, adapter, opened, serves, login.id, workspace.id))
    return found


def _affordable(workspace: Workspace, login: ServiceLogin, price: int) -> bool:
    """Return whether the daily budget has room for one more answer."""
    return not price or login.daily_budget is None or use_today(workspace, login)[1] + price <= login.daily_budget


@contextmanager
def call(workspace: Workspace, ready: ServiceCredentials, answers: int = 1) -> Iterator[Asked]:
    """Count one call's use and cost, and record its success or its ProviderError.

    Refused is an answer about a person, so the service works; LoggedOut means the key is invalid. Set `asked.answers`
    to the number of answers. A call whose answer was lost may have been charged, so it counts.
    """
    asked = Asked(answers)
    end_read()
    with _noted(workspace, ready.login_id, lambda: asked.answers * ready.adapter.service.cost.get(ready.kind, 0)):
        yield asked


def note_heard(workspace: Workspace, login: ServiceLogin, failure: str = "") -> None:
    """Record that a service called us, and what was wrong with the call."""
    moment = {"failed_at" if failure else "succeeded_at": workspace.now()}
    _note(workspace, login.id, {**moment, "failure": failure}, 0, used=True)


@contextmanager
def _noted(workspace: Workspace, login_id: int, price: Callable[[], int] | None = None) -> Iterator[dict[str, Any]]:
    """Record the outcome of a call on the row of its service, and count it as today's use if it has a price."""
    changes: dict[str, Any] = {}
    try:
        yield changes
    except ProviderError as failure:
        charged = price() if price and isinstance(failure, ports.Unknown) else 0
        fate: dict[str, Any] = {"failed_at": workspace.now(), "failure": failure.sentence}
        if price and isinstance(failure, ports.Refused):  # the refusal concerns one person; the service itself works
            fate = {"succeeded_at": workspace.now(), "failure": ""}
        _note(workspace, login_id, {**changes, **fate}, charged, used=price is not None)
        raise
    fate = {"succeeded_at": workspace.now(), "failure": ""}
    _note(workspace, login_id, {**changes, **fate}, price() if price else 0, used=price is not None)


def _note(workspace: Workspace, login_id: int, changes: dict[str, Any], charged: int, *, used: bool) -> None:
    day, row = today(workspace), ServiceLogin
    if used:
        same = row.used_on == day
        changes["used"] = sa.case((same, row.used + 1), else_=1)
        changes["spent"] = sa.case((same, row.spent + charged), else_=charged)
        changes["used_on"] = day
    with transaction():
        change_rows(sa.update(row).where(row.id == login_id, row.workspace_id == workspace.id).values(**changes))
