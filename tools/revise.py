"""Writes the next migration: what the models have and the newest revision has not. `make revision NAME="words"`."""

import sys
import tempfile
from pathlib import Path

from app.core import migrations


def main(words: list[str]) -> None:
    """The file is in migrations/versions, to be read before it is committed."""
    newest = migrations.newest()
    number = f"{int(newest) + 1 if newest else 1:04}"
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'newest.db'}"
        migrations.upgrade(url)
        migrations.revise(url, " ".join(words), number)


if __name__ == "__main__":
    main(sys.argv[1:])
