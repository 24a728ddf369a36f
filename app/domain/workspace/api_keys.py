"""API keys for `/v1`: scopes, creation, verification, rotation and revocation."""

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple, cast

import sqlalchemy as sa

from app.core import clock, crypto, paging, text
from app.core.crypto import Keyring
from app.core.db import fetch, get_owned, note, session, transaction
from app.core.errors import Conflict, Forbidden, InvalidRequest, PlanLimitExceeded, Unauthorized
from app.core.paging import Page, Window
from app.domain.platform import audit_log
from app.domain.workspace import roles
from app.models.workspaces import ApiKey as ApiKey
from app.models.workspaces import Membership, User, Workspace

MOST_KEYS = 25
ROLL_OVERLAP = timedelta(hours=24)
LONGEST_OVERLAP = timedelta(days=7)
UNUSED_AFTER = timedelta(days=90)
_USE_NOTED_EVERY = timedelta(minutes=1)
ALL = "all"
APPROVING = "approvals:write"


@dataclass(frozen=True)
class Scope:
    """What a key with this scope may do.

    `group` is how pages sort them; `effect` marks what cannot be taken back; `includes` are scopes of other areas.
    """

    sentence: str
    group: str
    effect: str = ""
    includes: tuple[str, ...] = ()


SCOPES: dict[str, Scope] = {
    "lists:read": Scope("Read lists and the people in them.", "People"),
    "lists:write": Scope("Create lists, and add and change people.", "People"),
    "monitors:read": Scope("Read monitors and the people they found.", "People"),
    "monitors:write": Scope("Create and change monitors, and decide on the people they found.", "People", "contacts"),
    "enrichment:read": Scope("Read lookup results and costs.", "People"),
    "enrichment:write": Scope("Look up email addresses and phone numbers.", "People", "spends"),
    "campaigns:read": Scope("Read campaigns and the state of each lead.", "Campaigns"),
    "campaigns:write": Scope("Create, change and delete campaigns.", "Campaigns"),
    "campaigns:run": Scope("Start, pause, resume and cancel campaigns.", "Campaigns", "contacts"),
    "accounts:read": Scope("Read connected accounts and their limits.", "Campaigns"),
    "accounts:write": Scope("Change the hours, limits and status of accounts.", "Campaigns"),
    "accounts:connect": Scope("Connect accounts and mailboxes, and replace their logins.", "Campaigns", "secrets"),
    "conversations:read": Scope("Read conversations.", "Conversations"),
    "conversations:write": Scope("Send messages in existing conversations.", "Conversations", "contacts"),
    "approvals:read": Scope("Read drafts waiting for approval.", "Conversations"),
    "approvals:write": Scope("Edit, approve and skip drafts.", "Conversations", "contacts"),
    "signals:read": Scope("Read past signal lookups.", "Signals"),
    "signals:write": Scope("Look up buying signals.", "Signals", "spends"),
    "webhooks:read": Scope("Read webhooks, their deliveries and events.", "Events", includes=("events:read",)),
    "webhooks:write": Scope("Create, change and delete webhooks.", "Events"),
    "events:read": Scope("Read events.", "Events"),
    "autopilot:read": Scope("Read the setup, plays and documents.", "Autopilot"),
    "autopilot:write": Scope("Change the setup, plays and documents.", "Autopilot"),
    "sources:read": Scope("List connected sources.", "Autopilot"),
    "sources:write": Scope("Connect and disconnect sources.", "Autopilot", "secrets"),
    "keys:read": Scope("List API keys.", "Workspace"),
    "keys:write": Scope("Create, rotate and revoke API keys.", "Workspace", "secrets"),
    "members:read": Scope("Read members and invitations.", "Workspace"),
    "members:write": Scope("Invite, change and remove members who aren't owners.", "Workspace", "secrets"),
    "workspaces:write": Scope("Create workspaces.", "Workspace"),
    "views:read": Scope("Read the saved views of the key's creator.", "Workspace"),
    "views:write": Scope("Save and delete views of the key's creator.", "Workspace"),
    "settings:read": Scope("Read contact rules and other settings.", "Workspace"),
    "settings:write": Scope("Change contact rules and other settings.", "Workspace", "contacts"),
    "billing:read": Scope("Read the plan and credits.", "Billing"),
    "billing:write": Scope("Cancel the subscription.", "Billing", "ends the subscription"),
}
_WHO_AND_HOW = ("keys", "members", "settings", "workspaces")
PRESETS: dict[str, tuple[str, ...]] = {
    "read-only": tuple(name for name in SCOPES if name.endswith(":read")),
    "standard": tuple(
        name
        for name in SCOPES
        if name != "accounts:connect" and name.partition(":")[0] not in ("billing", "sources", *_WHO_AND_HOW)
    ),
    "full": (ALL,),
}

