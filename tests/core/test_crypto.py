"""Secrets: nothing opens what it was not made for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import crypto
from app.core.crypto import NAMED, PURPOSES, Keyring

SECRET = "a key for tests, as long as a key must be"
RING = Keyring(SECRET)


@given(st.binary(max_size=300), st.text(max_size=50))
def test_what_was_sealed_is_opened(plain: bytes, bound_to: str) -> None:
    """In the same place, by the same installation; and it cannot be read meanwhile."""
    sealed = RING.seal(plain, bound_to)
    assert Keyring(SECRET).unseal(sealed, bound_to) == plain
    assert len(plain) < 8 or plain not in sealed


def test_what_was_moved_to_another_row_key_or_installation_stays_shut() -> None:
    """No one sees that two secrets are the same, or passes off what one key sealed as sealed with another."""
    sealed = RING.seal(b"secret", "webhook|secret|1|1")
    for place in ("webhook|secret|2|1", "webhook|secret|1|2", ""):
        with pytest.raises(ValueError, match="can't be decrypted"):
            RING.unseal(sealed, place)
    with pytest.raises(ValueError):
        Keyring("another key, as long as a key has to be").unseal(sealed, "webhook|secret|1|1")
    assert sealed != RING.seal(b"secret", "webhook|secret|1|1")
    ring = Keyring(SECRET, [OLDER])
    sealed = ring.seal(b"secret", "here")
    for begin in (Keyring(OLDER).newest, b"\x01", b"\x03"):
        with pytest.raises(ValueError):
            ring.unseal(begin + sealed[NAMED:], "here")


@given(st.integers(0, 40), st.integers(1, 255))
def test_what_was_altered_stays_shut(at: int, change: int) -> None:
    sealed = bytearray(RING.seal(b"a secret of some length", "here"))
    sealed[1 + at % (len(sealed) - 1)] ^= change
    with pytest.raises(ValueError):
        RING.unseal(bytes(sealed), "here")


def test_every_purpose_has_a_key_of_its_own() -> None:
    """A signature for one end is none for another."""
    assert len({RING.key(one) for one in PURPOSES}) == len({RING.sign(one, b"x") for one in PURPOSES}) == len(PURPOSES)
    with pytest.raises(KeyError):
        RING.key("something that nobody named")
    assert RING.sign("cursor", b"x") == Keyring(SECRET).sign("cursor", b"x") != RING.sign("cursor", b"y")


OLDER = "an older key, as long as a key has to be"
OLDEST = "the oldest key, as long as a key has to be"
FIRST_FORMAT = "012c046be21fe99c4e3122df7a7f323da8bc2e35bbb49c30dcaa50a2a2128a7182aa"


def test_what_an_older_secret_sealed_still_opens() -> None:
    """The present one seals; without the older one it stays shut. So does what the first version sealed."""
    sealed = Keyring(OLDER).seal(b"secret", "here")
    both = Keyring(SECRET, [OLDER])
    assert both.unseal(sealed, "here") == b"secret"
    assert both.seal(b"secret", "here")[:NAMED] == both.newest == RING.newest != sealed[:NAMED]
    assert (both.knows(sealed[:NAMED]), RING.knows(sealed[:NAMED])) == (True, False)
    first, place = bytes.fromhex(FIRST_FORMAT), "webhook|secret|1|1"
    for ring in (Keyring(OLDEST), Keyring(SECRET, [OLDER, OLDEST])):
        assert ring.unseal(first, place) == b"whsec"
    for ring, value, where in (
        (RING, sealed, "here"),
        (both, sealed, "there"),
        (RING, first, place),
        (Keyring(OLDEST), first, "webhook|secret|1|2"),
    ):
        with pytest.raises(ValueError):
            ring.unseal(value, where)


def test_signatures_outlive_the_secret() -> None:
    """They are the oldest secret's until their keys are kept, and those that were kept from then on."""
    ring = Keyring(SECRET, [OLDER, OLDEST])
    assert ring.sign("erased", b"x") == Keyring(OLDEST).sign("erased", b"x") != RING.sign("erased", b"x")
    kept = {one: ring.seal(ring.key(one), ring.kept_at(one)) for one in PURPOSES}
    assert Keyring(SECRET, kept=lambda: kept).sign("erased", b"x") == ring.sign("erased", b"x")
    moved = {"erased": kept["session"]}
    with pytest.raises(ValueError):
        Keyring(SECRET, kept=lambda: moved).sign("erased", b"x")


def test_stored_keys_are_read_once() -> None:
    read: list[int] = []

    def kept() -> dict[str, bytes]:
        read.append(1)
        return {}

    ring = Keyring(SECRET, kept=kept)
    ring.load()
    ring.load()
    ring.sign("session", b"x")
    assert read == [1]


def test_random_names_are_of_their_alphabet_and_never_the_same() -> None:
    """62 characters, all of them used; a webhook's secret has the form of the standard."""
    names = [crypto.random_base62(43) for _ in range(500)]
    assert len(set(names)) == 500
    assert set("".join(names)) == set(crypto.BASE62)
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", crypto.webhook_secret())


@given(st.text(crypto.BASE62, min_size=1, max_size=60), st.integers(0, 59), st.sampled_from(crypto.BASE62))
def test_a_checksum_notices_one_wrong_character(text: str, at: int, sign: str) -> None:
    changed = text[: at % len(text)] + sign + text[at % len(text) + 1 :]
    assert re.fullmatch("[0-9A-Za-z]{6}", crypto.crc_base62(text))
    assert (crypto.crc_base62(changed) == crypto.crc_base62(text)) == (changed == text)


def test_passwords_are_checked_and_never_stored() -> None:
    """No one to compare with takes the same way."""
    stored = crypto.hash_password("four quiet words here")
    assert "quiet" not in stored
    assert crypto.check_password(stored, "four quiet words here")
    assert not crypto.check_password(stored, "four quiet words there")
    assert not crypto.check_password("not a hash", "four quiet words here")
    assert not crypto.check_password(None, "four quiet words here")
