"""Draft provenance: the sources of each draft of a play, and a warning for every claim without a source."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import languages
from app.core.db import session
from app.domain.approvals import approvals
from app.domain.approvals.checks import Check, Draft, Fact
from app.domain.autopilot import setup_state
from app.models.approvals import Approval, ApprovalStatus
from app.models.autopilot import Play
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports.writer import Brief, Evidence, Sentence

MOST_SHOWN = 3
MOST_STOOD_BY = 500  # sentences of a workspace
# What an angle's source proves about its people, in the languages of the texts.
_ANGLES: Mapping[str, Mapping[str, str]] = {
    "former_customers": {
        "en": "was our customer, has worked with us before and knows us already",
        "de": "war unser Kunde, hat schon einmal mit uns gearbeitet und kennt uns bereits",
        "fr": "a été notre client, a déjà travaillé avec nous et nous connaît déjà",
        "es": "fue nuestro cliente, ya ha trabajado con nosotros y ya nos conoce",
        "nl": "was onze klant, heeft al met ons gewerkt en kent ons al",
        "it": "è stato nostro cliente, ha già lavorato con noi e ci conosce già",
        "pt": "foi nosso cliente, já trabalhou connosco e já nos conhece",
    }
}
_LONG = 5  # letters; shorter words do not count in a comparison
_KNOWN = ("first_name", "last_name", "headline", "position", "company_name", "location")


def forget() -> None:
    """Clear the cached briefs, after a play was rewritten."""
    session().info.pop("briefs", None)


def stand_by(workspace: Workspace, sentences: Collection[str], stands: bool) -> None:
    """Record, or with `stands` False withdraw, that a person vouches for sentences in all drafts. In a transaction."""
    setup = setup_state.locked(workspace)
    if not sentences or setup.profile is None:
        return
    kept = [one for one in setup.profile.get("stands", ()) if one not in sentences]
    setup.profile = {**setup.profile, "stands": [*kept, *(sentences if stands else ())][-MOST_STOOD_BY:]}
    session().flush()
    forget()
    says = sa.or_(*(Approval.text.contains(one, autoescape=True) for one in sentences))
    waiting = sa.and_(Approval.workspace_id == workspace.id, Approval.status == ApprovalStatus.PENDING)
    for draft in session().scalars(sa.select(Approval).where(waiting, says).order_by(Approval.id)).all():
        approvals.look_again(draft)


@dataclass(frozen=True)
class _Of:
    """The play of a campaign: its brief and angle."""

    brief: Brief
    angle: str


def _play(campaign_id: int) -> _Of | None:
    """Return the play of the campaign, or None; cached per session."""
    kept: dict[int, _Of | None] = session().info.setdefault("briefs", {})
    if campaign_id not in kept:
        kept[campaign_id] = _find(campaign_id)
    return kept[campaign_id]


def _find(campaign_id: int) -> _Of | None:
    columns = (Workspace, Play.channel, Play.angle)
    query = sa.select(*columns).join(Play, Play.workspace_id == Workspace.id)
    row = session().execute(query.where(Play.campaign_id == campaign_id)).first()
    if row is None:
        return None
    setup = setup_state.find(row.Workspace)
    if not (setup and setup.profile):
        return None
    return _Of(setup_state.brief(row.Workspace, setup, channel=row.channel), row.angle)


def facts(campaign: Campaign, step: int, lead: Lead) -> Sequence[Fact]:
    """Return the draft's unconfirmed sentence, if any, and the sources that share the most words with the draft."""
    found = _play(campaign.id)
    if found is None:
        return []
    of_step = campaign.sequence[step]
    message, profile = of_step.get("message", ""), found.brief.profile
    said = _words(message)
    shared = [(len(said & _words(f"{fact.text} {fact.quote}")), fact) for fact in found.brief.profile.facts]
    best = sorted((one for one in shared if one[0]), key=lambda one: -one[0])[:MOST_SHOWN]
    guess = not profile.confirmed and bool(profile.pitch) and profile.pitch in message
    guessed = {"kind": "guess", "label": "This sentence is not confirmed yet", "text": profile.pitch}
    return [guessed] * guess + [
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
    """Check that each claim of a play's draft has a source, and that the draft follows the workspace's rules."""
    found = _play(draft.campaign_id) if draft.campaign_id else None
    if found is None:
        return None
    known = [*_values(draft.lead), *_known_of(found.angle, found.brief.profile.language)]
    brief = found.brief
    if draft.opener:
        evidence = [Evidence(**one) for one in draft.opener["facts"]]
        said = [Sentence(one["text"], one["facts"]) for one in draft.opener["sentences"]]
        brief = replace(brief, evidence=evidence, opener=said, recipient=draft.opener["recipient"])
    problems = ports.writer().check(brief, f"{draft.subject}\n{draft.text}", known)
    if not problems:
        return Check("unsupported", True, "Every claim has a source")
    named = ", ".join(f"“{one.words}”" for one in problems[:MOST_SHOWN])
    more = f" and {len(problems) - MOST_SHOWN} more" if len(problems) > MOST_SHOWN else ""
    claims = [one.words for one in problems if one.about != "rule"]
    sentence = f"{problems[0].sentence} Check {named}{more}."
    return Check("unsupported", False, sentence, claim=bool(claims), words=claims)


def _known_of(angle: str, language: str) -> list[str]:
    """Return what is known of the people of an angle, in the language of the texts."""
    told = _ANGLES.get(angle, {})
    return [told.get(languages.base(language), told["en"])] if told else []


def _values(lead: Any) -> Iterable[str]:
    """Yield the known values of the person."""
    for name in _KNOWN:
        if value := getattr(lead, name, ""):
            yield str(value)
    yield from (str(value) for value in (lead.custom_fields or {}).values())
