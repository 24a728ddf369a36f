"""API keys: made, proven, rolled, revoked, and what their scopes cover."""

import re
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core import crypto
from app.core.clock import Movable
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, PlanLimitExceeded, Unauthorized
from app.domain.workspace import api_keys, workspaces
from app.models.workspaces import ApiKey, Workspace

FORM = re.compile(r"ovt_(live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}")


def opens(plain: str) -> bool:
    """Whether the key is accepted now."""
    try:
        api_keys.authenticate(f"Bearer {plain}")
    except Unauthorized:
        return False
    return True


def test_a_key_opens_its_workspace_with_its_scopes(acme: Workspace) -> None:
    """A new key speaks for its workspace, with its scopes."""
    key, plain = api_keys.create(acme, "  CRM   sync ", "lists:write,campaigns:read")
    caller = api_keys.authenticate(f"Bearer {plain}")
    assert (key.name, key.scopes) == ("CRM sync", ["lists:write", "campaigns:read"])
    assert (caller.key_id, caller.workspace.id, caller.workspace.name) == (key.id, acme.id, "Acme")
    assert caller.workspace.now() - acme.now() < timedelta(minutes=1)


def test_a_key_has_a_form_that_scanners_know(acme: Workspace) -> None:
    """Prefix, public part, secret, checksum; sandbox workspaces have test keys."""
    real = workspaces.create("Real", "real@example.com", "four unrelated quiet words")
    for workspace, kind in ((acme, "test"), (real, "live")):
        key, plain = api_keys.create(workspace, "k", "all")
        found = FORM.fullmatch(plain)
        assert found is not None
        assert found[1] == kind
        assert plain[9:17] == key.lookup
        assert plain[-6:] == crypto.crc_base62(plain[:-6])
        assert plain.endswith(key.last4)


def test_the_key_itself_is_stored_nowhere(acme: Workspace) -> None:
    """Only its public part, its last four signs and a keyed hash."""
    key, plain = api_keys.create(acme, "k", "all")
    stored = repr([getattr(key, column.name) for column in ApiKey.__table__.columns])
    assert plain[18:] not in stored
    assert key.digest == crypto.keyring().sign("api-key", plain.encode())


def test_a_mistyped_key_is_known_without_a_look_up(acme: Workspace) -> None:
    """Its checksum does not fit."""
    _, plain = api_keys.create(acme, "k", "all")
    assert api_keys.well_formed(f"Bearer {plain}") == plain
    for at in (4, 12, 30, len(plain) - 1):
        wrong = plain[:at] + ("x" if plain[at] != "x" else "y") + plain[at + 1 :]
        assert api_keys.well_formed(f"Bearer {wrong}") == ""


def test_the_public_part_alone_opens_nothing(acme: Workspace) -> None:
    """A key with it and a right checksum, but another secret."""
    _, plain = api_keys.create(acme, "k", "all")
    forged = plain[:18] + crypto.random_base62(43)
    assert api_keys.well_formed(f"Bearer {forged}{crypto.crc_base62(forged)}")
    assert not opens(forged + crypto.crc_base62(forged))


def test_a_revoked_key_opens_nothing_from_the_next_request_on(acme: Workspace) -> None:
    """However often it was used before."""
    key, plain = api_keys.create(acme, "k", "all")
    assert opens(plain)
    api_keys.revoke(acme, key.id)
    assert not opens(plain)
    assert api_keys.every(acme) == []


def test_what_a_key_speaks_for_is_always_as_it_is_now(acme: Workspace) -> None:
    """Although who calls again is not read again."""
    key, plain = api_keys.create(acme, "k", "lists:read")
    first = api_keys.authenticate(f"Bearer {plain}")
    with transaction():
        session().execute(sa.update(Workspace).where(Workspace.id == acme.id).values(name="Acme Ltd"))
        session().execute(sa.update(ApiKey).where(ApiKey.id == key.id).values(scopes=["events:read"]))
    now = api_keys.authenticate(f"Bearer {plain}")
    assert (first.workspace.name, first.may("lists:read"), first.may("events:read")) == ("Acme", True, False)
    assert (now.workspace.name, now.may("lists:read"), now.may("events:read")) == ("Acme Ltd", False, True)


def test_a_key_ends_when_it_should(acme: Workspace, clock: Movable) -> None:
    """To the second."""
    _, plain = api_keys.create(acme, "k", "all", expires_at=clock.at + timedelta(hours=1))
    clock.forward(minutes=59)
    assert opens(plain)
    clock.forward(minutes=1)
    assert not opens(plain)


def test_a_rolled_key_leaves_a_day_to_move(acme: Workspace, clock: Movable) -> None:
    """Both work; then only the new one, which may do the same."""
    key, plain = api_keys.create(acme, "CRM", "lists:read")
    new, new_plain = api_keys.roll(acme, key.id)
    assert (new.name, new.scopes, new.expires_at) == ("CRM", ["lists:read"], None)
    clock.forward(hours=23, minutes=59)
    assert opens(plain)
    clock.forward(minutes=1)
    assert (opens(plain), opens(new_plain)) == (False, True)
    with pytest.raises(Conflict):
        api_keys.roll(acme, key.id)


