"""The AI model of this installation: set up by its operator, tested by a job, and taken away again.

A model that is being set up writes only after its test; until then whatever wrote before goes on. Every process reads
the choice before each piece of writing. A model of the environment's settings comes before it.
"""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.actor import actor
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.platform import audit_log, jobs, secret_rotation
from app.models.platform.installation import ModelChoice
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ChosenModel, ModelServer, ProviderError
from app.ports.models import Probe

KIND = "model_test"
LONGEST_URL, LONGEST_NAME, LONGEST_KEY = 500, 200, 500
TESTING = 900.0  # seconds: loading a model from a slow disk, and six test messages
BROKEN = "Something went wrong on our side. Test it again."


class Choices:
    """A `ports.ModelChoices`."""

    def chosen(self) -> ChosenModel | None:
        found = active()
        end_read()
        return _opened(found) if found else None

    def mode_of(self, url: str, name: str) -> str:
        found = _find(url, name)
        end_read()
        return found.mode if found else ""


def active() -> ModelChoice | None:
    """Return the model that was set up here and works."""
    query = sa.select(ModelChoice).where(ModelChoice.active.is_(True)).limit(1)
    return session().scalars(query.execution_options(populate_existing=True)).first()


def current() -> ModelChoice | None:
    """Return the row of the model that writes; None without one, and for the environment's before its first test."""
    fixed = ports.models().fixed()
    return _find(fixed.url, fixed.name) if fixed else active()


def candidate() -> ModelChoice | None:
    """Return the model that is being set up and does not write yet, or did not work."""
    query = sa.select(ModelChoice).where(ModelChoice.active.is_(False)).order_by(ModelChoice.chosen_at.desc()).limit(1)
    found = session().scalars(query.execution_options(populate_existing=True)).first()
    return None if ports.models().fixed() else found


def is_testing(model: ModelChoice) -> bool:
    """Return whether the model is being tested; after a while without an end it may be tested again."""
    since = model.testing_at
    return since is not None and clock.now() - since < timedelta(seconds=TESTING)


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
        problems.append(("key", f"Use at most {LONGEST_KEY} letters, digits and symbols (ASCII only), without spaces."))
    InvalidRequest.raise_for(problems)


def _is_plain(words: str) -> bool:
    return words.strip().isprintable() and " " not in words.strip()


def set_up(workspace: Workspace, url: str, key: str, name: str) -> ModelChoice:
    """Check the service, keep the model with its key, and test it in the background; then it writes. Calls out.

    Without a key, a known one stays, unless the address is another: a key is never sent to a new address.
    """
    refuse_if_fixed()
    key = key.strip() or _kept_key(url.strip())
    server, name = named_at(url, key, name)
    with transaction():
        model = _keep(server, name, key)
        session().execute(sa.delete(ModelChoice).where(ModelChoice.active.is_(False), ModelChoice.id != model.id))
        _begin(workspace, model)
        audit_log.record(workspace, "model.set_up", name)
        return model


def named_at(url: str, key: str, name: str) -> tuple[ModelServer, str]:
    """Return the server at an address and its model of that name, or its only one. Calls out."""
    server = look(url, key)
    if not (name := name.strip()) and len(server.models) == 1:
        name = server.models[0]
    if not name:
        raise InvalidRequest.of(("name", "Choose a model." if server.models else "Enter the model's name."))
    if (server.models and name not in server.models) or len(name) > LONGEST_NAME or "\0" in name:
        raise InvalidRequest.of(("name", "The service doesn't have this model. Choose a model from the list."))
    return server, name


def _kept_key(url: str) -> str:
    """Return the key of a model that was set up at this very address."""
    query = sa.select(ModelChoice).where(ModelChoice.url == url, ModelChoice.sealed.is_not(None)).limit(1)
    found = session().scalars(query.execution_options(populate_existing=True)).first()
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
    model.kind = server.kind
    model.sealed = None
    if key:
        secret_rotation.seal(model, ModelChoice.sealed, key)
    model.chosen_by, model.chosen_at, model.problem = actor.get().name, clock.now(), ""
    return model


def _opened(model: ModelChoice) -> ChosenModel:
    """Return the model with its key; without it when no known SECRET_KEY opens it."""
    return ChosenModel(model.url, model.name, secret_rotation.opened(model, ModelChoice.sealed), model.mode)


def _begin(workspace: Workspace, model: ModelChoice) -> None:
    model.testing_at, model.problem = clock.now(), ""
    jobs.add(workspace, KIND, str(model.id), {"model": model.id})


def test(workspace: Workspace) -> None:
    """Test the model in use again; the test messages decide anew what it is used for."""
    fixed = ports.models().fixed()
    with transaction():
        model = _keep(ModelServer("Environment", fixed.url, ()), fixed.name, "") if fixed else active()
        if model is None:
            raise Conflict("No AI model is set.", recovery="Set up a model in Settings → Writer.")
        if is_testing(model):
            raise Conflict("This model is being tested.", recovery="Wait until the test has finished.")
        _begin(workspace, model)


def run_test(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Test a model; one that works writes from then on."""
    model = session().get(ModelChoice, payload["model"], populate_existing=True)
    if model is None:
        return
    fixed = ports.models().fixed()
    chosen = fixed if fixed and (fixed.url, fixed.name) == (model.url, model.name) else _opened(model)
    jobs.renew_lease(job, TESTING)
    end_read()
    try:
        found = ports.models().probe(chosen.url, chosen.key, chosen.name)
    except ProviderError as failure:
        _end(payload["model"], problem=failure.sentence)
        return
    _end(payload["model"], found)


def _end(model_id: int, found: Probe | None = None, problem: str = "") -> None:
    with transaction() as current:
        model = current.get(ModelChoice, model_id, populate_existing=True, with_for_update=True)
        if model is None:
            return
        model.testing_at, model.problem = None, problem
        if found:
            _passed(model, found)


def fail_test(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """End the test of a model whose job failed repeatedly."""
    _end(payload["model"], problem=BROKEN)


def _passed(model: ModelChoice, found: Probe) -> None:
    """Let this model write, and no other; the environment's writes anyway. Inside a transaction."""
    model.mode, model.mode_why = found.mode, found.why
    if ports.models().fixed() is None:
        session().execute(sa.delete(ModelChoice).where(ModelChoice.id != model.id))
        model.active = True


def keep(server: ModelServer, name: str, key: str, found: Probe) -> ModelChoice:
    """Keep a model that a command tested; it writes from now on."""
    refuse_if_fixed()
    with transaction():
        model = _keep(server, name, key)
        _passed(model, found)
        model.testing_at = None
        return model


def remove(workspace: Workspace | None = None) -> bool:
    """Delete what was set up here, with its key, so that the built-in writer writes; return whether there was any."""
    refuse_if_fixed()
    with transaction() as current:
        found = current.scalars(sa.select(ModelChoice).order_by(ModelChoice.id).with_for_update()).all()
        for model in found:
            current.delete(model)
            if workspace:
                audit_log.record(workspace, "model.removed", model.name)
        return bool(found)


def refuse_if_fixed() -> None:
    """Raise Conflict while the settings of the environment name a model."""
    if fixed := ports.models().fixed():
        raise Conflict(
            f"OVERTURE_MODEL_URL and OVERTURE_MODEL_NAME are set, so {fixed.name} is used.",
            recovery="Clear both settings and restart Overture to choose a model here.",
        )
