"""The autopilot wizard: eight pages from a website to a launched play; every answer is saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from flask import Blueprint, Response, request

from app import ports
from app.core import clock, countries, languages, text
from app.core.errors import AppError, InvalidRequest
from app.domain.autopilot import (
    launch,
    play_design,
    profile_corrections,
    serialization,
    setup,
    setup_stages,
    setup_state,
)
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import Errors, errors_of, htmx, redirect_to_path, render, show_toast, try_verb
from app.pages.framework.forms import Form, Text, Texts, Tick, Words
from app.ports.writer import ROWS

area = Blueprint("autopilot", __name__)
AT_WORK = ("reading", "understanding", "writing")
SAMPLE = (
    "Tidemark is ticketing software for online shops. It groups support conversations by their cause, counts what each "
    "cause costs, and files it with the product team. Heads of support at shops with 20 to 200 people use it to answer "
    "fewer tickets: Parcelwise cut its tickets by a third in two months."
)
LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "nl": "Dutch",
    "it": "Italian",
    "pt": "Portuguese",
}
# What a phase will do, shown until it reports its own progress.
COMING = {
    "profile": ("Understanding your business", "Finding your customer types", "Writing your documents"),
    "targets": ("Defining your target audience", "Describing your ideal customer"),
    "plays": ("Counting people", "Designing plays", "Writing the sequences"),
    "sequence": ("Writing the sequences",),
    "build": ("Finding people", "Writing their messages"),
}


@dataclass(frozen=True)
class Step:
    """A step of the wizard; `done` returns whether it is answered."""

    slug: str
    title: str
    detail: str

    @property
    def href(self) -> str:
        """Return the address of the step."""
        return f"/autopilot/{self.slug}"


STEPS = (
    Step("business", "Your business", "Website and profile"),
    Step("customers", "Customer type", "Who to reach first"),
    Step("targeting", "Targeting", "Titles, companies, locations"),
    Step("reach", "Reach", "Channel, country, offer"),
    Step("plays", "Plays", "Review people and messages"),
    Step("sources", "Data sources", "Optional"),
    Step("alerts", "Notifications", "Where replies go"),
    Step("launch", "Launch", "Check and launch"),
)
OPTIONAL = ("sources", "alerts")  # done when a user continues from there; that they may be skipped is not enough
NUMBERS = {step.slug: number for number, step in enumerate(STEPS, 1)}


def show(workspace: Workspace, slug: str, view: setup.View, status: int = 200, **context: Any) -> Response:
    """Render the step; only its changed part for htmx."""
    number = NUMBERS[slug]
    return render(
        "autopilot/step.html",
        part=f"autopilot/_{slug}.html",
        status=status,
        inner=f"autopilot/_{slug}.html",
        step=STEPS[number - 1],
        number=number,
        back=STEPS[number - 2].href if number > 1 else "",
        rail=_rail(view, number),
        setup=view.setup,
        view=view,
        tasks=_tasks(view),
        so_far=_so_far(view.setup.progress or {}),
        slow=bool(view.setup.phase) and ports.models().longest() > 0,
        **({"errors": Errors()} | context),
    )


def open_to(view: setup.View) -> int:
    """Return the furthest step that may be opened."""
    found = view.setup
    if found.profile is None or found.profile_state in AT_WORK or profile_corrections.needs(found.profile):
        return 1
    if not found.customer_type_id:
        return 2
    if found.targets is None:
        return 3
    if not (found.channel and found.offer):
        return 4
    return 8 if any(play.approved_at or play.campaign_id for play in view.plays) else max(5, min(found.step, 8))


def _rail(view: setup.View, number: int) -> list[dict[str, Any]]:
    furthest = open_to(view)
    rail = []
    for at, step in enumerate(STEPS, 1):
        seen = step.slug not in OPTIONAL or view.setup.step > at
        state = "now" if at == number else "done" if at < furthest and seen else "open"
        href = step.href if at <= furthest and at != number else None
        rail.append({"title": step.title, "detail": step.detail, "state": state, "href": href})
    return rail


def _tasks(view: setup.View) -> list[dict[str, str]]:
    progress: Mapping[str, Any] = view.setup.progress or {}
    told = [*progress.get("done", []), progress.get("active", "")]
    tasks = [{"text": text, "state": "done"} for text in progress.get("done", [])[-6:]]
    if progress.get("active"):
        tasks.append({"text": progress["active"], "state": "now"})
    coming = COMING.get(progress.get("phase", ""), ())
    heard = max((at for at, text in enumerate(coming) if any(one.startswith(text) for one in told)), default=-1)
    return tasks + [{"text": text, "state": "wait"} for text in coming[heard + 1 :]]


def forward(workspace: Workspace, slug: str) -> Response:
    """Continue with the step after `slug`."""
    number = NUMBERS[slug] + 1
    if setup.view(workspace).setup.step < number:
        setup.save(workspace, step=number)
    return redirect_to_path(STEPS[number - 1].href)


def _so_far(progress: Mapping[str, Any]) -> str:
    """Return how many pages were read, and for how long."""
    if not progress.get("since"):
        return ""
    passed = clock.now() - datetime.fromisoformat(progress["since"])
    minutes, seconds = divmod(max(0, int(passed.total_seconds())), 60)
    lasted = (f"{minutes} min " if minutes else "") + f"{seconds} s so far"
    pages = progress.get("pages")
    return lasted if pages is None else f"Pages read: {pages}, {lasted}"


@area.get("/autopilot")
def index(workspace: Workspace) -> Response:
    """Redirect to the first open step; to the plays after a launch."""
    view = setup.view(workspace)
    if view.setup.status != "setup":
        return redirect_to_path("/plays")
    return redirect_to_path(STEPS[open_to(view) - 1].href)


class BusinessForm(Form):
    """A website or a description; in a sandbox also the sample."""

    website = Text()
    description = Text(default=None)
    sample = Tick()


class ProfileForm(Form):
    """The profile. `candidate` is the number of the pitch that was chosen, or `own` for the one that was typed.

    `guessed` is the topic that came with the pitch: while the topic is that one, it follows the pitch.
    """

    candidate = Text(default="own")
    pitch = Text()
    topic = Text()
    guessed = Text()
    area = Text()
    change = Text()
    proof = Text()
    name = Text()
    kind = Text()
    language = Text()
    tone = Text()
    examples = Text()
    facts = Text(default=None)
    do = Text()
    PATHS: ClassVar[dict[str, str]] = {
        f"profile.{name}": name
        for name in (*profile_corrections.LONGEST, "examples", "facts")
        if name not in profile_corrections.SEVERAL_LINES
    }

    def given(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the profile as the verb takes it; its topic comes along unless another was typed."""
        unsent, candidates = ("candidate", "guessed", "do"), known.get("candidates") or ()
        sent: dict[str, Any] = {field.name: field.data for field in self if field.raw_data and field.name not in unsent}
        if self.candidate.data.isdecimal() and int(self.candidate.data) < len(candidates):
            sent["pitch"] = candidates[int(self.candidate.data)]["pitch"]
        if self.topic.data.strip() == self.guessed.data.strip() and sent.get("pitch"):
            sent["topic"] = profile_corrections.topic(sent["pitch"], known, self.language.data)
        if "examples" in sent:
            sent["examples"] = [one.strip() for one in sent["examples"].split(",") if one.strip()]
        if "facts" in sent:
            sent["facts"] = [{"text": line.strip()} for line in sent["facts"].splitlines() if line.strip()]
        return sent


