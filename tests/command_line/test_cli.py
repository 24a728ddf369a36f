"""The `overture` command: what scripts rely on, and refusals in one sentence."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from app.cli import overture
from app.core import migrations
from app.domain.platform import request_log
from app.engines.units import UNITS
from app.engines.upkeep import UPKEEP
from tests.conftest import PASSWORD
from tests.support import processes

CREATE = ["workspace", "create", "--name", "Acme", "--email", "ada@acme.example", "--password", PASSWORD]
Command = Callable[..., Result]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Settings of an installation of its own."""
    return {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'overture.db'}",
        "SECRET_KEY": processes.SECRET,
        "OVERTURE_INSTANCE": str(tmp_path),
        "OVERTURE_LOG_LEVEL": "error",
    }


@pytest.fixture
def command(env: dict[str, str], migrated: str) -> Command:
    """Runs `overture …` on an empty, migrated database."""
    assert env["DATABASE_URL"] == migrated
    request_log.reset()
    return bare(env)


def bare(env: dict[str, str]) -> Command:
    """Runs `overture …` with these settings."""

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(overture, [str(argument) for argument in arguments], env=env)

    return run


def here(command: Command) -> int:
    """The id of the first workspace."""
    first: int = json.loads(command("workspace", "list").stdout.splitlines()[0])["workspaceId"]
    return first


def rows(env: dict[str, str], query: str) -> list[tuple[object, ...]]:
    """What the database holds."""
    engine = sa.create_engine(env["DATABASE_URL"], poolclass=sa.NullPool)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text(query))]


@pytest.mark.parametrize(
    "arguments",
    [CREATE, ["tick"], ["doctor"], ["credits", "grant", "--workspace", "9", "--amount", "1", "--ref", "r"]],
    ids=lambda arguments: arguments[0],
)
def test_a_command_leaves_no_connection_open(command: Command, arguments: list[str]) -> None:
    """Whether it succeeds or not."""
    opened: list[object] = []
    on = (sa.pool.Pool, "connect", lambda connection, _: opened.append(connection))
    off = (sa.pool.Pool, "close", lambda connection, _: opened.remove(connection))
    for known in (on, off):
        sa.event.listen(*known)
    command(*arguments)
    for known in (on, off):
        sa.event.remove(*known)
    assert opened == []


def test_a_created_sandbox_workspace_prints_its_ids(command: Command) -> None:
    """A sandbox workspace is one line of JSON with all ids that a script needs."""
    made = command(*CREATE, "--sandbox")
    assert made.exit_code == 0, made.output
    (line,) = made.stdout.splitlines()
    ids = json.loads(line)
    assert (len(ids.pop("accountIds")), len(ids.pop("mailboxIds"))) == (2, 1)
    listed = command("workspace", "list")
    assert json.loads(listed.stdout) == {**ids, "name": "Acme", "sandbox": True}


def test_a_workspace_has_what_was_asked_for(command: Command, env: dict[str, str]) -> None:
    """Time zone and seed."""
    assert command(*CREATE, "--sandbox", "--timezone", "Asia/Tokyo", "--seed", 7).exit_code == 0
    assert rows(env, "SELECT timezone, sandbox_seed, sandbox FROM workspace") == [("Asia/Tokyo", 7, 1)]


def test_all_problems_of_a_workspace_are_named_at_once(command: Command) -> None:
    """On standard error, with status 2 and nothing made."""
    refused = command(*CREATE[:-1], "short", "--timezone", "Mars")
    assert refused.exit_code == 2
    assert refused.stdout == ""
    assert "password: " in refused.stderr
    assert "timezone: " in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_a_stranger_cannot_take_an_address_that_is_in_use(command: Command, env: dict[str, str]) -> None:
    """The owner of the address can have a second workspace, with the same password."""
    assert command(*CREATE).exit_code == 0
    assert command(*CREATE[:-1], "another long password").exit_code == 2
    assert command(*CREATE).exit_code == 0
    assert rows(env, "SELECT count(*) FROM workspace") == [(2,)]


def test_the_database_moves_to_a_revision_and_back(env: dict[str, str]) -> None:
    """And says where it is."""
    run = bare(env)
    newest = migrations.newest()
    assert run("db", "current").stdout == "base\n"
    assert run("db", "upgrade").stdout == f"The database is at revision {newest}.\n"
    assert "No changes were needed" in run("db", "upgrade").stdout
    assert run("db", "current").stdout == f"{newest}\n"
    assert run("db", "downgrade", "base").exit_code == 0
    assert run("db", "current").stdout == "base\n"


