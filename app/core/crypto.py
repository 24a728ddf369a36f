"""Secrets: random names, keyed hashes, sealing at rest and passwords."""

import base64
import hmac
import os
import secrets
import threading
import zlib

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Argon2id, 64 MiB, t=3 (above OWASP's minimum); a few at a time, so that sign-ins cannot exhaust the memory.
_passwords = PasswordHasher(time_cost=3, memory_cost=65536, parallelism=1)
_hashing = threading.BoundedSemaphore(4)


class Keyring:
    """Keys derived from SECRET_KEY, one per purpose, so that no secret serves two ends."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._keys: dict[str, bytes] = {}

    def key(self, purpose: str) -> bytes:
        """32 bytes that belong to `purpose` alone."""
        if purpose not in self._keys:
            derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode())
            self._keys[purpose] = derive.derive(self._secret)
        return self._keys[purpose]

    def sign(self, purpose: str, message: bytes) -> bytes:
        """The HMAC-SHA256 of `message` for `purpose`."""
        return hmac.digest(self.key(purpose), message, "sha256")

    def seal(self, plain: bytes, bound_to: str) -> bytes:
        """`plain` encrypted; it opens only with the same `bound_to` (table|column|row|workspace)."""
        nonce = os.urandom(12)
        return b"\x01" + nonce + AESGCM(self.key("seal")).encrypt(nonce, plain, bound_to.encode())

    def unseal(self, sealed: bytes, bound_to: str) -> bytes:
        """What `seal` was given; ValueError when it was altered or moved to another row."""
        try:
            return AESGCM(self.key("seal")).decrypt(sealed[1:13], sealed[13:], bound_to.encode())
        except InvalidTag:
            raise ValueError("The sealed value does not belong here or SECRET_KEY has changed.") from None

    def enclose(self, purpose: str, plain: bytes) -> str:
        """`plain` as part of an address: nobody reads it or makes another, and it is the same every time."""
        return base64.urlsafe_b64encode(AESSIV(self.key(purpose)).encrypt(plain, None)).rstrip(b"=").decode()

    def disclose(self, purpose: str, enclosed: str) -> bytes:
        """What `enclose` was given; ValueError when it made no such text."""
        try:
            sealed = base64.b64decode(enclosed + "=" * (-len(enclosed) % 4), b"-_", validate=True)
            return AESSIV(self.key(purpose)).decrypt(sealed, None)
        except (InvalidTag, ValueError):
            raise ValueError("This was not made here.") from None


_keyring: Keyring | None = None


def use_secret(secret: str) -> None:
    """Derive every key of this process from `secret`."""
    global _keyring
    _keyring = Keyring(secret)


def keyring() -> Keyring:
    """The keys of this installation."""
    if _keyring is None:
        raise RuntimeError("No SECRET_KEY has been set.")
    return _keyring


def random_base62(length: int) -> str:
    """An unguessable name of that many characters (5.95 bits each)."""
    return random_letters(BASE62, length)


def random_letters(alphabet: str, length: int) -> str:
    """The same of the letters of that alphabet."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def crc_base62(text: str) -> str:
    """Six characters by which a scanner, or we, recognise a mistyped key without a look-up."""
    value, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        value, digit = divmod(value, 62)
        digits = BASE62[digit] + digits
    return digits


def webhook_secret() -> str:
    """A Standard Webhooks signing secret: `whsec_` and 32 random bytes in base64."""
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


def hash_password(password: str) -> str:
    """The Argon2id hash to store."""
    with _hashing:
        return _passwords.hash(password)


def check_password(stored: str | None, password: str) -> bool:
    """Whether the password fits; takes as long when there is nobody to compare with."""
    with _hashing:
        if stored is None:
            _passwords.hash(password)
            return False
        try:
            return _passwords.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
