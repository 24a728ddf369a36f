"""Roles: one table of permissions per area, shared by pages, navigation and verbs."""

from dataclasses import dataclass

from app.models.workspaces import Role

WORDS: dict[str, tuple[str, str]] = {
    Role.OWNER: ("Owner", "Full access, including members, billing and sources."),
    Role.OPERATOR: ("Operator", "Manages campaigns, conversations, approvals, lists and the autopilot."),
    Role.REVIEWER: ("Reviewer", "Reviews drafts and reads conversations."),
    Role.INTEGRATOR: ("Integrator", "Manages API keys and webhooks; can read everything else."),
}
LANDING: dict[str, str] = {Role.REVIEWER: "/approvals", Role.INTEGRATOR: "/developers"}
EVERYONE = frozenset(Role)
READERS = frozenset({Role.OWNER, Role.OPERATOR, Role.INTEGRATOR})
OPERATORS = frozenset({Role.OWNER, Role.OPERATOR})
INTEGRATORS = frozenset({Role.OWNER, Role.INTEGRATOR})
OWNERS = frozenset({Role.OWNER})

# The scopes that a member's API keys may hold. An owner can grant an integrator more.
KEYS: dict[str, frozenset[str]] = {
    Role.OWNER: frozenset({"all"}),
    Role.OPERATOR: frozenset(),
    Role.REVIEWER: frozenset(),
    Role.INTEGRATOR: frozenset(
        {
            "lists:write",
            "monitors:read",
            "enrichment:read",
            "campaigns:write",
            "accounts:read",
            "conversations:read",
            "approvals:read",
            "signals:read",
            "autopilot:read",
            "events:read",
            "keys:read",
            "members:read",
            "settings:read",
            "views:write",
            "webhooks:write",
        }
    ),
}


@dataclass(frozen=True)
class Area:
    """Which roles see a part of the workspace, and which change it."""

    see: frozenset[Role]
    change: frozenset[Role]


AREAS = {
    "own account": Area(EVERYONE, EVERYONE),
    "home": Area(READERS, EVERYONE),
    "approvals": Area(EVERYONE, OPERATORS | {Role.REVIEWER}),
    "conversations": Area(EVERYONE, OPERATORS),
    "campaigns": Area(READERS, OPERATORS),
    "lists": Area(READERS, OPERATORS),
    "monitors": Area(EVERYONE, OPERATORS),
    "autopilot": Area(READERS, OPERATORS),
    "signals": Area(READERS, OPERATORS),
    "senders": Area(READERS, OPERATORS),
    "documents": Area(READERS, OPERATORS),
    "never contact": Area(READERS, OPERATORS),
    "contact rules": Area(READERS, OWNERS),
    "developers": Area(INTEGRATORS, INTEGRATORS),
    "sources": Area(READERS, OWNERS),
    "billing": Area(READERS, OWNERS),
    "workspace": Area(OWNERS, OWNERS),
    "members": Area(READERS, OWNERS),
    "audit log": Area(OWNERS, OWNERS),
}


def may(role: str, area: str, change: bool = False) -> bool:
    """Return whether a role sees an area, or may change it."""
    found = AREAS[area]
    return role in (found.change if change else found.see)


def landing(role: str) -> str:
    """Return a role's start page."""
    return LANDING.get(role, "/")
