"""What exports call their columns, from csv_column_names.toml.

Of several columns of a file, the one whose name comes first is taken.
"""

import tomllib
from pathlib import Path
from typing import Any

_READ: Any = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
NAMES: dict[str, str] = _READ["names"]
PLACES: list[str] = _READ["places"]
ADDRESSES: str = _READ["addresses"]
IGNORED: str = _READ["ignored"]
GUESSED: str = _READ["guessed"]
NEVER_CONTACT: dict[str, str] = _READ["never_contact"]