def _profile_form(known: Mapping[str, Any], workspace_name: str) -> ProfileForm:
    """Return the form with the profile as it is kept; a business without a name has that of the workspace."""
    pitches = [one["pitch"] for one in known.get("candidates") or ()]
    listed: dict[str, Any] = {
        "candidate": str(pitches.index(known["pitch"])) if known.get("pitch") in pitches else "own",
        "examples": ", ".join(known.get("examples") or ()),
        "facts": "\n".join(fact["text"] for fact in known.get("facts", ()) if fact["kind"] != "offer"),
    }
    kept = serialization.profile_of(known)
    texts = {name: getattr(kept, name) for name in ProfileForm.of().data if hasattr(kept, name) and name not in listed}
    if "name" not in kept.typed:
        texts["name"] = kept.name or workspace_name
    if kept.pitch:
        texts["guessed"] = profile_corrections.topic(kept.pitch, known, kept.language)
    return ProfileForm.of(**texts, **listed)


@area.get("/autopilot/business")
def business(workspace: Workspace) -> Response:
    """Show the form for the website, the progress of reading it, or the profile."""
    view = setup.view(workspace)
    again = "again" in request.args and view.setup.phase != "profile"
    describe = request.args.get("how") == "describe" or bool(view.setup.description and not view.setup.website)
    return _business(workspace, view, again=again, describe=describe)


