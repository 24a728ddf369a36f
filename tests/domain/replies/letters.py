"""Texts that people write, which stand in `letters.toml` so that readers of their languages can check them."""

import tomllib
from pathlib import Path
from typing import Any

TEXTS = tomllib.loads(Path(__file__).with_name("letters.toml").read_text(encoding="utf-8"))


def texts_of(subject: str) -> dict[str, Any]:
    """The texts about that subject, by what each of them is."""
    found: dict[str, Any] = TEXTS[subject]
    return found
