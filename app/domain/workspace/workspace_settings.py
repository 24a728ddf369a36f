"""A workspace's settings as one thing, for `/v1`: each is changed by the verb that its page uses."""

from collections.abc import Callable, Mapping
from typing import Any

from app.core.db import session, transaction
from app.core.errors import Field, InvalidRequest
from app.domain.campaigns import workspace_rules
from app.domain.conversations import inbox_settings
from app.domain.people.exclusions import contact_settings
from app.domain.platform import locks, retention
from app.domain.rules.contact_rules import Caps
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace

SWITCHES = ("company_stop", "opt_out_holds_company")


def change(workspace: Workspace, given: Mapping[str, Any], kept_for: Mapping[str, int]) -> Workspace:
    """Change the settings that are given, and for how many days things are kept; the others stay.

    Every problem is named at once, and then nothing is changed.
    """
    problems = list[Field]()

    def attempt(verb: Callable[..., object], *values: Any, paths: Mapping[str, str]) -> None:
        try:
            verb(workspace, *values)
        except InvalidRequest as refusal:
            problems.extend(Field(paths.get(one.path, one.path), one.message) for one in refusal.fields)

    with transaction():
        stored = _locked(workspace)

        def wanted(*names: str) -> list[Any]:
            return [getattr(stored, name) if given.get(name) is None else given[name] for name in names]

        attempt(workspaces.change, *wanted("name", "timezone"), paths={"workspace": "name"})
        attempt(workspaces.change_people_defaults, *wanted("merge", "lawful_basis"), paths={})
        attempt(inbox_settings.change, *wanted("undo_seconds", "meeting_link"), paths={})
        attempt(retention.change, kept_for, paths={kind: f"retention.{kind}" for kind in retention.KINDS})
        if problems:
            raise InvalidRequest("The request is not valid.", fields=problems)
        return stored


def contact_rules(workspace: Workspace) -> dict[str, Any]:
    """Return the contact rules, the caps and the switches that campaigns follow."""
    rules = contact_settings.rules(workspace)._asdict()
    for name in contact_settings.OF_CAMPAIGN:
        del rules[name]
    return {
        **rules,
        **contact_settings.caps(workspace)._asdict(),
        "company_stop": contact_settings.company_stop(workspace),
        "opt_out_holds_company": workspace.opt_out_holds_company,
    }


def change_contact_rules(workspace: Workspace, given: Mapping[str, Any]) -> Workspace:
    """Change the contact rules that are given; the others stay."""
    with transaction():
        stored = _locked(workspace)
        wanted = contact_rules(stored) | dict(given)
        switches = {name: wanted.pop(name) for name in SWITCHES}
        caps = {name: wanted.pop(name) for name in Caps._fields}
        workspace_rules.change(stored, rules=wanted, caps=caps, **switches)
        return stored


def reset_contact_rules(workspace: Workspace) -> Workspace:
    """Go back to the contact rules that every workspace starts with."""
    with transaction():
        stored = _locked(workspace)
        workspace_rules.reset(stored)
        return stored


def _locked(workspace: Workspace) -> Workspace:
    """Return the workspace as it is stored now, which nobody else changes until the transaction ends."""
    locks.lock_workspaces([workspace.id])
    return session().get_one(Workspace, workspace.id, with_for_update=True, populate_existing=True)
