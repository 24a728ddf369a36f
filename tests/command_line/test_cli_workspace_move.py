"""Moving a workspace on the command line: what is printed, and what is refused."""

import json
from contextlib import chdir
from pathlib import Path

from tests.command_line.test_cli import CREATE, bare, env, here

__all__ = ["env"]


def test_a_workspace_moves_with_two_commands(migrated: str, env: dict[str, str], tmp_path: Path) -> None:
    """The file has a name of its own, the id of the new workspace is the last line, and it is another one each time."""
    assert bare(env)(*CREATE, "--sandbox").exit_code == 0
    mine = here(bare(env))
    with chdir(tmp_path):
        done = bare(env)("workspace", "export", "--workspace", mine)
        assert (done.exit_code, done.stdout.endswith(f" workspace-{mine}.jsonl.gz.\n")) == (0, True)
        again = bare(env)("workspace", "export", "--workspace", mine)
        assert again.exit_code == 2
        assert again.stderr == f"workspace-{mine}.jsonl.gz already exists. Choose another name with --to.\n"
        numbers = []
        for _ in range(2):
            moved = bare(env)("workspace", "import", f"workspace-{mine}.jsonl.gz")
            assert moved.exit_code == 0, moved.output
            numbers.append(json.loads(moved.stdout.splitlines()[-1])["workspaceId"])
        assert len({mine, *numbers}) == 3
        assert "New user" not in moved.stdout
        Path("short").write_text("secret\n")
        short = bare(env)("workspace", "export", "--workspace", mine, "--passphrase-file", "short", "--to", "other")
        assert short.exit_code == 2
        assert short.stderr == "The passphrase needs at least 12 characters on the file's first line.\n"
        assert not Path("other").exists()
    unknown = bare(env)("workspace", "export", "--workspace", 99)
    assert (unknown.exit_code, "not found" in unknown.stderr) == (2, True)
