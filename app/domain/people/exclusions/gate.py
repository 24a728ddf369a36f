"""The gate: one answer to whether a campaign may contact people, at enrolment, at the draft and before every send."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from app.core.db import session
from app.domain.people.exclusions import facts
from app.domain.people.exclusions.facts import PersonNow
from app.domain.rules.contact_rules import Caps, ContactRules, Facts, Verdict, by_hand, verdict
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace


class Asked(NamedTuple):
    """What the gate saw of one person, and its verdict: None when they may be contacted."""

    facts: Facts
    verdict: Verdict | None
    rules: dict[str, Any]  # the rules and caps that were applied
    first: bool = True  # the campaign had not contacted them
    let_in: tuple[str, ...] = ()  # codes that an owner set aside

    def told(self) -> dict[str, Any]:
        """Return what was asked and seen as JSON."""
        return {"rules": self.rules, "saw": self.facts.told(), "first": self.first, "let_in": list(self.let_in)}


class AskedByHand(NamedTuple):
    """The gate's answer for a message that a member writes: refused only by the do-not-contact list."""

    asked: Asked
    warnings: list[Verdict]


class Loaded(NamedTuple):
    """What a caller has loaded in the same transaction of the campaign, its workspace and the people."""

    rules: ContactRules
    caps: Caps
    people: Mapping[int, PersonNow] | None = None


def ask_by_hand(workspace_id: int, person_id: int, at: datetime) -> AskedByHand:
    """Ask for a message that a member writes to this person themselves."""
    known = facts.gather_by_hand(workspace_id, person_id)
    never, warnings = by_hand(known, at)
    return AskedByHand(Asked(known, never, {"by_hand": True}), warnings)


def rules_of(workspace: Workspace, campaign: Campaign) -> ContactRules:
    """Return the campaign's rules: the workspace's, but for what differs in the campaign."""
    return merged_rules(workspace.contact_rules, campaign.contact_rules)


def merged_rules(of_workspace: dict[str, Any] | None, of_campaign: dict[str, Any] | None) -> ContactRules:
    """Return the rules of a workspace, but for what differs in a campaign."""
    return ContactRules.of({**(of_workspace or {}), **(of_campaign or {})})


def ask(
    campaign: Campaign,
    person_ids: Sequence[int],
    at: datetime,
    *,
    reached: Mapping[int, bool] | None = None,
    let_in: Mapping[int, dict[str, Any] | None] | None = None,
    loaded: Loaded | None = None,
) -> dict[int, Asked]:
    """Return the gate's answer for each person. `reached`: who was contacted before; `let_in`: what an owner set aside.

    What the caller has `loaded` in this transaction is not asked for again.
    """
    if loaded is None:
        workspace = session().get_one(Workspace, campaign.workspace_id)
        loaded = Loaded(rules_of(workspace, campaign), Caps.of(workspace.contact_caps))
    rules, caps, people = loaded
    reached, let_in = reached or {}, let_in or {}
    asked = rules._asdict() | caps._asdict()
    answers = {}
    for person_id, known in facts.gather(campaign, person_ids, rules, caps, at, people).items():
        first = not reached.get(person_id, False)
        codes = tuple((let_in.get(person_id) or {}).get("codes", ()))
        answer = verdict(known, rules, caps, at, first=first, let_in=codes)
        answers[person_id] = Asked(known, answer, asked, first, codes)
    return answers