_FORM = re.compile(r"ovt_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}")
_BEARER = re.compile(r"bearer +([^\s,]+) *", re.IGNORECASE)
NO_DIGEST = bytes(32)
_KEY, _WORKSPACE = cast(sa.Table, ApiKey.__table__), cast(sa.Table, Workspace.__table__)
_MEMBER = cast(sa.Table, Membership.__table__)
_FIELDS = tuple(column.name for column in _WORKSPACE.c)


@dataclass(frozen=True)
class Caller:
    """The owner and rights of a valid key. `workspace` is a read-only copy that belongs to no database session."""

    key_id: int
    name: str
    workspace_id: int
    workspace: Workspace
    scopes: frozenset[str]
    withheld: frozenset[str] = frozenset()
    """Scopes of the key that its maker may not give a key at present."""
    without_approval: bool = False
    """Whether an assistant that uses the key may contact people before a member has approved."""
    maker_id: int | None = None
    """The user that the key acts for; None for a key of the server."""

    @property
    def title(self) -> str:
        """Return the name under which members see what the key did."""
        return f"API key “{self.name}”"

    def may(self, scope: str) -> bool:
        """Return whether the key covers `scope`; writing includes reading."""
        return scope in self.scopes


_EVERYTHING = frozenset(SCOPES)


def parse_scopes(wanted: str | Sequence[str]) -> list[str]:
    """Return the scopes in the table's order, `all` or some of SCOPES; raise for unknown ones."""
    names = wanted.split(",") if isinstance(wanted, str) else list(wanted)
    named = {name.strip() for name in names if name.strip()}
    if not named:
        raise InvalidRequest.of(("scopes", "Choose at least one scope, or all."))
    if unknown := sorted(named - {ALL, *SCOPES}):
        shown = ", ".join(text.shorten(name, 60) for name in unknown[:10])
        kind = "Unknown scope:" if len(unknown) == 1 else "Unknown scopes:"
        raise InvalidRequest.of(("scopes", f"{kind} {shown}. Use all, or some of: {', '.join(SCOPES)}."))
    return [ALL] if ALL in named else [name for name in SCOPES if name in named]


def covered(scopes: Sequence[str]) -> frozenset[str]:
    """Return all scopes that these include: the read scope of each write scope, and those in `includes`."""
    if ALL in scopes:
        return _EVERYTHING
    readable = {f"{name.partition(':')[0]}:read" for name in scopes if name.endswith(":write")}
    named = frozenset(scopes) | readable
    return named.union(*(SCOPES[name].includes for name in named if name in SCOPES))


def opening(scope: str) -> list[str]:
    """Return the scope and those of other areas that include it."""
    return [scope, *(name for name, other in SCOPES.items() if scope in other.includes)]


@dataclass(frozen=True)
class Maker:
    """The member for whom a key acts, and the scopes that their keys may have now."""

    user_id: int
    name: str
    scopes: frozenset[str]


