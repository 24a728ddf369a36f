"""DKIM signatures (RFC 6376) as receivers check them, relaxed in both parts; and as a provider makes them."""

import base64
import hashlib
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from app.domain.senders.domain_check import tags

NAME = "dkim-signature"
Field = tuple[str, str]


def fields(raw: bytes) -> tuple[list[Field], bytes]:
    """The headers by lower-case name, as they were folded, and the body."""
    head, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    found = re.findall(
        r"^([!-9;-~]+)[ \t]*:((?:.*)(?:\n[ \t].*)*)", head.decode("ascii", "surrogateescape"), re.MULTILINE
    )
    return [(name.lower(), value) for name, value in found], body


def verified(raw: bytes, key: RSAPublicKey) -> list[str]:
    """The headers that the signature covers; [] when it does not hold."""
    headers, body = fields(raw)
    signature = next((value for name, value in headers if name == NAME), "")
    said = {name: re.sub(r"\s", "", value) for name, value in tags(signature.replace("\n", "")).items()}
    if not said or said["bh"] != body_hash(body):
        return []
    covered = said["h"].lower().split(":")
    unsigned = re.sub(r"(\bb\s*=)[^;]*", r"\1", signature)
    try:
        key.verify(base64.b64decode(said["b"]), _signed(headers, covered, unsigned), PKCS1v15(), SHA256())
    except InvalidSignature:
        return []
    return covered


def signed(raw: bytes, key: RSAPrivateKey, domain: str, selector: str, covered: list[str]) -> bytes:
    """The message as the provider of that domain sends it on."""
    headers, body = fields(raw)
    begun = f" v=1; a=rsa-sha256; c=relaxed/relaxed; d={domain}; s={selector}; h={':'.join(covered)};"
    begun += f" bh={body_hash(body)}; b="
    signature = base64.b64encode(key.sign(_signed(headers, covered, begun), PKCS1v15(), SHA256())).decode()
    return f"DKIM-Signature:{begun}{signature}\r\n".encode() + raw


def body_hash(body: bytes) -> str:
    """Of the body with its spaces drawn together, and one end."""
    lines = [re.sub(rb"[ \t]+", b" ", line).rstrip(b" ") for line in body.split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return base64.b64encode(hashlib.sha256(b"".join(line + b"\r\n" for line in lines)).digest()).decode()


def _signed(headers: list[Field], covered: list[str], signature: str) -> bytes:
    left, parts = list(headers), []
    for name in covered:
        at = next((place for place in range(len(left) - 1, -1, -1) if left[place][0] == name), None)
        if at is not None:
            parts.append(_relaxed(*left.pop(at)) + "\r\n")
    return "".join([*parts, _relaxed(NAME, signature)]).encode("ascii", "surrogateescape")


def _relaxed(name: str, value: str) -> str:
    drawn_together = re.sub(r"[ \t]+", " ", value.replace("\n", "")).strip()
    return f"{name}:{drawn_together}"
