"""The AI model of this installation: set up by its operator, measured by a job, and switched on and off for all.

A model that is being set up writes only after it was measured; until then whatever wrote before goes on. Every process
reads the choice before each piece of writing. A model of the environment's settings comes before all of these.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.actor import actor
from app.core.crypto import keyring
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.platform import audit_log, jobs, secret_rotation
from app.models.platform.installation import ModelChoice
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ChosenModel, ModelServer, ProviderError, Speed
from app.ports.models import FIRST_PLAY, Probe

KIND = "model_measure"
LONGEST_URL, LONGEST_NAME, LONGEST_KEY = 500, 200, 500
MEASURING = 900.0  # seconds: three questions to a model on a slow disk, or six test messages
MOST_PRICE = 10_000 * 1_000_000  # of a million tokens, in millionths of a dollar
USUAL_SPEED = (200.0, 20.0)  # tokens a second that are read and written, until a model was measured here
USUAL_PRICE = 1_000_000  # of a million tokens, until a price was given
UNTRIED = Probe("")
BROKEN = "Something went wrong on our side. Measure it again."


class Choices:
    """A `ports.ModelChoices`."""

    def chosen(self) -> ChosenModel | None:
        found = active()
        end_read()
        return _opened(found) if found else None

    def measured(self, url: str, name: str) -> ChosenModel | None:
        found = _find(url, name)
        end_read()
        return ChosenModel(url, name, speed=speed_of(found), mode=found.mode) if found else None


def every() -> Sequence[ModelChoice]:
    """Return the models that were set up, the one that writes first."""
    query = sa.select(ModelChoice).order_by(ModelChoice.active.desc(), ModelChoice.id)
    return session().scalars(query.execution_options(populate_existing=True)).all()


def active() -> ModelChoice | None:
    """Return the model that is switched on."""
    query = sa.select(ModelChoice).where(ModelChoice.active.is_(True)).limit(1)
    return session().scalars(query.execution_options(populate_existing=True)).first()


def get(model_id: int, *, lock: bool = False) -> ModelChoice:
    """Return a model that was set up, or raise NotFound."""
    query = sa.select(ModelChoice).where(ModelChoice.id == model_id).execution_options(populate_existing=True)
    found = session().scalars(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise NotFound("AI model not found.", recovery="Set it up again.")
    return found


def current() -> ModelChoice | None:
    """Return the model that writes, or was measured of the environment's one; None: nothing was set up for it."""
    fixed = ports.models().fixed()
    return _find(fixed.url, fixed.name) if fixed else active()


def speed_of(model: ModelChoice) -> Speed | None:
    """Return what was measured of the model."""
    if model.warm_up is None or model.reads is None or model.writes is None:
        return None
    return Speed(model.warm_up, model.reads, model.writes)


def is_measuring(model: ModelChoice) -> bool:
    """Return whether the model is being measured; after a while without an end it may be measured again."""
    since = model.measuring_at
    return since is not None and clock.now() - since < timedelta(seconds=MEASURING)


def look(url: str, key: str) -> ModelServer:
    """Return the server at an address with its models; InvalidRequest says what is wrong. Calls out."""
    _require_valid(url, key)
    end_read()
    try:
        return ports.models().at(url.strip(), key.strip())
    except ProviderError as failure:
        raise InvalidRequest.of(("url", failure.sentence)) from None


def _require_valid(url: str, key: str) -> None:
    problems = []
    if not url.strip():
        problems.append(("url", "Enter the address of the service, such as https://api.openai.com/v1."))
    elif not url.strip().startswith(("http://", "https://")) or len(url) > LONGEST_URL or not _is_plain(url):
        problems.append(("url", "Enter an address that starts with https://, or http:// in your own network."))
    if len(key) > LONGEST_KEY or not (key.isascii() and _is_plain(key)):
        problems.append(("key", f"Use at most {LONGEST_KEY} plain characters, without spaces."))
    if problems:
        raise InvalidRequest.of(*problems)


def _is_plain(words: str) -> bool:
    return words.strip().isprintable() and " " not in words.strip()


def set_up(workspace: Workspace, url: str, key: str, name: str) -> ModelChoice:
    """Check the service, keep the model with its key, and measure it in the background; then it writes. Calls out.

    Without a key, a known one stays, unless the address is another: a key is never sent to a new address.
    """
    refuse_if_fixed()
    key = key.strip() or _kept_key(url.strip(), name)
    server = look(url, key)
    if not (name := name.strip()) and len(server.models) == 1:
        name = server.models[0]
    if not name:
        raise InvalidRequest.of(("name", "Choose one of its models." if server.models else "Enter the model's name."))
    if (server.models and name not in server.models) or len(name) > LONGEST_NAME or "\0" in name:
        raise InvalidRequest.of(("name", "This server has no such model. Choose one that it lists."))
    with transaction():
        model = _keep(server, name, key)
        _begin(workspace, model, write=True)
        audit_log.record(workspace, "model.set_up", name)
        return model