def makers(workspace: Workspace) -> dict[int, Maker]:
    """Return the members by their user's id, with what their keys may hold."""
    query = (
        sa.select(Membership, User)
        .join(User, User.id == Membership.user_id)
        .where(Membership.workspace_id == workspace.id)
    )
    found = session().execute(query)
    return {
        user.id: Maker(user.id, user.name or user.email, _of_member(one.role, one.key_scopes)) for one, user in found
    }


def may_hold(workspace: Workspace, user: User) -> frozenset[str]:
    """Return the scopes that the user's keys may hold."""
    return _rights(user.id, makers(workspace))


def grantable(role: str) -> list[str]:
    """Return the scopes that an owner can grant to a member of this role, beyond those its keys may hold anyway."""
    return [name for name in SCOPES if name not in covered(list(roles.KEYS[role]))] if roles.KEYS[role] else []


def withheld(key: ApiKey, known: Mapping[int, Maker]) -> frozenset[str]:
    """Return the scopes of the key that its maker may not give a key at present."""
    return covered(key.scopes) - _rights(key.created_by, known)


def _rights(user_id: int | None, known: Mapping[int, Maker]) -> frozenset[str]:
    """Return what the keys of a user may hold; those made on the server's command line have no maker."""
    if user_id is None:
        return _EVERYTHING
    return known[user_id].scopes if user_id in known else frozenset()


def _of_member(role: str | None, granted: Sequence[str] | None) -> frozenset[str]:
    return covered([*roles.KEYS[role], *(granted or ())]) if role else frozenset()


def create(
    workspace: Workspace,
    name: str,
    scopes: str | Sequence[str],
    *,
    expires_at: datetime | None = None,
    created_by: User | None = None,
    without_approval: bool = False,
    within: frozenset[str] = _EVERYTHING,
) -> tuple[ApiKey, str]:
    """Create a key; return it with its text, which is shown only once.

    `without_approval` lets assistants (MCP) contact people before a member has approved. `within` is what the key that
    makes it may do: the new one may do no more.
    """
    name, problems = text.squeeze(name), []
    if wrong := text.name_problem(name):
        problems.append(("name", wrong))
    if expires_at is not None and expires_at <= clock.now():
        problems.append(("expiresAt", "The expiry date is in the past."))
    try:
        granted = parse_scopes(scopes)
    except InvalidRequest as refusal:
        problems.extend(refusal.fields)
    else:
        may = may_hold(workspace, created_by) if created_by else _EVERYTHING
        if beyond := [scope for scope in granted if scope != ALL and scope not in may]:
            shown = ", ".join(beyond)
            problems.append(("scopes", f"Your keys can't have {shown}. Ask an owner for this permission."))
        elif wider := sorted(covered(granted) & may - within):
            shown = text.shorten(", ".join(wider), 200)
            problems.append(("scopes", f"A key can't create a key with more permissions: {shown}."))
        if without_approval and APPROVING not in covered(granted) & may:
            problems.append(("withoutApproval", f"Only a key with {APPROVING} can skip approval. Add that scope."))
    InvalidRequest.raise_for(problems)
    with transaction():
        _refuse_too_many(workspace)
        maker = created_by.id if created_by else None
        made = _new(workspace, name, granted, expires_at, maker, without_approval)
        after = {"scopes": ", ".join(granted), "last4": made[0].last4}
        if without_approval:
            after["without_approval"] = "yes"
        audit_log.record(workspace, "key.created", name, after=after)
        return made


def _refuse_too_many(workspace: Workspace) -> None:
    session().execute(sa.select(Workspace.id).where(Workspace.id == workspace.id).with_for_update())
    live = session().scalar(sa.select(sa.func.count()).select_from(_live(workspace).subquery()))
    if (live or 0) >= MOST_KEYS:
        raise PlanLimitExceeded(
            f"Your workspace has {live} of {MOST_KEYS} API keys.", recovery="Revoke a key you don't use."
        )


