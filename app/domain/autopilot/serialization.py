"""Convert the types of writers and searches to rows and back without loss."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from app.core.errors import InvalidRequest
from app.models.autopilot import Play, PlayChannel, Setup
from app.models.workspaces import Workspace
from app.ports import FoundPerson, PeopleQuery
from app.ports.writer import (
    ROWS,
    Brief,
    Candidate,
    Chip,
    CustomerType,
    Fact,
    PlayIdea,
    PlayStep,
    Profile,
    Targeting,
    Wait,
)

Json = dict[str, Any]


def profile_json(profile: Profile) -> Json:
    return {**asdict(profile), "facts": [asdict(fact) for fact in profile.facts]}


def profile_of(kept: Mapping[str, Any]) -> Profile:
    """Convert JSON to a profile; texts of an earlier version that are not whole sentences are left out."""
    names = {field.name for field in fields(Profile)} - (set() if "pitch" in kept else {"change", "proof"})
    facts = tuple(Fact(**fact) for fact in kept.get("facts", ()) if fact.get("kind") != "offer")
    listed = {name: tuple(kept.get(name, ())) for name in ("examples", "dropped", "stands")}
    listed["typed"] = tuple(name for name in kept.get("typed", ()) if name in names)
    listed["candidates"] = tuple(Candidate(**one) for one in kept.get("candidates", ()))
    return Profile(**{**{name: value for name, value in kept.items() if name in names}, **listed, "facts": facts})


def types_json(types: Sequence[CustomerType]) -> list[Any]:
    return [asdict(one) for one in types]


def customer_of(setup: Setup) -> CustomerType | None:
    """Return the chosen customer type, if any."""
    return next((CustomerType(**one) for one in setup.customer_types if one["id"] == setup.customer_type_id), None)


def targets_json(targeting: Targeting) -> Json:
    """Return a targeting as it is stored, which is also its public form."""
    rows = [
        {"key": key, "chips": [{"label": chip.label, "on": chip.on} for chip in targeting.rows.get(key, ())]}
        for key in ROWS
    ]
    return {"summary": targeting.summary, "rows": rows, "evenBetter": list(targeting.even_better)}


def targeting_of(kept: Mapping[str, Any]) -> Targeting:
    rows = {row["key"]: tuple(Chip(chip["label"], chip["on"]) for chip in row["chips"]) for row in kept["rows"]}
    return Targeting(kept["summary"], rows, tuple(kept["evenBetter"]))


def wanted(workspace: Workspace, setup: Setup, angle: str = "", without: str = "") -> PeopleQuery:
    """Return the people query: the selected values of each targeting row but `without`; if no place, the country."""
    rows = setup.targets["rows"] if setup.targets else []
    labels = {row["key"]: [chip["label"] for chip in row["chips"] if chip["on"]] for row in rows}
    if setup.country and not labels.get("location"):
        labels["location"] = [setup.country]
    return PeopleQuery({key: on for key, on in labels.items() if key != without}, angle, workspace.sandbox_seed)


def steps_json(steps: Sequence[PlayStep]) -> list[Any]:
    """Return a play's steps as they are stored, which is also their public form."""
    kept = []
    for step in steps:
        one: Json = {
            "id": step.id,
            "kind": step.kind,
            "delay": {"count": step.delay.count, "unit": step.delay.unit},
            "after": step.after,
        }
        if step.kind in ("invite", "social", "email"):
            one["text"] = step.text
        if step.kind == "email":
            one["subject"] = step.subject
        if step.kind == "reaction":
            one["reaction"] = step.reaction or "like"
        kept.append(one)
    return kept


def steps_of(kept: Sequence[Mapping[str, Any]]) -> list[PlayStep]:
    return [
        PlayStep(
            one["id"],
            one["kind"],
            Wait(one["delay"]["count"], one["delay"]["unit"]),
            one["after"],
            one.get("text", ""),
            one.get("subject", ""),
            one.get("reaction", ""),
        )
        for one in kept
    ]


def idea_of(play: Play) -> PlayIdea:
    """Return the idea behind a play with its current content."""
    texts = (play.angle, play.name, play.pitch, play.why, play.strategy, play.reaches)
    return PlayIdea(*texts, tuple(play.chips))


def person_json(person: FoundPerson) -> Json:
    """Convert a found person to JSON."""
    return {**asdict(person), "facts": dict(person.facts)}


def person_of(kept: Mapping[str, Any]) -> FoundPerson:
    """Convert JSON to a found person."""
    return FoundPerson(**kept)


def brief(
    setup: Setup, *, sender_name: str, documents: Mapping[str, str], channel: str = "", profile: Profile | None = None
) -> Brief:
    """Return what a writer may use; raise InvalidRequest while the business profile is missing."""
    if profile is None and setup.profile is None:
        raise InvalidRequest.of(("website", "Enter a website or a description first."))
    offer = setup.offer or {}
    return Brief(
        profile=profile or profile_of(setup.profile or {}),
        customer=customer_of(setup),
        targeting=targeting_of(setup.targets) if setup.targets else None,
        channel=channel or setup.channel or PlayChannel.SOCIAL_EMAIL,
        country=setup.country,
        offer_kind=offer.get("kind", "call"),
        offer=offer.get("text", ""),
        sender_name=sender_name,
        rules=tuple(setup.rules),
        icp=documents.get("icp", ""),
        style=documents.get("style", ""),
    )
