"""The AI model that `overture model setup` chose, kept in the instance folder beside the secret key.

Settings of the environment come first. The file is readable by its owner alone, because it may hold a key.
"""

import json
import os
from pathlib import Path

FILE = "model.json"
NAMES = ("OVERTURE_MODEL_URL", "OVERTURE_MODEL_NAME", "OVERTURE_MODEL_KEY")


def read(instance: Path) -> dict[str, str]:
    """Return the settings of the chosen model; none when nothing was chosen."""
    file = instance / FILE
    if not file.exists():
        return {}
    try:
        found = json.loads(file.read_text())
    except ValueError:
        return {}
    kept = found if isinstance(found, dict) else {}
    return {name: kept[name] for name in NAMES if isinstance(kept.get(name), str)}


def keep(instance: Path, url: str, name: str, key: str) -> Path:
    """Keep the choice for the next start; the file is replaced in one step."""
    instance.mkdir(parents=True, exist_ok=True)
    file, part = instance / FILE, instance / f".{FILE}.{os.getpid()}"
    with os.fdopen(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as opened:
        json.dump(dict(zip(NAMES, (url, name, key), strict=True)), opened)
    part.replace(file)
    return file


def forget(instance: Path) -> bool:
    """Forget the choice; return whether there was one."""
    found = (instance / FILE).exists()
    (instance / FILE).unlink(missing_ok=True)
    return found