def _new(
    workspace: Workspace,
    name: str,
    scopes: list[str],
    expires_at: datetime | None,
    created_by: int | None,
    without_approval: bool,
) -> tuple[ApiKey, str]:
    lookup = crypto.random_base62(8)
    begin = f"ovt_{'test' if workspace.sandbox else 'live'}_{lookup}_{crypto.random_base62(43)}"
    plain = begin + crypto.crc_base62(begin)
    key = ApiKey(
        workspace_id=workspace.id,
        name=name,
        lookup=lookup,
        digest=_digest(plain, crypto.keyring()),
        last4=plain[-4:],
        scopes=scopes,
        created_by=created_by,
        created_at=clock.now(),
        expires_at=expires_at,
        without_approval=without_approval,
    )
    session().add(key)
    session().flush()
    return key, plain


def _digest(plain: str, keyring: Keyring) -> bytes:
    return keyring.sign("api-key", plain.encode())


def well_formed(header: str | None) -> str:
    """Return the key in an Authorization header if it is well-formed, else ''. Needs no database."""
    found = _BEARER.fullmatch(header or "")
    plain = found[1] if found else ""
    return plain if _FORM.fullmatch(plain) and crypto.crc_base62(plain[:-6]) == plain[-6:] else ""


def authenticate(header: str | None) -> Caller:
    """Return the caller of an Authorization header; raise the same Unauthorized for every problem."""
    (lookup, digest), at = _read(header or "", crypto.keyring()), clock.now()
    key = next(iter(fetch(_BY_LOOKUP, lookup=lookup)), None) if lookup else None
    same = hmac.compare_digest(key.digest if key else NO_DIGEST, digest)
    if key is None or not same or key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at):
        raise Unauthorized("The API key is missing or not valid.")
    if key.last_used_at is None or at - key.last_used_at >= _USE_NOTED_EVERY:
        note(sa.update(ApiKey).where(ApiKey.id == key.key_id).values(last_used_at=at))
    workspace = Workspace(**{name: getattr(key, name) for name in _FIELDS})
    named = covered(key.scopes)
    may = _of_member(key.maker_role, key.maker_scopes) if key.created_by else _EVERYTHING
    alone = key.without_approval and APPROVING in named & may
    return Caller(key.key_id, key.key_name, workspace.id, workspace, named & may, named - may, alone, key.created_by)


@lru_cache(maxsize=256)  # keys in use; uncached, this takes a tenth of the time of a small read
def _read(header: str, keyring: Keyring) -> tuple[str, bytes]:
    """Return the lookup value and the expected digest of a header's key; '' when it is malformed."""
    plain = well_formed(header)
    return plain[9:17], _digest(plain, keyring)


_BY_LOOKUP = (
    sa.select(
        _KEY.c.id.label("key_id"),
        _KEY.c.name.label("key_name"),
        *(
            _KEY.c[name]
            for name in "digest scopes created_by expires_at revoked_at last_used_at without_approval".split()
        ),
        _MEMBER.c.role.label("maker_role"),
        _MEMBER.c.key_scopes.label("maker_scopes"),
        *_WORKSPACE.c,
    )
    .join_from(_KEY, _WORKSPACE)
    .outerjoin(_MEMBER, sa.and_(_MEMBER.c.workspace_id == _KEY.c.workspace_id, _MEMBER.c.user_id == _KEY.c.created_by))
    .where(_KEY.c.lookup == sa.bindparam("lookup"))
)


def get(workspace: Workspace, key_id: int) -> ApiKey:
    """Return the key, or raise NotFound."""
    return get_owned(ApiKey, workspace, key_id)


def every(workspace: Workspace) -> Sequence[ApiKey]:
    """Return the workspace's valid keys, newest first."""
    return session().scalars(_live(workspace).order_by(ApiKey.id.desc())).all()