def test_rolling_never_lengthens_a_life(acme: Workspace, clock: Movable) -> None:
    """An expiry that comes earlier stays; none lasts longer than seven days."""
    end = clock.at + timedelta(hours=1)
    key, _ = api_keys.create(acme, "k", "all", expires_at=end)
    new, _ = api_keys.roll(acme, key.id)
    assert api_keys.get(acme, key.id).expires_at == new.expires_at == end
    with pytest.raises(InvalidRequest):
        api_keys.roll(acme, new.id, overlap=timedelta(days=8))
    newest, _ = api_keys.roll(acme, new.id, overlap=timedelta(0))
    assert [one.id for one in api_keys.every(acme)] == [newest.id, key.id]


def test_its_use_is_noted_at_most_once_a_minute(acme: Workspace, clock: Movable) -> None:
    """Reading stays reading."""
    key, plain = api_keys.create(acme, "k", "all")

    def noted() -> object:
        api_keys.authenticate(f"Bearer {plain}")
        end_read()
        return session().scalar(sa.select(ApiKey.last_used_at).where(ApiKey.id == key.id))

    first = noted()
    assert first == clock.at
    clock.forward(seconds=59)
    assert noted() == first
    clock.forward(seconds=1)
    assert noted() == clock.at


def test_a_key_that_no_one_uses_is_pointed_out(acme: Workspace, clock: Movable) -> None:
    """After 90 days."""
    key, _ = api_keys.create(acme, "k", "all")
    clock.forward(days=90)
    assert not api_keys.unused(key)
    clock.forward(seconds=1)
    assert api_keys.unused(key)


def test_a_workspace_has_at_most_25_keys_that_work(acme: Workspace, rival: Workspace) -> None:
    """Revoked ones do not count, and strangers' neither; a key can be rolled all the same."""
    made = [api_keys.create(acme, f"Key {number}", "all")[0] for number in range(api_keys.MOST_KEYS)]
    with pytest.raises(PlanLimitExceeded, match="25 of 25"):
        api_keys.create(acme, "One more", "all")
    api_keys.create(rival, "Theirs", "all")
    api_keys.roll(acme, made[0].id)
    api_keys.revoke(acme, made[1].id)
    api_keys.revoke(acme, made[2].id)
    api_keys.create(acme, "One more", "all")


def test_every_problem_is_named_at_once(acme: Workspace, clock: Movable) -> None:
    """Name, end and scopes."""
    with pytest.raises(InvalidRequest) as caught:
        api_keys.create(acme, " ", "lists:read,lists:erase,everything", expires_at=clock.at)
    problems = {field.path: field.message for field in caught.value.fields}
    assert set(problems) == {"name", "expiresAt", "scopes"}
    assert problems["scopes"].startswith("Unknown scopes: everything, lists:erase. Use all, or some of:")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("all", ["all"]),
        ("lists:read,all", ["all"]),
        (" webhooks:read , lists:write ,", ["lists:write", "webhooks:read"]),
        (["lists:read", "lists:read"], ["lists:read"]),
    ],
)
def test_scopes_are_read_in_the_order_of_the_table(wanted: str | list[str], found: list[str]) -> None:
    """Each once; `all` is all."""
    assert api_keys.parse_scopes(wanted) == found


@pytest.mark.parametrize("wanted", ["", " , ", [], "ALL", "lists", "lists:", "lists:Read", "lists:read;lists:write"])
def test_what_is_no_scope_is_refused(wanted: str | list[str]) -> None:
    """Never ignored: a key must not turn out to do less, or more, than someone meant."""
    with pytest.raises(InvalidRequest):
        api_keys.parse_scopes(wanted)


def test_writing_includes_reading_and_nothing_else_does() -> None:
    """Of the same area."""
    assert api_keys.covered(["lists:write", "campaigns:run"]) == {"lists:write", "lists:read", "campaigns:run"}
    assert api_keys.covered(["all"]) == set(api_keys.SCOPES)


def test_a_scope_includes_what_its_row_says() -> None:
    """Who may read webhooks may read events, for they hold the same; not the other way round."""
    assert api_keys.covered(["webhooks:write"]) == {"webhooks:write", "webhooks:read", "events:read"}
    assert api_keys.covered(["events:read"]) == {"events:read"}
    assert api_keys.opening("events:read") == ["events:read", "webhooks:read"]
    assert {name for one in api_keys.SCOPES.values() for name in one.includes} <= set(api_keys.SCOPES)


def test_presets_are_made_of_scopes() -> None:
    """Read-only reads; the standard one neither ends the subscription nor takes secrets."""
    assert all(name.endswith(":read") for name in api_keys.PRESETS["read-only"])
    assert not {"billing:write", "sources:write"} & set(api_keys.PRESETS["standard"])
    assert api_keys.parse_scopes(list(api_keys.PRESETS["full"])) == ["all"]


def test_a_strangers_key_is_not_there(acme: Workspace, rival: Workspace) -> None:
    """Neither to see, nor to roll, nor to revoke."""
    key, plain = api_keys.create(rival, "k", "all")
    for verb in (api_keys.get, api_keys.roll, api_keys.revoke):
        with pytest.raises(NotFound):
            verb(acme, key.id)
    assert opens(plain)