def _kept_key(url: str, name: str) -> str:
    """Return the key of a model that was set up at this very address."""
    found = _find(url, name) or next((one for one in every() if one.url == url), None)
    return _opened(found).key if found else ""


def _find(url: str, name: str) -> ModelChoice | None:
    query = sa.select(ModelChoice).where(ModelChoice.url == url, ModelChoice.name == name)
    return session().scalars(query.execution_options(populate_existing=True)).one_or_none()


def _keep(server: ModelServer, name: str, key: str) -> ModelChoice:
    """Keep the model of a server with its key. Inside a transaction."""
    model = _find(server.url, name)
    if model is None:
        model = ModelChoice(url=server.url, name=name, chosen_at=clock.now())
        session().add(model)
        session().flush()
    model.kind, model.own = server.kind, ports.models().is_own(server.url)
    model.sealed = keyring().seal(key.encode(), _bound_to(model)) if key else None
    model.chosen_by, model.chosen_at, model.problem = actor.get().name, clock.now(), ""
    return model


def _bound_to(model: ModelChoice) -> str:
    return secret_rotation.associated_data(ModelChoice.sealed, id=model.id)


def _opened(model: ModelChoice) -> ChosenModel:
    """Return the model with its key; without it when no known SECRET_KEY opens it."""
    try:
        key = keyring().unseal(model.sealed, _bound_to(model)).decode() if model.sealed else ""
    except ValueError:
        key = ""
    return ChosenModel(model.url, model.name, key, speed_of(model), model.mode)


def _begin(workspace: Workspace, model: ModelChoice, *, write: bool = False) -> None:
    model.measuring_at, model.problem = clock.now(), ""
    jobs.add(workspace, KIND, str(model.id), {"model": model.id, "write": write})


def measure_again(workspace: Workspace, model_id: int) -> None:
    """Measure the model again; whether it writes stays as it is."""
    with transaction():
        model = get(model_id, lock=True)
        if is_measuring(model):
            raise Conflict("This model is being measured.", recovery="Wait until it is done.")
        _begin(workspace, model)


def measure_fixed(workspace: Workspace) -> None:
    """Measure the model of the environment's settings; its key stays there."""
    fixed = ports.models().fixed()
    if fixed is None:
        raise Conflict("The environment names no AI model.", recovery="Set one up on this page.")
    with transaction():
        _begin(workspace, _keep(ModelServer("Environment", fixed.url, ()), fixed.name, ""))