def _live(workspace: Workspace) -> sa.Select[ApiKey]:
    return sa.select(ApiKey).where(
        ApiKey.workspace_id == workspace.id,
        ApiKey.revoked_at.is_(None),
        sa.or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > clock.now()),
    )


class Held(NamedTuple):
    """A key, its scopes that are withheld now, and its maker's name; "" for the server or a member who left."""

    key: ApiKey
    withheld: list[str]
    maker: str


def held(workspace: Workspace, keys: Sequence[ApiKey]) -> list[Held]:
    """Return the keys with what is known of their makers."""
    known = makers(workspace)
    return [
        Held(key, sorted(withheld(key, known)), known[key.created_by].name if key.created_by in known else "")
        for key in keys
    ]


@dataclass(frozen=True)
class Found:
    """The valid keys of a workspace, newest first."""

    workspace: Workspace

    def page(self, window: Window) -> Page:
        """Return one page of `Held`."""
        found = paging.page(_live(self.workspace), ApiKey.id, window)
        return Page(held(self.workspace, found.rows), found.next_cursor)


def unused(key: ApiKey) -> bool:
    """Return whether the key was unused for so long that it should be revoked."""
    return clock.now() - (key.last_used_at or key.created_at) > UNUSED_AFTER


def revoke(workspace: Workspace, key_id: int) -> ApiKey:
    """Revoke the key from the next request on."""
    with transaction():
        key = get_owned(ApiKey, workspace, key_id, lock=True)
        if key.revoked_at is None:
            key.revoked_at = clock.now()
            audit_log.record(workspace, "key.revoked", key.name, before={"last4": key.last4})
        return key


def of_member(workspace: Workspace, user_id: int) -> list[ApiKey]:
    """Return the valid keys that speak for a member, newest first."""
    return [key for key in every(workspace) if key.created_by == user_id]


def revoke_all(workspace: Workspace, user_id: int) -> None:
    """Revoke every key that speaks for a member."""
    for key in of_member(workspace, user_id):
        revoke(workspace, key.id)


def take_over(workspace: Workspace, by: User, key_id: int) -> ApiKey:
    """Let the key speak for an owner from the next request on, with all it was made for."""
    if may_hold(workspace, by) != _EVERYTHING:
        raise Forbidden("Only owners can take over keys.", recovery="Ask an owner.")
    with transaction():
        key = get_owned(ApiKey, workspace, key_id, lock=True)
        if key.created_by != by.id:
            key.created_by = by.id
            audit_log.record(workspace, "key.taken_over", key.name, after={"last4": key.last4}, by=by)
        return key


def roll(
    workspace: Workspace,
    key_id: int,
    *,
    overlap: timedelta = ROLL_OVERLAP,
    by: User | None = None,
    within: frozenset[str] = _EVERYTHING,
) -> tuple[ApiKey, str]:
    """Rotate a key, keeping name, scopes, maker and expiry; the old one stays valid for `overlap`.

    Forbidden for a key that may do more than those of the one who asks, or than the key that asks (`within`): they
    would hold it afterwards.
    """
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise InvalidRequest.of(("overlap", "Keep the old key valid for 0 to 7 days."))
    with transaction():
        key, at = get_owned(ApiKey, workspace, key_id, lock=True), clock.now()
        if key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at):
            raise Conflict("This key has expired or was revoked.", recovery="Create a new key.")
        known = makers(workspace)
        asks = _rights(by.id, known) if by else _EVERYTHING
        if not (covered(key.scopes) & _rights(key.created_by, known)) <= asks & within:
            raise Forbidden("This key has more permissions than yours.", recovery="Ask the key's creator or an owner.")
        made = _new(workspace, key.name, key.scopes, key.expires_at, key.created_by, key.without_approval)
        end = at + overlap
        key.expires_at = min(key.expires_at, end) if key.expires_at else end
        audit_log.record(workspace, "key.rolled", key.name, before={"last4": key.last4}, after={"last4": made[0].last4})
        return made
