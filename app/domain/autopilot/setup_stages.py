"""The setup's stages as jobs: analyze the business, then define the target audience.

Each stage reads (transaction), calls out, and records (transaction). A restarted stage gets a new number, and the job
of the old number stops. A stage whose process died starts again from its beginning.
"""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from app import ports
from app.core import clock, text
from app.core.db import end_read, transaction
from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.autopilot import documents as autopilot_documents
from app.domain.autopilot import profile_corrections, serialization, setup_state
from app.domain.autopilot.setup_state import Stage, Superseded
from app.domain.platform import jobs
from app.models.autopilot import AT_WORK, PROFILE, Phase, ProfileState, Setup
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError, Site
from app.ports.writer import CustomerType, Profile

LONGEST_WEBSITE, LONGEST_DESCRIPTION = 2000, 20_000
BROKEN = "Something went wrong on our side. Start this step again."


def begin(setup: Setup, phase: str, active: str) -> int:
    """Start a stage, clear earlier failures, and return the stage's number."""
    setup.run += 1
    setup.phase, setup.error = phase, None
    since = clock.now().isoformat()
    setup.progress = {"phase": phase, "pct": 0, "done": [], "active": active, "since": since, "pages": None}
    return setup.run


def end(setup: Setup) -> None:
    """End the stage."""
    setup.phase, setup.progress = "", None


def fail(setup: Setup, sentence: str) -> None:
    """Fail the stage with a plain sentence; every earlier answer stays."""
    setup.error = sentence
    if PROFILE.allows(setup, "fail") and setup.phase == Phase.PROFILE:
        PROFILE.move(setup, "fail")
    end(setup)


def work(workspace: Workspace, payload: dict[str, Any], job: Job, phase: str, stage: Callable[[Stage], None]) -> None:
    """End the stage, with a sentence if it failed."""
    at_work = Stage(workspace, job, payload["run"], phase)
    try:
        stage(at_work)
    except Superseded:
        return
    except AppError as refusal:
        _give_up(at_work, refusal.fields[0].message if refusal.fields else refusal.message)
    except ProviderError as failure:
        _give_up(at_work, failure.sentence)


def _give_up(stage: Stage, sentence: str) -> None:
    try:
        with stage.recording() as setup:
            fail(setup, sentence)
    except Superseded:
        return