@pytest.mark.parametrize("arguments", [CREATE, ["tick"], ["worker"]], ids=" ".join)
def test_without_a_schema_every_command_says_what_to_run(env: dict[str, str], arguments: list[str]) -> None:
    """Nothing is tried."""
    refused = bare(env)(*arguments)
    assert refused.exit_code == 2
    assert "overture db upgrade" in refused.stderr


def test_an_unsafe_setting_is_a_sentence_and_status_2(env: dict[str, str]) -> None:
    """As a real process: no traceback."""
    refused = processes.run({**processes.environment("", Path(env["OVERTURE_INSTANCE"])), "SECRET_KEY": "x"}, "tick")
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        "SECRET_KEY is too easy to guess. Use at least 32 random characters, or leave it empty."
    ]


def test_a_database_that_cannot_be_reached_is_a_sentence(env: dict[str, str]) -> None:
    """Naming what to check."""
    refused = bare({**env, "DATABASE_URL": "sqlite:////nowhere/at/all.db"})("tick")
    assert refused.exit_code == 2
    assert "DATABASE_URL" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_key_stands_alone_on_the_last_line(command: Command) -> None:
    """`tail -n 1` is all a script needs, and what is told besides goes to standard error."""
    command(*CREATE)
    made = command(
        "key", "create", "--workspace", here(command), "--name", "Script", "--scopes", "lists:write,campaigns:read"
    )
    assert made.exit_code == 0, made.output
    (key,) = made.stdout.splitlines()
    assert key.startswith("ovt_")
    assert "campaigns:read" in made.stderr
    assert key not in made.stderr


def test_a_key_may_do_everything_or_only_what_is_named(command: Command, env: dict[str, str]) -> None:
    """An unknown scope is refused."""
    command(*CREATE)
    assert command("key", "create", "--workspace", here(command), "--name", "All", "--scopes", "all").exit_code == 0
    refused = command(
        "key", "create", "--workspace", here(command), "--name", "Odd", "--scopes", "lists:read,lists:fly"
    )
    assert refused.exit_code == 2
    assert "scopes" in refused.stderr
    assert rows(env, "SELECT count(*) FROM api_key") == [(1,)]


def test_a_key_of_a_workspace_that_does_not_exist_is_refused(command: Command) -> None:
    """With the same words as anywhere."""
    refused = command("key", "create", "--workspace", 9, "--name", "N", "--scopes", "all")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "Workspace not found" in refused.stderr


def test_credits_are_given_once_for_a_name(command: Command) -> None:
    """So that a script can be repeated."""
    command(*CREATE, "--sandbox")
    given = [
        command("credits", "grant", "--workspace", here(command), "--amount", 50, "--ref", "march") for _ in range(2)
    ]
    assert [json.loads(one.stdout) for one in given] == [
        {"given": True, "available": 1050},
        {"given": False, "available": 1050},
    ]
    assert command("credits", "grant", "--workspace", here(command), "--amount", 0, "--ref", "march").exit_code == 2


def test_senders_are_connected_and_named_by_their_ids(command: Command, env: dict[str, str]) -> None:
    """The workspace's time zone is theirs, unless another is given."""
    command(*CREATE, "--sandbox", "--timezone", "Europe/Berlin")
    own = ("connect", "--workspace", here(command))
    social = command("account", *own, "--name", "Ada Lovelace", "--timezone", "Asia/Tokyo")
    post = command("mailbox", *own, "--address", "ada@sandbox.example")
    numbers = [
        command("row", "account", json.loads(made.stdout)[name]).stdout
        for made, name in ((social, "accountId"), (post, "mailboxId"))
    ]
    assert numbers == ["4\n", "5\n"]
    assert rows(env, "SELECT timezone FROM account WHERE id > 3") == [("Asia/Tokyo",), ("Europe/Berlin",)]
    again = command("mailbox", *own, "--address", "ada@sandbox.example")
    assert again.exit_code == 2
    assert "already connected" in again.stderr


