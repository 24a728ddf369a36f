"""Replacing SECRET_KEY on the command line."""

from tests.command_line.test_cli import CREATE, bare, env, here, rows
from tests.support import processes

__all__ = ["env"]

NEW = "another key, also as long as a key must be"


def test_rotated_secrets_open_with_the_new_key_alone(migrated: str, env: dict[str, str]) -> None:
    """Sealed anew, and said how much; afterwards the new one is enough, and a third one is refused in a sentence."""
    old = env
    assert bare(old)(*CREATE, "--sandbox").exit_code == 0
    key = ["key", "create", "--workspace", here(bare(old)), "--name", "Script", "--scopes", "all"]
    assert bare(old)(*key).exit_code == 0
    new = {**old, "SECRET_KEY": NEW}
    both = {**new, "OVERTURE_OLD_SECRET_KEYS": processes.SECRET.replace(",", "%2C")}
    first = bare(both)("secrets", "rotate")
    assert first.exit_code == 0, first.output
    assert first.stdout.splitlines()[-1] == (
        "All values are encrypted with SECRET_KEY. You can clear OVERTURE_OLD_SECRET_KEYS."
    )
    assert "webhook.secret: 0 re-encrypted" in first.stdout
    kept = rows(old, "SELECT purpose, sealed FROM kept_key ORDER BY purpose")
    assert len(kept) > 5
    assert bare(new)("secrets", "rotate").exit_code == 0
    assert rows(old, "SELECT purpose, sealed FROM kept_key ORDER BY purpose") == kept
    healthy = bare(new)("doctor", "--offline")
    assert healthy.exit_code == 0, healthy.output
    lost = bare({**old, "SECRET_KEY": NEW + "!"})("secrets", "rotate")
    assert lost.exit_code == 2
    assert f"{len(kept)} values can't be decrypted with any key." in lost.stderr