def fail_stage(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Fail a stage whose job failed repeatedly."""
    setup = setup_state.locked(workspace)
    if setup.run == payload["run"]:
        fail(setup, BROKEN)


def analyze(workspace: Workspace, website: str = "", description: str = "") -> Setup:
    """Start the analysis of the website or the owner's description; earlier answers stay."""
    website, description = website.strip(), description.strip()
    problems = _problems(website, description)
    if problems:
        raise InvalidRequest.of(*problems)
    with transaction():
        setup = setup_state.locked(workspace)
        _refuse_while_busy(setup)
        PROFILE.move(setup, "read")
        if website and website != setup.website:
            setup.website, setup.site_verified_at = website, None
        setup.description = description or setup.description
        run = begin(setup, Phase.PROFILE, "Reading the website" if website else "Reading your description")
        given = {"run": run, "website": bool(website), "description": bool(description)}
        jobs.add(workspace, "autopilot_profile", str(run), given)
        return setup


def _problems(website: str, description: str) -> Sequence[tuple[str, str]]:
    if not website and not description:
        sentence = "Enter your website address, or describe your business."
        return [("website", sentence), ("description", sentence)]
    problems = []
    if website and not _address(website):
        problems.append(("website", "Enter a website address such as tidemark.example."))
    if len(description) > LONGEST_DESCRIPTION or "\0" in description:
        problems.append(("description", f"Use at most {LONGEST_DESCRIPTION:,} characters of text."))
    return problems


def _address(website: str) -> str:
    """Return the website with its scheme; '' when it is invalid."""
    if len(website) > LONGEST_WEBSITE or not website.isprintable() or " " in website:
        return ""
    whole = website if "://" in website else f"https://{website}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    named = "." in host.strip(".") or host == "localhost" or ":" in host
    fits = parts.scheme.lower() in ("http", "https") and named and port != 0 and not (parts.username or parts.password)
    return whole if fits else ""


def _refuse_while_busy(setup: Setup) -> None:
    if setup.phase == Phase.PROFILE and setup.profile_state in AT_WORK:
        PROFILE.move(setup, "read")  # says why not
    if setup.phase:
        raise Conflict(
            "The autopilot is still working.",
            recovery="Wait until it's done (`progress` is null), then start again.",
        )


def analyze_business(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Analyze the business, suggest its customer types and write its first documents."""
    work(workspace, payload, job, Phase.PROFILE, _profile)


def _profile(stage: Stage) -> None:
    with stage.recording() as setup:
        PROFILE.move(setup, "again")
        website = setup.website if stage.job.payload["website"] else ""
        description = setup.description if stage.job.payload["description"] else ""
    site = _read(stage, website) if website else None
    with stage.recording() as setup:
        PROFILE.move(setup, "understand")
    writer = ports.writer()
    stage.at(45, "Understanding your business")
    with stage.recording() as setup:
        known = setup.profile
    profile = profile_corrections.merged(known, writer.profile(site, description))
    stage.heard(writer.last())
    stage.at(60, "Finding your customer types")
    types = _distinct(writer.customer_types(profile))
    stage.heard(writer.last())
    with stage.recording() as setup:
        PROFILE.move(setup, "write")
        brief = setup_state.brief(stage.workspace, setup, profile=profile)
    stage.at(80, "Writing your documents")
    documents = writer.documents(brief)
    _record_profile(stage, profile, types, documents, stage.note)


def _record_profile(stage: Stage, profile: Profile, types: Sequence[CustomerType], documents: Any, note: str) -> None:
    with stage.recording() as setup:
        if setup.country in ("", (setup.profile or {}).get("country")):
            setup.country = profile.country  # a new analysis sets the country, unless the owner chose one
        setup.profile = serialization.profile_json(profile)
        setup.customer_types = serialization.types_json(types)
        if setup.customer_type_id not in {one.id for one in types}:
            setup.customer_type_id = ""
        setup.note = note
        setup.step = max(setup.step, 2)
        autopilot_documents.write(stage.workspace, documents)
        PROFILE.move(setup, "finish")
        end(setup)


def _read(stage: Stage, website: str) -> Site:
    """Read the site; the progress names each page and counts the pages read."""
    begun = 0

    def progress(page: str, read: int) -> None:
        nonlocal begun
        stage.pages = read
        stage.at(min(5 + 5 * begun, 40), f"Reading {text.shorten(page, 120)}")
        begun += 1

    end_read()
    site = ports.site_reader().read(website, progress)
    stage.pages = len(site.pages)
    return site


def _distinct(types: Sequence[CustomerType]) -> Sequence[CustomerType]:
    return list({one.id: one for one in types}.values())


def suggest(workspace: Workspace) -> None:
    """Suggest the customer types again from the profile; the chosen one stays."""
    with transaction():
        setup = setup_state.locked(workspace)
        if setup.profile is None or setup.phase == Phase.PROFILE:
            raise Conflict("Your business profile isn't ready yet.", recovery="Wait until the profile is written.")
        put_types(setup)


def put_types(setup: Setup) -> None:
    """Store the current profile's customer types and keep the chosen one. Inside a transaction: it asks no AI model."""
    found = ports.writer().customer_types(serialization.profile_of(setup.profile or {}))
    types = serialization.types_json(_distinct(found))
    known = {one["id"] for one in types}
    chosen = [one for one in setup.customer_types if one["id"] == setup.customer_type_id and one["id"] not in known]
    setup.customer_types = [*chosen, *types[: len(types) - len(chosen)]]


def choose(workspace: Workspace, setup: Setup, customer_type_id: str) -> None:
    """Choose the customer type and start the targeting stage. Inside a transaction."""
    if customer_type_id not in {one["id"] for one in setup.customer_types}:
        known = ", ".join(one["id"] for one in setup.customer_types) or "none yet; analyze your business first"
        raise InvalidRequest.of(("customerTypeId", f"Unknown customer type. Use one of: {known}."))
    if setup.profile_state != ProfileState.DONE or setup.phase == Phase.PROFILE:
        raise InvalidRequest.of(("customerTypeId", "Wait until your business profile is ready."))
    setup.customer_type_id = customer_type_id
    run = begin(setup, Phase.TARGETS, "Defining your target audience")
    setup.step = max(setup.step, 3)
    jobs.add(workspace, "autopilot_targets", str(run), {"run": run})


def define_audience(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Define the target audience of the chosen customer type."""
    work(workspace, payload, job, Phase.TARGETS, _targets)


def _targets(stage: Stage) -> None:
    with stage.recording() as setup:
        brief = setup_state.brief(stage.workspace, setup)
    writer = ports.writer()
    stage.at(10, "Defining your target audience")
    targeting = writer.targeting(brief)
    with stage.recording() as setup:
        setup.targets = serialization.targets_json(targeting)
        brief = setup_state.brief(stage.workspace, setup)
    stage.at(60, "Describing your ideal customer")
    documents = writer.documents(brief)
    with stage.recording() as setup:
        autopilot_documents.write(stage.workspace, documents)
        setup.note = writer.last().note
        end(setup)


def stop(workspace: Workspace) -> Setup:
    """Stop the stage under way; all answers and earlier results stay."""
    with transaction():
        setup = setup_state.locked(workspace)
        if setup.phase == Phase.PROFILE and setup.profile_state in AT_WORK:
            PROFILE.move(setup, "fail")
            setup.error = "Stopped. Start again, or describe your business instead."
        setup.run += 1
        end(setup)
        return setup
