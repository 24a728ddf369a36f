"""Draft provenance: the sources of each draft of a play, and a warning for every claim without one."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import session
from app.domain.approvals import checks, drafting
from app.domain.approvals.checks import Check, Draft
from app.domain.approvals.drafting import Fact
from app.domain.autopilot import setup_state
from app.models.autopilot import Play
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports.writer import Brief

MOST_SHOWN = 3
_ANGLES = {"former_customers": "was our customer, has worked with us before and knows us already"}  # by their source
_LONG = 5  # letters of a word that says something
_KNOWN = ("first_name", "last_name", "headline", "position", "company_name", "location")


def connect() -> None:
    """Add the facts and the check below to every draft of a play; called once by create_app."""
    if facts not in drafting.SOURCES:
        drafting.register_source(facts)
        checks.check(supported)


def forget() -> None:
    """Read the briefs anew: the profile was corrected."""
    session().info.pop("briefs", None)


def _brief(campaign_id: int) -> Brief | None:
    found = _play(campaign_id)
    return found[0] if found else None


def _play(campaign_id: int) -> tuple[Brief, str] | None:
    """Return the brief of the campaign's play and its angle, or None; cached per session."""
    kept: dict[int, tuple[Brief, str] | None] = session().info.setdefault("briefs", {})
    if campaign_id not in kept:
        kept[campaign_id] = _find(campaign_id)
    return kept[campaign_id]


def _find(campaign_id: int) -> tuple[Brief, str] | None:
    query = sa.select(Workspace, Play.channel, Play.angle).join(Play, Play.workspace_id == Workspace.id)
    row = session().execute(query.where(Play.campaign_id == campaign_id)).first()
    if row is None:
        return None
    setup = setup_state.find(row.Workspace)
    if not (setup and setup.profile):
        return None
    return setup_state.brief(row.Workspace, setup, channel=row.channel), row.angle


def facts(campaign: Campaign, step: int, lead: Lead) -> Sequence[Fact]:
    """Return the sources that share the most words with the text."""
    brief = _brief(campaign.id)
    if brief is None:
        return []
    said = _words(campaign.sequence[step].get("message", ""))
    shared = [(len(said & _words(f"{fact.text} {fact.quote}")), fact) for fact in brief.profile.facts]
    best = sorted((one for one in shared if one[0]), key=lambda one: -one[0])[:MOST_SHOWN]
    return [
        {
            "kind": "business",
            "label": "Your description" if fact.page == "description" else "Your website",
            "text": f"“{fact.quote}”" if fact.page == "description" else f"“{fact.quote}” ({fact.page})",
        }
        for _, fact in best
    ]


def _words(text: str) -> set[str]:
    return {word[: _LONG + 1] for word in re.findall(r"\w+", text.casefold()) if len(word) >= _LONG}


def supported(draft: Draft) -> Check | None:
    """Check that each claim of a play's draft rests on words that were read or typed, and that it follows the rules."""
    found = _play(draft.campaign_id) if draft.campaign_id else None
    if found is None:
        return None
    brief, angle = found
    known = [*_values(draft.lead), *([_ANGLES[angle]] if angle in _ANGLES else [])]
    problems = ports.writer().check(brief, f"{draft.subject}\n{draft.text}", known)
    if not problems:
        return Check("unsupported", True, "Every claim has a source")
    named = ", ".join(f"“{one.words}”" for one in problems[:MOST_SHOWN])
    more = f" and {len(problems) - MOST_SHOWN} more" if len(problems) > MOST_SHOWN else ""
    claim = any(one.about != "rule" for one in problems)
    return Check("unsupported", False, f"{problems[0].sentence} Check {named}{more}.", claim=claim)


def _values(lead: Any) -> Iterable[str]:
    """Yield the known values of the person."""
    for name in _KNOWN:
        if value := getattr(lead, name, ""):
            yield str(value)
    yield from (str(value) for value in (lead.custom_fields or {}).values())