def _business(workspace: Workspace, view: setup.View, status: int = 200, **context: Any) -> Response:
    """Render the step; `form` or `profile` is the one that was sent."""
    found = view.setup
    known = found.profile
    shown: dict[str, Any] = {
        "form": BusinessForm.of(website=found.website, description=found.description),
        "profile": _profile_form(known, workspace.name) if known else ProfileForm.of(),
        "candidates": (known or {}).get("candidates") or [],
        "languages": LANGUAGES,
        "offer": not (found.model_dismissed or found.phase) and ports.models().current() is None,
    } | context
    form = shown["profile"]
    given = {"name": form.name.data, **form.given(known or {})}
    shown["messages"], shown["missing"] = _messages(workspace, found, given), _missing(form, given)
    return show(workspace, "business", view, status, **shown)


@area.post("/autopilot/business")
def analyze(workspace: Workspace) -> Response:
    """Start the analysis of the website or the description."""
    form = BusinessForm.posted()
    wanted = form.description.data is not None
    website, description = form.website.data, form.description.data or ""
    if form.sample.data and workspace.sandbox:
        website, description = "", SAMPLE
    try:
        setup.analyze(workspace, website, description)
    except AppError as refusal:
        form.take_errors(refusal if refusal.fields else InvalidRequest.of(("website", refusal.message)))
        return _business(workspace, setup.view(workspace), 422, form=form, describe=wanted, again=True)
    return redirect_to_path("/autopilot/business")


@area.post("/autopilot/business/profile")
def correct(workspace: Workspace) -> Response:
    """Save the profile, which confirms its sentences; with `do=preview`, only show the first messages."""
    form = ProfileForm.posted()
    found = setup.view(workspace)
    given = form.given(found.setup.profile or {})
    try:
        for name, asked in profile_corrections.NEEDED.items():
            if not given.get(name, "").strip():
                raise InvalidRequest.of((f"profile.{name}", asked))
        if form.do.data == "preview":
            return _business(workspace, found, profile=form, again=False, describe=False)
        view = setup.save(workspace, profile=given)
    except AppError as refusal:
        form.take_errors(refusal)
        return _business(workspace, setup.view(workspace), 422, profile=form, again=False, describe=False)
    if view.setup.status != "setup":
        show_toast("Saved. Plays written before this change are marked.")
        return redirect_to_path("/autopilot/business")
    return forward(workspace, "business")


@area.post("/autopilot/business/messages")
def first_messages(workspace: Workspace) -> Response:
    """Show the first messages and topic of the sentence; a chosen one fills the box for own words if none are there."""
    form = ProfileForm.posted()
    found = setup.view(workspace).setup
    known = found.profile or {}
    given, pitches = form.given(known), {"", *(one["pitch"] for one in known.get("candidates") or ())}
    topic, pitch = given.get("topic", ""), given.get("pitch", "")
    return render(
        "autopilot/_first_messages.html",
        messages=_messages(workspace, found, given),
        missing=_missing(form, given),
        profile=ProfileForm.of(pitch=pitch, topic=topic, guessed=topic),
        follows=topic != form.topic.data,
        fills=form.pitch.data in pitches - {pitch},
        typing=True,
    )


def _missing(form: ProfileForm, given: Mapping[str, Any]) -> str:
    """Return what is asked where there is a sentence but no topic, or the sentence is in another language."""
    pitch, topic, code = (given.get(name, form[name].data).strip() for name in ("pitch", "topic", "language"))
    if pitch and not topic:
        return profile_corrections.ASK_TOPIC
    of_messages = LANGUAGES.get(languages.base(code), "")
    of_sentence = LANGUAGES.get(languages.detected(pitch), "")
    if of_messages and of_sentence not in ("", of_messages):
        return f"Write your sentence in {of_messages}, the language of your messages."
    return ""


