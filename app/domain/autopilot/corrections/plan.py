"""What is built on the profile, after a correction: customer types, the chosen one, targets and documents."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app import ports
from app.domain.autopilot import documents, serialization
from app.models.autopilot import Setup
from app.models.workspaces import Workspace
from app.ports.writer import Brief, CustomerType, Targeting

BUYERS = ("for", "examples")
AIMED = (*BUYERS, "language")  # the fields that the targets follow


@dataclass(frozen=True)
class Plan:
    """The customer types, which of them is chosen, the targets, None if they stay, and the documents."""

    types: Sequence[CustomerType]
    chosen: CustomerType | None
    targets: Targeting | None
    documents: Mapping[str, str]

    def brief(self, brief: Brief, kinds: Collection[str]) -> Brief:
        """Return the brief as it is once this is in force, with documents of these kinds."""
        kept = {kind: text for kind, text in self.documents.items() if kind in kinds and text.strip()}
        return replace(
            brief,
            customer=self.chosen,
            targeting=self.targets or brief.targeting,
            icp=kept.get("icp", brief.icp),
            style=kept.get("style", brief.style),
        )


def targets_are_ours(setup: Setup) -> bool:
    """Return whether the autopilot wrote the targets, and no person edited them."""
    return setup.targets is not None and setup.targets == setup.targets_written


def make(brief: Brief, fields: Collection[str], *, ours: bool) -> Plan:
    """Return the plan for the corrected fields; `ours` are targets that no person edited. Calls the writer."""
    writer = ports.writer()
    types = list({one.id: one for one in writer.customer_types(brief.profile)}.values())
    chosen = _chosen(types, brief.customer, ours and bool(set(fields) & set(BUYERS)))
    if chosen is not None and chosen.id not in {one.id for one in types}:
        types = [chosen, *types[:-1]]  # plays and targets were made for it
    chosen = next((one for one in types if chosen and one.id == chosen.id), None)
    follows = ours and bool(set(fields) & set(AIMED))
    after = replace(brief, customer=chosen)
    targets = writer.targeting(replace(after, targeting=None)) if follows and chosen else None
    if targets is not None:
        after = replace(after, targeting=targets)
    return Plan(types, chosen, targets, writer.documents(after))


def _chosen(types: Sequence[CustomerType], before: CustomerType | None, follows: bool) -> CustomerType | None:
    """Return the chosen type: where the buyers were corrected, one that the owner names."""
    if before is None or not follows:
        return before
    named = [one for one in types if not one.guess]
    fitting = named or types
    return next((one for one in fitting if one.id == before.id), fitting[0] if fitting else before)


def open_kinds(workspace: Workspace) -> list[str]:
    """Return the documents that no person edited, which are written again."""
    kept = {found.kind: found.by_autopilot for found in documents.every(workspace)}
    return [kind for kind in documents.KINDS if kept.get(kind, True)]


def changed_targets(setup: Setup, plan: Plan) -> dict[str, Any] | None:
    """Return the targets that replace those of the setup; None if they stay."""
    if plan.targets is None:
        return None
    found = serialization.targets_json(plan.targets)
    return None if found == setup.targets else found
