"""Secrets: random tokens, keyed hashes, encryption at rest and password hashes."""

import base64
import hmac
import os
import secrets
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Argon2id, 64 MiB, t=3 (above OWASP's minimum); a few at a time, so that sign-ins cannot exhaust the memory.
_passwords = PasswordHasher(time_cost=3, memory_cost=65536, parallelism=1)
_hashing = threading.BoundedSemaphore(4)


# The purposes of signatures. Their keys are kept when SECRET_KEY changes, because old signatures cannot be made anew.
PURPOSES = (
    "action",
    "api-key",
    "audit",
    "cursor",
    "device",
    "email-confirmation",
    "erased",
    "invitation",
    "meeting",
    "password-mark",
    "password-reset",
    "recovery-code",
    "session",
    "unsubscribe",
)
_LONE, _NAMED = b"\x01", b"\x02"  # first byte of encrypted values: without a key id (old), or with one
NAMED = 5  # bytes of the prefix that names the key: the first byte and the key id


class Keyring:
    """Keys derived from SECRET_KEY, one per purpose, so that no secret serves two ends.

    The current secret encrypts, older ones still decrypt. Signatures survive a new secret: their keys are stored,
    encrypted, in `kept`; until then they come from the oldest secret.
    """

    def __init__(
        self, secret: str, older: Sequence[str] = (), kept: Callable[[], Mapping[str, bytes]] = lambda: {}
    ) -> None:
        self.older = [former for former in dict.fromkeys(older) if former != secret]
        self._secrets = [each.encode() for each in (secret, *self.older)]
        self._seals = {_derived(each, "seal-name")[:4]: AESGCM(_derived(each, "seal")) for each in self._secrets}
        self._load, self._loading = kept, threading.Lock()
        self._kept: Mapping[str, bytes] | None = None
        self._keys: dict[str, bytes] = {}

    def key(self, purpose: str) -> bytes:
        """Return the 32-byte key of one purpose of PURPOSES."""
        if purpose not in self._keys:
            if purpose not in PURPOSES:
                raise KeyError(f"Add {purpose} to PURPOSES.")
            kept = self._kept_keys().get(purpose)
            own = kept and self.unseal(kept, self.kept_at(purpose))
            self._keys[purpose] = own or _derived(self._secrets[-1], purpose)
        return self._keys[purpose]

    def load(self) -> None:
        """Read the stored keys early; else threads that hold a database connection would each need a second one."""
        self._kept_keys()

    def _kept_keys(self) -> Mapping[str, bytes]:
        with self._loading:
            if self._kept is None:
                self._kept = self._load()
            return self._kept

    @staticmethod
    def kept_at(purpose: str) -> str:
        """Return the associated data of a stored key."""
        return f"kept_key|sealed|{purpose}|-"

    def sign(self, purpose: str, message: bytes) -> bytes:
        """Return the HMAC-SHA256 of `message` for `purpose`."""
        return hmac.digest(self.key(purpose), message, "sha256")

    @property
    def newest(self) -> bytes:
        """Return the prefix of everything sealed with the current secret."""
        return _NAMED + next(iter(self._seals))

    def knows(self, begin: bytes) -> bool:
        """Return whether one of the secrets has the prefix's key id; a prefix without a key id can't be checked."""
        return begin[:1] == _LONE or (begin[:1] == _NAMED and begin[1:NAMED] in self._seals)

    def seal(self, plain: bytes, bound_to: str) -> bytes:
        """Encrypt `plain`; it opens only with the same `bound_to` (table|column|row|workspace)."""
        name, nonce = next(iter(self._seals)), os.urandom(12)
        return _NAMED + name + nonce + self._seals[name].encrypt(nonce, plain, _bound(bound_to, name))

    def unseal(self, sealed: bytes, bound_to: str) -> bytes:
        """Decrypt what `seal` returned; raise ValueError when it was altered or moved to another row."""
        if sealed[:1] == _NAMED and (seal := self._seals.get(sealed[1:NAMED])):
            tried, nonce, place = [seal], NAMED, _bound(bound_to, sealed[1:NAMED])
        else:
            tried, nonce, place = list(self._seals.values()) if sealed[:1] == _LONE else [], 1, bound_to.encode()
        for seal in tried:
            with suppress(InvalidTag, ValueError):
                return seal.decrypt(sealed[nonce : nonce + 12], sealed[nonce + 12 :], place)
        raise ValueError("This value can't be decrypted: it is from elsewhere, or SECRET_KEY has changed.")

    def enclose(self, purpose: str, plain: bytes) -> str:
        """Encrypt `plain` deterministically for use in a URL, so that no one can read or forge it."""
        return base64.urlsafe_b64encode(AESSIV(self.key(purpose)).encrypt(plain, None)).rstrip(b"=").decode()

    def disclose(self, purpose: str, enclosed: str) -> bytes:
        """Decrypt what `enclose` returned; raise ValueError for any other text."""
        try:
            sealed = base64.b64decode(enclosed + "=" * (-len(enclosed) % 4), b"-_", validate=True)
            return AESSIV(self.key(purpose)).decrypt(sealed, None)
        except (InvalidTag, ValueError):
            raise ValueError("This server didn't create this value.") from None


def _derived(secret: bytes, purpose: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(secret)


def _bound(place: str, name: bytes) -> bytes:
    return f"{place}|{name.hex()}".encode()


_keyring: Keyring | None = None


def use_secret(secret: str, older: Sequence[str] = (), kept: Callable[[], Mapping[str, bytes]] = lambda: {}) -> None:
    """Derive every key of this process from `secret`; values encrypted with `older` secrets can still be decrypted."""
    global _keyring
    _keyring = Keyring(secret, older, kept)


def keyring() -> Keyring:
    """Return the keys of this installation."""
    if _keyring is None:
        raise RuntimeError("No SECRET_KEY has been set.")
    return _keyring


def random_base62(length: int) -> str:
    """Return an unguessable name of that many characters (5.95 bits each)."""
    return random_letters(BASE62, length)


def random_letters(alphabet: str, length: int) -> str:
    """Return an unguessable name from the letters of that alphabet."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def crc_base62(text: str) -> str:
    """Return a six-character checksum that reveals a mistyped key without a lookup."""
    value, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        value, digit = divmod(value, 62)
        digits = BASE62[digit] + digits
    return digits


def webhook_secret() -> str:
    """Return a Standard Webhooks signing secret: `whsec_` and 32 random bytes in base64."""
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


def hash_password(password: str) -> str:
    """Return the Argon2id hash to store."""
    with _hashing:
        return _passwords.hash(password)


def check_password(stored: str | None, password: str) -> bool:
    """Return whether the password matches; takes as long without a stored hash."""
    with _hashing:
        if stored is None:
            _passwords.hash(password)
            return False
        try:
            return _passwords.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False


class Passphrase:
    """A key derived from a passphrase: values it encrypts can be decrypted on any server with the same passphrase."""

    def __init__(self, words: str, salt: bytes) -> None:
        # scrypt with 64 MiB, because a passphrase that a person chose is easier to guess than a random key.
        self._seal = AESGCM(Scrypt(salt=salt, length=32, n=2**16, r=8, p=1).derive(words.encode()))

    def seal(self, plain: bytes, place: str) -> bytes:
        """Encrypt `plain`; it can be decrypted only with the same `place`."""
        nonce = os.urandom(12)
        return nonce + self._seal.encrypt(nonce, plain, place.encode())

    def unseal(self, sealed: bytes, place: str) -> bytes:
        """Decrypt what `seal` returned; raise ValueError for other words, another place or altered bytes."""
        try:
            return self._seal.decrypt(sealed[:12], sealed[12:], place.encode())
        except (InvalidTag, ValueError):
            raise ValueError("This passphrase doesn't decrypt the value.") from None
