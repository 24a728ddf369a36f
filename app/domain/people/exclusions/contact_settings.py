"""Contact rules as they are set: a workspace's defaults, and what one campaign does otherwise."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic.alias_generators import to_camel

from app.core import text
from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.people.exclusions import gate
from app.domain.platform import audit_log, locks
from app.domain.rules.contact_rules import Caps, ContactRules
from app.models.campaigns import Campaign
from app.models.leads import LeadList, ListType
from app.models.workspaces import Workspace

MOST = {
    "contacted_days": 3650,
    "company_days": 3650,
    "touches": 1000,
    "days": 365,
    "per_day": 100,
    "company_people": 10_000,
}
MOST_NAMED = 50  # lists, campaigns or tags
LONGEST_TAG = 100
OF_CAMPAIGN = ("list_ids", "campaign_ids")  # no defaults for them
Wrong = list[tuple[str, str]]


def rules(workspace: Workspace) -> ContactRules:
    """Return the workspace's defaults."""
    return ContactRules.of(workspace.contact_rules)


def caps(workspace: Workspace) -> Caps:
    """Return how often the workspace contacts a person or a company."""
    return Caps.of(workspace.contact_caps)


def company_stop(workspace: Workspace) -> bool:
    """Return whether new campaigns hold a company of which a person replied."""
    return bool((workspace.contact_rules or {}).get("company_stop", True))


def store(
    workspace: Workspace,
    *,
    rules: Mapping[str, Any],
    caps: Mapping[str, Any],
    company_stop: bool = True,
    opt_out_holds_company: bool = False,
) -> set[str]:
    """Set the workspace's defaults; return what changed."""
    known = {name: value for name, value in rules.items() if name not in OF_CAMPAIGN}
    wanted, wrong = _read(workspace, known, "")
    counts, wrong_counts = _numbers({name: value for name, value in caps.items() if name in Caps._fields}, "")
    if not counts.get("days", 1):
        wrong_counts.append(("days", "Use a number from 1 to 365."))
    if wrong or wrong_counts:
        raise InvalidRequest.of(*wrong, *wrong_counts)
    with locks.changing(workspace.id):
        stored = session().get_one(Workspace, workspace.id)
        before = _for_audit_log(stored)
        kept = _differing(wanted, ContactRules()._asdict()) | ({} if company_stop else {"company_stop": False})
        stored.contact_rules = kept or None
        stored.contact_caps = _differing(counts, Caps()._asdict()) or None
        stored.opt_out_holds_company = opt_out_holds_company
        after = _for_audit_log(stored)
        changed = {name for name in after if after[name] != before[name]}
        if changed:
            audit_log.record(
                stored,
                "workspace.contact_rules",
                before={name: before[name] for name in sorted(changed)},
                after={name: after[name] for name in sorted(changed)},
            )
        return changed


def check(workspace: Workspace, given: Mapping[str, Any], path: str = "exclude.") -> tuple[dict[str, Any], Wrong]:
    """Return what a campaign keeps of these rules, and what is wrong with them; None follows the workspace."""
    return _read(workspace, {name: value for name, value in given.items() if value is not None}, path)


def of_campaign(workspace: Workspace, campaign: Campaign) -> dict[str, Any]:
    """Return all rules of a campaign, whether they are its own or the workspace's."""
    return gate.rules_of(workspace, campaign)._asdict() | {"company_stop": campaign.stop_company_on_reply}


def of_new_campaign(workspace: Workspace) -> dict[str, Any]:
    """Return the rules that a new campaign has."""
    return rules(workspace)._asdict() | {"company_stop": company_stop(workspace)}


def differing(workspace: Workspace, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return these rules with None for those that the workspace has too, so that they follow it."""
    ours = rules(workspace)._asdict()
    return {name: None if name in ours and _same_value(value, ours[name]) else value for name, value in given.items()}


def _same_value(value: Any, ours: Any) -> bool:
    return bool(tuple(value) == ours if isinstance(ours, tuple) else value == ours)


def _for_audit_log(workspace: Workspace) -> dict[str, Any]:
    """Return all that is set, as the audit log shows it."""
    shown = {**rules(workspace)._asdict(), **caps(workspace)._asdict()}
    for name in OF_CAMPAIGN:
        del shown[name]
    shown["tags"] = list(shown["tags"])
    return shown | {
        "company_stop": company_stop(workspace),
        "opt_out_holds_company": workspace.opt_out_holds_company,
    }


def _differing(given: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value != ours[name] and (value or ours[name])}


def _read(workspace: Workspace, given: Mapping[str, Any], path: str) -> tuple[dict[str, Any], Wrong]:
    numbers = {name: value for name, value in given.items() if name in ("contacted_days", "company_days")}
    read, wrong = _numbers(numbers, path)
    for name in ("replied", "said_no", "colleague_talks", "customers"):
        if name in given:
            read[name] = bool(given[name])
    for name, model in (("list_ids", LeadList), ("campaign_ids", Campaign)):
        if name in given:
            read[name], more = _ours(workspace, model, given[name], path + to_camel(name))
            wrong += more
    if "tags" in given:
        read["tags"], more = _tags(given["tags"], f"{path}tags")
        wrong += more
    return read, wrong


def _numbers(given: Mapping[str, Any], path: str) -> tuple[dict[str, Any], Wrong]:
    read, wrong = {}, []
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST[name]:
            wrong.append((path + to_camel(name), f"Use a number from 0 to {MOST[name]:,}."))
        read[name] = value
    return read, wrong


def _ours(workspace: Workspace, model: Any, ids: Sequence[int], path: str) -> tuple[list[int], Wrong]:
    """Return these ids, each once, and which of them the workspace does not have."""
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > MOST_NAMED:
        return [], [(path, f"Choose at most {MOST_NAMED} entries.")]
    query = sa.select(model.id).where(model.workspace_id == workspace.id, model.id.in_(wanted))
    noun = "Campaign"
    if model is LeadList:
        noun, query = "List of people", query.where(LeadList.type != ListType.COMPANIES)
    known = set(session().scalars(query))
    wrong = [
        (f"{path}[{index}]", f"{noun} not found in this workspace.")
        for index, one in enumerate(wanted)
        if one not in known
    ]
    return wanted, wrong


def _tags(given: Sequence[str], path: str) -> tuple[list[str], Wrong]:
    tags = list({tag.casefold(): tag for tag in map(text.squeeze, given) if tag}.values())
    if len(tags) > MOST_NAMED:
        return [], [(path, f"Use at most {MOST_NAMED} tags.")]
    wrong = [(path, f"A tag can have at most {LONGEST_TAG} characters.") for tag in tags if len(tag) > LONGEST_TAG]
    return tags, wrong[:1]
