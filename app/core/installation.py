"""What is installed: its version, and where its templates, static files and migrations are."""

from importlib import metadata
from pathlib import Path

VERSION = metadata.version("overture")

_PACKAGE = Path(__file__).resolve().parents[1]
# A wheel carries these folders inside the package; in a checkout they stand beside it.
ROOT = _PACKAGE if (_PACKAGE / "migrations").is_dir() else _PACKAGE.parent