def test_the_clock_of_a_sandbox_workspace_is_moved(command: Command, env: dict[str, str]) -> None:
    """And of no other."""
    command(*CREATE, "--sandbox")
    real = json.loads(command(*CREATE).stdout)["workspaceId"]
    moved = command("sandbox", "advance", "--workspace", here(command), "--hours", 36)
    assert moved.exit_code == 0, moved.output
    assert set(json.loads(moved.stdout)) == {"workspaceId", "now"}
    ((offset,),) = rows(env, "SELECT clock_offset FROM workspace WHERE id = 1")
    assert 36 * 3600 <= offset <= 36 * 3600 + 60
    refused = command("sandbox", "advance", "--workspace", real, "--hours", 1)
    assert refused.exit_code == 2
    assert "sandbox" in refused.stderr


def test_a_tick_names_everything_it_looked_at(command: Command) -> None:
    """Once each."""
    assert command("tick").stdout.splitlines() == [f"{each.name}: 0" for each in (*UNITS, *UPKEEP)]


def test_the_doctor_finds_nothing_wrong_with_a_new_installation(command: Command) -> None:
    """Exit status 0, one line for each check."""
    command(*CREATE, "--sandbox")
    answer = command("doctor")
    assert answer.exit_code == 0, answer.output
    assert all(line.startswith("ok ") for line in answer.stdout.splitlines())


def test_a_row_is_found_in_the_database_by_its_shown_id(command: Command, env: dict[str, str]) -> None:
    """For queries by hand; what no table or no row has is refused."""
    made = json.loads(command(*CREATE).stdout)["workspaceId"]
    number = int(command("row", "workspace", made).stdout)
    assert rows(env, f"SELECT name FROM workspace WHERE id = {number}") == [("Acme",)]
    for table, row_id in (("workspace", made + 1), ("workspace", number), ("nothing", made), ("alembic_version", 1)):
        refused = command("row", table, row_id)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert f"The table {table} has no row with the id {row_id}." in refused.stderr


def test_the_doctor_says_what_is_wrong_and_puts_right_what_was_counted_wrong(
    command: Command, env: dict[str, str]
) -> None:
    """`--json` for scripts, `--repair` for people."""
    command(*CREATE)
    engine = sa.create_engine(env["DATABASE_URL"], poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO lead_list (workspace_id, name, type, lead_count, created_at)"
                " VALUES (1, 'Wrong', 'people', 5, '2026-01-01 00:00:00')"
            )
        )
    answer = command("doctor", "--json")
    assert answer.exit_code == 1
    (wrong,) = [finding for finding in json.loads(answer.stdout) if not finding["well"]]
    assert wrong["check"] == "lists"
    assert "lead_count = 5" in wrong["sentence"]
    assert "--repair" in wrong["remedy"]
    repaired = command("doctor", "--repair")
    assert repaired.exit_code == 0, repaired.output
    assert rows(env, "SELECT lead_count FROM lead_list") == [(0,)]


def test_the_doctor_needs_no_schema(env: dict[str, str]) -> None:
    """It says that there is none."""
    answer = bare(env)("doctor")
    assert answer.exit_code == 1
    assert "overture db upgrade" in answer.stdout


def test_a_password_is_reset_with_a_link(command: Command, env: dict[str, str]) -> None:
    """Printed once; only its hash is kept, and the audit log tells of it."""
    command(*CREATE)
    made = command("user", "reset-password", "--email", "ADA@acme.example")
    assert made.exit_code == 0, made.output
    path = made.stdout.strip().partition("/reset/")[2]
    assert len(path) == 43
    (digest,) = rows(env, "SELECT digest FROM password_reset")
    assert path.encode() not in digest
    assert rows(env, "SELECT kind, actor FROM audit_entry") == [("password.offered", "Overture")]
    lost = command("user", "reset-two-factor", "--email", "ada@acme.example")
    assert lost.stdout == "ada@acme.example now signs in with the password only.\n"
    out = command("user", "sign-out", "--email", "Ada@acme.example")
    assert out.stdout == "ada@acme.example is signed out on all devices.\n"
    assert rows(env, "SELECT kind, actor FROM audit_entry")[-1] == ("session.closed", "Overture")
    refused = command("user", "reset-password", "--email", "eve@acme.example")
    assert refused.exit_code == 2
    assert refused.stderr == "No user has this email address. Check the spelling.\n"