def _messages(workspace: Workspace, found: setup.Setup, given: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the first messages to an example person; none while a sentence is missing or too long."""
    try:
        several = profile_corrections.first_messages(workspace, found, given)
    except AppError:
        return []  # saving says what is wrong
    return [{"title": title, "text": text} for title, text in several]


@area.post("/autopilot/model/dismiss")
def dismiss_model(workspace: Workspace) -> Response:
    """Recommend no AI model any more; the page stays with what is typed."""
    setup_state.dismiss_model(workspace)
    return Response() if htmx() else redirect_to_path("/autopilot/business")


@area.post("/autopilot/stop")
def stop(workspace: Workspace) -> Response:
    """Stop the running analysis; all answers stay."""
    setup_stages.stop(workspace)
    show_toast("Stopped. Your answers are saved.", "info")
    return redirect_to_path("/autopilot/business?again=1" if "website" in request.form else "/autopilot")


@area.get("/autopilot/customers")
def customers(workspace: Workspace) -> Response:
    view = setup.view(workspace)
    if open_to(view) < NUMBERS["customers"]:
        return redirect_to_path("/autopilot/business")
    return show(workspace, "customers", view)


@area.post("/autopilot/customers/suggest")
def suggest(workspace: Workspace) -> Response:
    """Suggest the customer types again; the chosen one stays."""
    try_verb(lambda: setup_stages.suggest(workspace), "New suggestions from your profile.")
    return redirect_to_path("/autopilot/customers")


@area.post("/autopilot/customers")
def choose(workspace: Workspace) -> Response:
    """Choose the first customer type."""
    chosen = request.form.get("customerTypeId", "")
    view = setup.view(workspace)
    if chosen != view.setup.customer_type_id or view.setup.targets is None:
        try:
            setup.save(workspace, customer_type_id=chosen)
        except InvalidRequest as refusal:
            return show(workspace, "customers", view, 422, errors=errors_of(refusal))
    return forward(workspace, "customers")


@area.get("/autopilot/targeting")
def targeting(workspace: Workspace) -> Response:
    """Edit the target audience and its estimate."""
    view = setup.view(workspace)
    if open_to(view) < NUMBERS["targeting"]:
        return redirect_to_path("/autopilot")
    return _targeting(workspace, view)


def _targeting(workspace: Workspace, view: setup.View, status: int = 200, **context: Any) -> Response:
    known = view.setup.targets is not None and view.setup.phase != "targets"
    searchless = bool(launch.without_people(workspace, [""]))
    estimate = play_design.estimate(workspace) if known and not searchless else None
    return show(workspace, "targeting", view, status, estimate=estimate, searchless=searchless, **context)


@area.post("/autopilot/targeting")
def aim(workspace: Workspace) -> Response:
    """Save the targeting; with `do=next`, continue."""
    form = TargetsForm.posted()
    try:
        setup.save(workspace, targets=targets_of(form))
    except InvalidRequest as refusal:
        return _targeting(workspace, setup.view(workspace), 422, errors=Errors(summary=refusal.fields[0].message))
    if form.do.data == "next":
        return forward(workspace, "targeting")
    if request.headers.get("HX-Request"):
        return _targeting(workspace, setup.view(workspace))
    return redirect_to_path("/autopilot/targeting")


class TargetsForm(Form):
    """A summary and, for each row, the chips: those that are on, all, and words to add."""

    do = Text()
    summary = Text(strip=True)
    better = Texts()


for _key in ROWS:
    setattr(TargetsForm, f"on_{_key}", Texts(name=_key))
    setattr(TargetsForm, f"all_{_key}", Texts(name=f"all.{_key}"))
    setattr(TargetsForm, f"add_{_key}", Words(name=f"add.{_key}"))


def targets_of(form: TargetsForm) -> Mapping[str, Any]:
    """Return the targets of the form, as setup.save takes them; `better:N` adds a suggestion to the summary."""
    do, better, summary = form.do.data, list(form.better.data), form.summary.data
    at = text.number(do.removeprefix("better:"), len(better))
    if do.startswith("better:") and at < len(better):
        chosen = better.pop(at)
        summary = f"{summary} {chosen.rstrip('.')}.".strip()
    rows = []
    for key in ROWS:
        on, labels = set(form[f"on_{key}"].data), list(form[f"all_{key}"].data)
        added = [word.strip() for word in form[f"add_{key}"].data if word.strip()]
        added = countries.labels(added) if key == "location" else added
        on.update(added)
        known = {label.casefold() for label in labels}
        labels += [word for word in dict.fromkeys(added) if word.casefold() not in known]
        rows.append({"key": key, "chips": [{"label": label, "on": label in on} for label in labels]})
    return {"summary": summary, "rows": rows, "evenBetter": better}
