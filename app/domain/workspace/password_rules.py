"""Rules of a new password: not short, not common, not made of the user's names."""

import gzip
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

LEAST, MOST = 12, 1000  # characters
COMMON = Path(__file__).with_name("common_passwords.txt.gz")  # 178,575, with their sources beside it
PRODUCT = "overture"
LEAST_NAME = 4  # letters; shorter names occur in good passwords by chance
ENDS = re.compile(r"^[\W\d_]+|[\W\d_]+$")
REPEATED = re.compile(r"(.+?)\1+", re.DOTALL)


def password_problem(password: str, names: Iterable[str] = ()) -> str:
    """Return what is wrong with a new password, as a sentence; '' when it is fine.

    `names` are those that a guess begins with: of the user, their address and their workspaces.
    """
    if len(password) < LEAST:
        return f"Use at least {LEAST} characters."
    if len(password) > MOST:
        return "Use at most 1,000 characters."
    folded = password.casefold()
    if len(set(folded)) < 4 or _is_common(folded) or _is_made_of(folded, names):
        return "This password is easy to guess. Use another password, such as four unrelated words."
    return ""


def _is_common(folded: str) -> bool:
    """Return whether it is a known password, perhaps repeated or with digits and signs around it."""
    stem = ENDS.sub("", folded)
    guesses = {
        folded,
        stem,
        *(found[1] for text in (folded, stem, _letters(folded)) if (found := REPEATED.fullmatch(text))),
    }
    lines = (f"\n{guess}\n" for guess in guesses if len(guess) >= LEAST_NAME and "\n" not in guess)
    return any(line.encode(errors="surrogatepass") in _known() for line in lines)


@cache
def _known() -> bytes:
    """Return the known passwords, one a line: two megabytes, unpacked when the first password is judged."""
    return b"\n" + gzip.decompress(COMMON.read_bytes())


def _is_made_of(folded: str, names: Iterable[str]) -> bool:
    """Return whether almost nothing is left when the names are taken out."""
    letters = _letters(folded)
    parts = (part for name in (PRODUCT, *names) for part in (name, *re.split(r"[\W_]+", name)))
    left = letters
    for name in sorted({_letters(part) for part in parts}, key=len, reverse=True):
        if len(name) >= LEAST_NAME:
            left = left.replace(name, "")
    return len(left) < min(LEAST_NAME, len(letters))


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))
