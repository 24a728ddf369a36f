"""API keys: made, proven, rolled, revoked, and what their scopes cover."""

import re
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core import crypto
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, PlanLimitExceeded, Unauthorized
from app.domain.workspace import api_keys, workspaces
from app.models.workspaces import ApiKey, Workspace
from tests.support.movable import Movable

FORM = re.compile(r"ovt_(live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}")


def opens(plain: str) -> bool:
    try:
        api_keys.authenticate(f"Bearer {plain}")
    except Unauthorized:
        return False
    return True


def test_a_key_opens_its_workspace_with_its_scopes_until_it_is_revoked(acme: Workspace) -> None:
    """Prefix, public part, secret, checksum, of which the public part, the last four signs and a hash are stored."""
    real = workspaces.create("Real", "real@example.com", "four unrelated quiet words")
    for workspace, kind in ((acme, "test"), (real, "live")):
        key, plain = api_keys.create(workspace, "  CRM   sync ", "lists:write,campaigns:read")
        caller = api_keys.authenticate(f"Bearer {plain}")
        assert (key.name, key.scopes) == ("CRM sync", ["lists:write", "campaigns:read"])
        assert (caller.key_id, caller.workspace.id, caller.workspace.name) == (key.id, workspace.id, workspace.name)
        assert caller.workspace.now() - workspace.now() < timedelta(minutes=1)
        assert (FORM.fullmatch(plain)[1], plain[9:17], plain[-6:]) == (kind, key.lookup, crypto.crc_base62(plain[:-6]))
        assert plain.endswith(key.last4)
        assert plain[18:] not in repr([getattr(key, column.name) for column in ApiKey.__table__.columns])
        assert key.digest == crypto.keyring().sign("api-key", plain.encode())
        api_keys.revoke(workspace, key.id)
        assert not opens(plain)
        assert api_keys.every(workspace) == []


def test_a_mistyped_key_is_known_without_a_look_up_and_a_forged_one_opens_nothing(acme: Workspace) -> None:
    """The checksum of one does not fit; the other has the public part, a right checksum, and another secret."""
    _, plain = api_keys.create(acme, "k", "all")
    assert api_keys.well_formed(f"Bearer {plain}") == plain
    for at in (4, 12, 30, len(plain) - 1):
        wrong = plain[:at] + ("x" if plain[at] != "x" else "y") + plain[at + 1 :]
        assert api_keys.well_formed(f"Bearer {wrong}") == ""
    forged = plain[:18] + crypto.random_base62(43)
    assert api_keys.well_formed(f"Bearer {forged}{crypto.crc_base62(forged)}")
    assert not opens(forged + crypto.crc_base62(forged))


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


def test_a_key_ends_when_it_should_and_a_rolled_key_leaves_a_day_to_move(acme: Workspace, clock: Movable) -> None:
    """Both work for that day; then only the new one, which may do the same."""
    _, plain = api_keys.create(acme, "k", "all", expires_at=clock.at + timedelta(hours=1))
    clock.forward(minutes=59)
    assert opens(plain)
    clock.forward(minutes=1)
    assert not opens(plain)
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
    """Reading stays reading; a key that no one uses is pointed out after 90 days."""
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
    idle, _ = api_keys.create(acme, "k", "all")
    clock.forward(days=90)
    assert not api_keys.unused(idle)
    clock.forward(seconds=1)
    assert api_keys.unused(idle)


def test_a_workspace_has_at_most_25_keys_that_work(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """Revoked ones do not count, and strangers' neither; a key can be rolled all the same."""
    made = [api_keys.create(acme, f"Key {number}", "all")[0] for number in range(api_keys.MOST_KEYS)]
    with pytest.raises(PlanLimitExceeded, match="25 of 25"):
        api_keys.create(acme, "One more", "all")
    api_keys.create(rival, "Theirs", "all")
    api_keys.roll(acme, made[0].id)
    api_keys.revoke(acme, made[1].id)
    api_keys.revoke(acme, made[2].id)
    api_keys.create(acme, "One more", "all")
    with pytest.raises(InvalidRequest) as caught:
        api_keys.create(rival, " ", "lists:read,lists:erase,everything", expires_at=clock.at)
    problems = {field.path: field.message for field in caught.value.fields}
    assert set(problems) == {"name", "expiresAt", "scopes"}
    assert problems["scopes"].startswith("Unknown scopes: everything, lists:erase. Use all, or some of:")


def test_scopes_are_read_in_the_order_of_the_table() -> None:
    """Each once; `all` is all. What is no scope is refused: no key may do less, or more, than someone meant."""
    wanted: list[tuple[str | list[str], list[str]]] = [
        ("all", ["all"]),
        ("lists:read,all", ["all"]),
        (" webhooks:read , lists:write ,", ["lists:write", "webhooks:read"]),
        (["lists:read", "lists:read"], ["lists:read"]),
    ]
    for given, found in wanted:
        assert api_keys.parse_scopes(given) == found
    wrong: list[str | list[str]] = ["", " , ", [], "ALL", "lists", "lists:", "lists:Read", "lists:read;lists:write"]
    for given in wrong:
        with pytest.raises(InvalidRequest):
            api_keys.parse_scopes(given)


def test_a_scope_includes_what_its_row_says() -> None:
    """Writing includes reading; who may read webhooks may read events, which hold the same, not the other way round."""
    assert api_keys.covered(["lists:write", "campaigns:run"]) == {"lists:write", "lists:read", "campaigns:run"}
    assert api_keys.covered(["all"]) == set(api_keys.SCOPES)
    assert api_keys.covered(["webhooks:write"]) == {"webhooks:write", "webhooks:read", "events:read"}
    assert api_keys.covered(["events:read"]) == {"events:read"}
    assert api_keys.opening("events:read") == ["events:read", "webhooks:read"]
    assert {name for one in api_keys.SCOPES.values() for name in one.includes} <= set(api_keys.SCOPES)
    assert all(name.endswith(":read") for name in api_keys.PRESETS["read-only"])
    assert not {"billing:write", "sources:write"} & set(api_keys.PRESETS["standard"])
    assert api_keys.parse_scopes(list(api_keys.PRESETS["full"])) == ["all"]