def test_the_shell_says_who_is_server_admin(command: Command, env: dict[str, str]) -> None:
    """And shows who that is, because anyone may have taken the address."""
    command(*CREATE)
    command("workspace", "create", "--name", "Rival", "--email", "rob@rival.example", "--password", PASSWORD)
    made = command("user", "admin", "Rob@rival.example")
    assert made.stdout == "rob@rival.example (owner of Rival) is now a server admin.\n"
    admins = "SELECT email, email_confirmed_at IS NULL FROM user_account WHERE server_admin ORDER BY id"
    assert rows(env, admins) == [("ada@acme.example", 1), ("rob@rival.example", 0)]
    gone = command("user", "admin", "rob@rival.example", "--revoke")
    assert gone.stdout == "rob@rival.example (owner of Rival) is no longer a server admin.\n"
    assert rows(env, admins) == [("ada@acme.example", 1)]
    env["OVERTURE_OPERATORS"] = "ops@example.com"
    refused = command("user", "admin", "rob@rival.example")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("OVERTURE_OPERATORS doesn't name rob@rival.example. Add it there")


def test_a_backup_is_restored_held_and_released(command: Command, env: dict[str, str], tmp_path: Path) -> None:
    """Into a place without anything, whose secret key comes back."""
    assert command(*CREATE).exit_code == 0
    made = command("backup", "--to", tmp_path / "elsewhere")
    assert made.exit_code == 0, made.output
    (file,) = (tmp_path / "elsewhere").glob("*.zip")
    assert made.stdout.splitlines() == [str(file)]
    folder = tmp_path / "copy"
    empty = {"DATABASE_URL": "", "SECRET_KEY": "", "OVERTURE_INSTANCE": str(folder), "OVERTURE_LOG_LEVEL": "error"}
    there = bare(empty)
    restored = there("restore", file)
    assert restored.exit_code == 0, restored.output
    assert "Nothing is sent until" in restored.stdout
    assert (folder / "secret_key").read_text() == env["SECRET_KEY"]
    again = there("restore", file)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "The database is not empty." in again.stderr
    found = {line.split()[1]: line for line in there("doctor", "--offline").stdout.splitlines()}
    assert found["restore"].startswith("!!")
    assert there("release", "--yes").stdout.startswith("Released.")
    refused = there("release", "--yes")
    assert (refused.exit_code, refused.stderr) == (2, "Nothing is held here.\n")


def test_a_release_asks_first(command: Command, env: dict[str, str], tmp_path: Path) -> None:
    """Whether the original is stopped; no leaves everything as it was."""
    assert command(*CREATE).exit_code == 0
    file = command("backup").stdout.strip()
    assert command("restore", file, "--replace").exit_code == 0
    asked = CliRunner().invoke(overture, ["release"], input="n\n", env=env)
    assert "Is the original stopped for good?" in asked.output
    assert rows(env, "SELECT released_at FROM restore") == [(None,)]


def test_a_restore_makes_no_secret_key_of_its_own(tmp_path: Path, command: Command) -> None:
    """A refused one leaves an empty folder as it was."""
    assert command(*CREATE).exit_code == 0
    file = command("backup", "--without-secret").stdout.strip()
    folder = tmp_path / "copy"
    empty = {"DATABASE_URL": "", "SECRET_KEY": "", "OVERTURE_INSTANCE": str(folder), "OVERTURE_LOG_LEVEL": "error"}
    refused = bare(empty)("restore", file)
    assert refused.exit_code == 2
    assert "The secret key is not inside this backup" in refused.stderr
    assert not (folder / "secret_key").exists()
    assert not (folder / "overture.db").exists()


def test_a_fresh_process_restores_a_sandbox(command: Command, env: dict[str, str], tmp_path: Path) -> None:
    """With all that the sandbox network knows."""
    assert command(*CREATE, "--sandbox").exit_code == 0
    file = command("backup").stdout.strip()
    folder = tmp_path / "copy"
    there = processes.environment(f"sqlite:///{folder / 'overture.db'}", folder)
    folder.mkdir()
    restored = processes.run(there, "restore", file)
    assert restored.returncode == 0, restored.stderr
    (accounts,) = rows({"DATABASE_URL": there["DATABASE_URL"]}, "SELECT count(*) FROM account")
    assert accounts == (3,)
