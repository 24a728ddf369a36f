"""The gate: one answer to whether a campaign may contact people, at enrolment, at the draft and before every send."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from app.core.db import session
from app.domain.exclusions import facts
from app.domain.rules.contact_rules import Caps, ContactRules, Facts, Verdict, verdict
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace


class Asked(NamedTuple):
    """What the gate saw of one person, and its answer; None when they may be contacted."""

    facts: Facts
    verdict: Verdict | None
    rules: dict[str, Any]  # and caps, as they were


def rules_of(workspace: Workspace, campaign: Campaign) -> ContactRules:
    """Return the campaign's rules: the workspace's, but for what differs in the campaign."""
    return ContactRules.of({**(workspace.contact_rules or {}), **(campaign.contact_rules or {})})


def ask(
    campaign: Campaign,
    person_ids: Sequence[int],
    at: datetime,
    *,
    reached: Mapping[int, bool] | None = None,
    let_in: Mapping[int, dict[str, Any] | None] | None = None,
) -> dict[int, Asked]:
    """Ask for these people; `reached` are those the campaign contacted already, `let_in` what an owner set aside."""
    workspace = session().get_one(Workspace, campaign.workspace_id)
    rules, caps = rules_of(workspace, campaign), Caps.of(workspace.contact_caps)
    reached, let_in = reached or {}, let_in or {}
    asked = rules._asdict() | caps._asdict()
    return {
        person_id: Asked(
            known,
            verdict(
                known,
                rules,
                caps,
                at,
                first=not reached.get(person_id, False),
                let_in=(let_in.get(person_id) or {}).get("codes", ()),
            ),
            asked,
        )
        for person_id, known in facts.gather(campaign, person_ids, rules, caps, at).items()
    }