def measure(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Measure a model that is being set up; when it works, it writes from then on."""
    try:
        model = get(payload["model"])
    except NotFound:
        return
    fixed = ports.models().fixed()
    chosen = fixed if fixed and (fixed.url, fixed.name) == (model.url, model.name) else _opened(model)
    jobs.renew_lease(job, MEASURING)
    end_read()
    try:
        speed = ports.models().measure(chosen.url, chosen.key, chosen.name)
    except ProviderError as failure:
        _end(payload["model"], problem=failure.sentence)
        return
    jobs.renew_lease(job, MEASURING)
    end_read()
    found = ports.models().probe(chosen.url, chosen.key, chosen.name, speed)
    _end(payload["model"], speed, found, write=payload["write"])


def _end(
    model_id: int, speed: Speed | None = None, found: Probe | None = None, problem: str = "", *, write: bool = False
) -> None:
    with transaction():
        try:
            model = get(model_id, lock=True)
        except NotFound:
            return
        model.measuring_at, model.problem = None, problem
        if speed is None or found is None:
            return
        _measured(model, speed, found)
        if write and ports.models().fixed() is None:
            _activate(model)


def _measured(model: ModelChoice, speed: Speed, found: Probe) -> None:
    """Keep what was measured of a model, and what its test messages showed. Inside a transaction."""
    model.warm_up, model.reads, model.writes = speed.warm_up, speed.reads, speed.writes
    model.measured_at, model.mode, model.mode_why = clock.now(), found.mode, found.why


def fail_measuring(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """End the measuring of a model whose job failed repeatedly."""
    _end(payload["model"], problem=BROKEN)


def _activate(model: ModelChoice) -> None:
    """Let this model write, and no other. Inside a transaction."""
    for other in session().scalars(sa.select(ModelChoice).order_by(ModelChoice.id).with_for_update()):
        other.active = other.id == model.id


def keep(server: ModelServer, name: str, key: str, speed: Speed, found: Probe = UNTRIED) -> ModelChoice:
    """Keep a model that a command measured; it writes from now on."""
    refuse_if_fixed()
    with transaction():
        model = _keep(server, name, key)
        _measured(model, speed, found)
        model.measuring_at = None
        _activate(model)
        return model


def switch(workspace: Workspace, model_id: int, *, on: bool) -> ModelChoice:
    """Let the model write, or the built-in writer again. Raise Conflict for a model that was never measured."""
    refuse_if_fixed()
    with transaction():
        model = get(model_id, lock=True)
        if on and model.measured_at is None:
            raise Conflict("This model has not been measured.", recovery="Measure it first.")
        if on:
            _activate(model)
        model.active = on
        audit_log.record(workspace, "model.on" if on else "model.off", model.name)
        return model


def remove(workspace: Workspace, model_id: int) -> str:
    """Delete the model and its key, and return its name."""
    with transaction() as current:
        model = get(model_id, lock=True)
        current.delete(model)
        audit_log.record(workspace, "model.removed", model.name)
        return model.name


def forget() -> bool:
    """Delete the model that writes, with its key; return whether there was one."""
    with transaction() as current:
        found = active()
        if found is not None:
            current.delete(found)
        return found is not None


def set_prices(model_id: int, reading: float | None, writing: float | None) -> None:
    """Set the price in dollars of a million tokens that the model reads and writes; None when it is not known."""
    both = [None if one is None else round(one * 1_000_000) for one in (reading, writing)]
    names = ("reading", "writing")
    problems = [
        (name, "Enter an amount from 0 to 10,000 dollars, or leave it blank.")
        for name, one in zip(names, both, strict=True)
        if one is not None and not 0 <= one <= MOST_PRICE
    ]
    if problems:
        raise InvalidRequest.of(*problems)
    with transaction():
        model = get(model_id, lock=True)
        model.price_in, model.price_out = both


@dataclass(frozen=True)
class Cost:
    """What the first play for 100 people takes: minutes, and millionths of a dollar; None where it is not known."""

    minutes: int | None
    amount: int | None


def cost(model: ModelChoice) -> Cost:
    """Return what a model costs, by its measured speed and the price that its operator gave."""
    speed, (read, written) = speed_of(model), FIRST_PLAY
    minutes = max(1, math.ceil(speed.seconds(read, written) / 60)) if speed else None
    if model.price_in is None or model.price_out is None:
        return Cost(minutes, 0 if model.own else None)
    return Cost(minutes, _cents((model.price_in * read + model.price_out * written) // 1_000_000))


def _cents(amount: int) -> int:
    """Return the amount in millionths of a dollar, rounded up to cents."""
    return -(-amount // 10_000) * 10_000


@dataclass(frozen=True)
class Offer:
    """What a model would cost for the first play for 100 people: minutes on one's own machine, or at a service."""

    minutes: int
    speed: str
    tokens: int
    amount: int  # millionths of a dollar
    price: str


def offer() -> Offer | None:
    """Return what is said to those who have no model; None while one writes.

    A speed that was measured here, and a price that was given here, come before the usual ones.
    """
    if ports.models().current() is not None:
        return None
    known = every()
    own = next((one for one in known if one.own and speed_of(one)), None)
    speed = (speed_of(own) if own else None) or Speed(0, *USUAL_SPEED)
    priced = next((one for one in known if one.price_in is not None and one.price_out is not None), None)
    amount = cost(priced).amount if priced else _cents(sum(FIRST_PLAY) * USUAL_PRICE // 1_000_000)
    return Offer(
        max(1, math.ceil(speed.seconds(*FIRST_PLAY) / 60)),
        f"measured with {own.name}" if own else f"at {USUAL_SPEED[1]:.0f} tokens a second",
        sum(FIRST_PLAY),
        amount or 0,
        f"the price of {priced.name}" if priced else "$1 per million tokens",
    )


def refuse_if_fixed() -> None:
    """Raise Conflict while the settings of the environment name a model."""
    if fixed := ports.models().fixed():
        raise Conflict(
            f"OVERTURE_MODEL_URL and OVERTURE_MODEL_NAME of the environment decide: {fixed.name} writes.",
            recovery="Clear both settings and restart Overture to choose a model here.",
        )
