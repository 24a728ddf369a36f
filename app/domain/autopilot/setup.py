"""The setup's answers: each is saved, and some start a stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core import clock, countries, text
from app.core.db import session, transaction
from app.core.errors import Field, InvalidRequest
from app.domain.autopilot import (
    launch,
    play_changes,
    play_design,
    play_numbers,
    plays,
    profile_corrections,
    setup_stages,
    setup_state,
)
from app.domain.autopilot.play_numbers import PlayView
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log
from app.domain.rules.schedules import places
from app.models.autopilot import SETUP, Phase, PlayChannel
from app.models.autopilot import Setup as Setup
from app.models.workspaces import Workspace
from app.ports.writer import ROWS

STEPS = 8
MOST_CHIPS, LONGEST_CHIP, LONGEST_SUMMARY, LONGEST_OFFER, LONGEST_COUNTRY = 60, 120, 2000, 500, 100
OFFERS = ("call", "other")
CHANNELS = tuple(PlayChannel)


@dataclass(frozen=True)
class View:
    """The setup with its plays, the number of senders that can act, and that of do-not-contact entries."""

    setup: Setup
    plays: Sequence[PlayView]
    senders: Mapping[str, int]
    never_contact: int
    asks: Mapping[str, str]  # by field, questions that only the owner can answer


def view(workspace: Workspace) -> View:
    """Return the current setup."""
    launch.follow(workspace)
    found = play_numbers.views(workspace)
    setup = setup_state.get(workspace)
    asks = profile_corrections.asks(setup.profile) if setup.profile else {}
    return View(setup, found, setup_state.senders(workspace), never_contact.count(workspace), asks)


def analyze(workspace: Workspace, website: str = "", description: str = "") -> View:
    """Start the analysis of the business."""
    setup_stages.analyze(workspace, website, description)
    return view(workspace)


def design(workspace: Workspace, angle: str = "") -> View:
    """Start the design of all plays, or of one more."""
    play_design.design(workspace, angle)
    return view(workspace)


def save(workspace: Workspace, **answers: Any) -> View:
    """Save the answers that are given; raise InvalidRequest with every problem, and then save none.

    They are step, customer_type_id, targets, channel, country, offer, timezone and profile. A customer type starts the
    targeting stage; once targets, channel and offer are known, the first plays are designed.
    """
    with transaction():
        setup = setup_state.locked(workspace)
        problems = _problems(answers, setup.country)
        former = setup.profile
        if not problems and "profile" in answers:
            setup = profile_corrections.correct(workspace, answers["profile"])
            if setup.profile != former and not setup.customer_type_id:  # no type was chosen yet
                setup_stages.put_types(setup)
        known = {one["id"] for one in setup.customer_types}
        if "customer_type_id" in answers and answers["customer_type_id"] not in known:
            named = ", ".join(sorted(known)) or "none yet; analyze your business first"
            problems.append(Field("customerTypeId", f"Unknown customer type. Use one of: {named}."))
        if problems:
            raise InvalidRequest("The request is not valid.", fields=problems)
        _keep(workspace, setup, answers)
        if "customer_type_id" in answers:
            setup_stages.choose(workspace, setup, answers["customer_type_id"])
        elif {"channel", "offer", "targets", "profile"} & set(answers) and _ready(workspace, setup):
            play_design.begin(workspace, setup)
    return view(workspace)


def _ready(workspace: Workspace, setup: Setup) -> bool:
    """Return whether plays can be designed and never were."""
    answered = setup.targets is not None and setup.channel is not None and setup.offer is not None
    answered = answered and not profile_corrections.needs(setup.profile)
    return answered and setup.phase == "" and not plays.every(workspace)


def _keep(workspace: Workspace, setup: Setup, answers: Mapping[str, Any]) -> None:
    for name in ("step", "channel"):
        if name in answers:
            setattr(setup, name, answers[name])
    if "country" in answers:
        setup.country = text.squeeze(answers["country"])
    if "offer" in answers:
        offer = answers["offer"]
        setup.offer = {"kind": offer["kind"], "text": (offer.get("text") or "").strip()}
    if "targets" in answers:
        setup.targets = _targets(answers["targets"])
        if setup.phase == Phase.TARGETS:
            setup.run += 1  # a job still under way would overwrite this answer
            setup_stages.end(setup)
    if "timezone" in answers:
        session().get_one(Workspace, workspace.id).timezone = answers["timezone"]


def _targets(given: Mapping[str, Any]) -> dict[str, Any]:
    rows = {row["key"]: row["chips"] for row in given["rows"]}
    return {
        "summary": given["summary"].strip(),
        "rows": [
            {"key": key, "chips": [{"label": text.squeeze(c["label"]), "on": c["on"]} for c in rows.get(key, [])]}
            for key in ROWS
        ],
        "evenBetter": [text.squeeze(one) for one in given["evenBetter"]],
    }


def _problems(answers: Mapping[str, Any], stored: str) -> list[Field]:
    """Return the problems of the answers themselves; a country equal to the stored one is always accepted."""
    problems = []
    if "step" in answers and not 1 <= answers["step"] <= STEPS:
        problems.append(("step", f"Use a whole number from 1 to {STEPS}."))
    if "channel" in answers and answers["channel"] not in CHANNELS:
        problems.append(("channel", "Use social_email, social or email."))
    if "country" in answers and (len(answers["country"]) > LONGEST_COUNTRY or "\0" in answers["country"]):
        problems.append(("country", f"Use at most {LONGEST_COUNTRY} characters."))
    elif answers.get("country", stored).split() != stored.split() and (name := _unknown_country(answers["country"])):
        problems.append(("country", f"Unknown country “{text.shorten(name, 40)}”. Use its English name or ISO code."))
    if "offer" in answers:
        problems += _offer_problems(answers["offer"])
    if "timezone" in answers and not clock.is_zone(answers["timezone"]):
        problems.append(("timezone", "Enter an IANA time zone such as Europe/Berlin."))
    if "targets" in answers:
        problems += _targets_problems(answers["targets"])
    return [Field(*problem) for problem in problems]


def _unknown_country(given: str) -> str:
    """Return the first name that is neither a country, in any of our languages, nor a region such as DACH."""
    names = [given] if _is_known(given) else places.names_in(given) or [given]
    return next((one for one in names if not _is_known(one)), "")


def _is_known(country: str) -> bool:
    return countries.is_known(country) or places.is_country(country)


def _offer_problems(offer: Mapping[str, Any]) -> list[tuple[str, str]]:
    said = (offer.get("text") or "").strip()
    if offer["kind"] not in OFFERS:
        return [("offer.kind", "Use “call” or “other”.")]
    if offer["kind"] == "other" and not said:
        return [("offer.text", "Describe your offer.")]
    if len(said) > LONGEST_OFFER or "\0" in said:
        return [("offer.text", f"Use at most {LONGEST_OFFER} characters.")]
    return []


def _targets_problems(targets: Mapping[str, Any]) -> list[tuple[str, str]]:
    problems, seen = [], set()
    if len(targets["summary"]) > LONGEST_SUMMARY or "\0" in targets["summary"]:
        problems.append(("targets.summary", f"Use at most {LONGEST_SUMMARY:,} characters."))
    for index, row in enumerate(targets["rows"]):
        path = f"targets.rows[{index}]"
        if row["key"] not in ROWS:
            problems.append((f"{path}.key", "Use one of " + ", ".join(ROWS) + "."))
        elif row["key"] in seen:
            problems.append((f"{path}.key", "This row is listed twice."))
        seen.add(row["key"])
        if len(row["chips"]) > MOST_CHIPS:
            problems.append((f"{path}.chips", f"Use at most {MOST_CHIPS} entries per row."))
        for number, chip in enumerate(row["chips"][:MOST_CHIPS]):
            if not 1 <= len(text.squeeze(chip["label"])) <= LONGEST_CHIP or "\0" in chip["label"]:
                problems.append((f"{path}.chips[{number}].label", f"Use 1 to {LONGEST_CHIP} characters."))
    if len(targets["evenBetter"]) > MOST_CHIPS:
        problems.append(("targets.evenBetter", f"Use at most {MOST_CHIPS} entries."))
    for number, one in enumerate(targets["evenBetter"][:MOST_CHIPS]):
        if not 1 <= len(text.squeeze(one)) <= LONGEST_OFFER or "\0" in one:
            problems.append((f"targets.evenBetter[{number}]", f"Use 1 to {LONGEST_OFFER} characters."))
    return problems


def set_rules(workspace: Workspace, rules: Sequence[str]) -> Setup:
    """Replace the rules for all later writing."""
    problems = [
        (f"rules[{index}]", f"Use 1 to {play_changes.LONGEST_RULE} characters.")
        for index, rule in enumerate(rules)
        if not 1 <= len(rule.strip()) <= play_changes.LONGEST_RULE or "\0" in rule
    ]
    if len(rules) > play_changes.MOST_RULES:
        problems.append(("rules", f"Use at most {play_changes.MOST_RULES} rules."))
    if problems:
        raise InvalidRequest.of(*problems)
    with transaction():
        setup = setup_state.locked(workspace)
        before = setup.rules
        setup.rules = list({rule.strip().casefold(): rule.strip() for rule in reversed(rules)}.values())[::-1]
        if setup.rules != before:
            audit_log.record(workspace, "document.rules", before={"rules": before}, after={"rules": setup.rules})
        return setup


def moves(setup: Setup) -> set[str]:
    """Return the actions allowed on the autopilot now."""
    return {name for name in ("pause", "resume") if SETUP.allows(setup, name)}


def pause(workspace: Workspace) -> View:
    """Pause the autopilot and the campaigns of its plays."""
    launch.pause(workspace)
    return view(workspace)


def resume(workspace: Workspace) -> View:
    """Resume the autopilot."""
    launch.resume(workspace)
    return view(workspace)
