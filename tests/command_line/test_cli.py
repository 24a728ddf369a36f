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
    def run(*arguments: object) -> Result:
        return CliRunner().invoke(overture, [str(argument) for argument in arguments], env=env)

    return run


def here(command: Command) -> int:
    first: int = json.loads(command("workspace", "list").stdout.splitlines()[0])["workspaceId"]
    return first


def rows(env: dict[str, str], query: str) -> list[tuple[object, ...]]:
    engine = sa.create_engine(env["DATABASE_URL"], poolclass=sa.NullPool)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text(query))]


def test_a_command_leaves_no_connection_open(command: Command) -> None:
    opened: list[object] = []
    on = (sa.pool.Pool, "connect", lambda connection, _: opened.append(connection))
    off = (sa.pool.Pool, "close", lambda connection, _: opened.remove(connection))
    for known in (on, off):
        sa.event.listen(*known)
    refused = ["credits", "grant", "--workspace", "9", "--amount", "1", "--ref", "r"]
    left = {arguments[0]: (command(*arguments), [*opened])[1] for arguments in (CREATE, ["tick"], ["doctor"], refused)}
    for known in (on, off):
        sa.event.remove(*known)
    assert [*left.values()] == [[]] * 4


def test_a_created_sandbox_workspace_prints_its_ids(command: Command, env: dict[str, str]) -> None:
    """One line of JSON with all ids that a script needs; it has the time zone and the seed that were asked for.

    Its clock is moved, and that of no other; credits are given once for a name, so that a script can be repeated.
    """
    made = command(*CREATE, "--sandbox", "--timezone", "Asia/Tokyo", "--seed", 7)
    assert made.exit_code == 0, made.output
    (line,) = made.stdout.splitlines()
    ids = json.loads(line)
    assert (len(ids.pop("accountIds")), len(ids.pop("mailboxIds"))) == (2, 1)
    listed = command("workspace", "list")
    assert json.loads(listed.stdout) == {**ids, "name": "Acme", "sandbox": True}
    assert rows(env, "SELECT timezone, sandbox_seed, sandbox FROM workspace") == [("Asia/Tokyo", 7, 1)]
    give = ("credits", "grant", "--workspace", ids["workspaceId"], "--ref", "march", "--amount")
    given = [json.loads(command(*give, 50).stdout) for _ in range(2)]
    assert given == [{"given": True, "available": 1050}, {"given": False, "available": 1050}]
    assert command(*give, 0).exit_code == 2
    moved = command("sandbox", "advance", "--workspace", ids["workspaceId"], "--hours", 36)
    assert moved.exit_code == 0, moved.output
    assert set(json.loads(moved.stdout)) == {"workspaceId", "now"}
    ((offset,),) = rows(env, "SELECT clock_offset FROM workspace WHERE id = 1")
    assert 36 * 3600 <= offset <= 36 * 3600 + 60
    real = json.loads(command(*CREATE).stdout)["workspaceId"]
    refused = command("sandbox", "advance", "--workspace", real, "--hours", 1)
    assert refused.exit_code == 2
    assert "sandbox" in refused.stderr


def test_all_problems_of_a_workspace_are_named_at_once(command: Command, env: dict[str, str]) -> None:
    """On standard error, with status 2 and nothing made; a stranger cannot take an address that is in use."""
    refused = command(*CREATE[:-1], "short", "--timezone", "Mars")
    assert (refused.exit_code, refused.stdout, len(refused.stderr.splitlines())) == (2, "", 1)
    assert "password: " in refused.stderr
    assert "timezone: " in refused.stderr
    assert command(*CREATE).exit_code == 0
    assert command(*CREATE[:-1], "another long password").exit_code == 2
    assert command(*CREATE).exit_code == 0
    assert rows(env, "SELECT count(*) FROM workspace") == [(2,)]


def test_the_database_moves_to_a_revision_and_back(command: Command, env: dict[str, str], tmp_path: Path) -> None:
    newest = migrations.newest()
    assert bare(env | {"DATABASE_URL": f"sqlite:///{tmp_path / 'new.db'}"})("db", "current").stdout == "base\n"
    assert "No changes were needed" in command("db", "upgrade").stdout
    assert command("db", "current").stdout == f"{newest}\n"
    former = f"{int(newest) - 1:04}"
    assert command("db", "downgrade", former).stdout == f"The database is at revision {former}.\n"
    assert command("db", "upgrade").stdout == f"The database is at revision {newest}.\n"


def test_without_a_schema_every_command_says_what_to_run(env: dict[str, str]) -> None:
    """Nothing is tried; a database that cannot be reached is a sentence that names what to check."""
    for arguments in (CREATE, ["tick"], ["worker"]):
        refused = bare(env)(*arguments)
        assert refused.exit_code == 2
        assert "overture db upgrade" in refused.stderr
    answer = bare(env)("doctor")
    assert answer.exit_code == 1
    assert "overture db upgrade" in answer.stdout
    refused = bare({**env, "DATABASE_URL": "sqlite:////nowhere/at/all.db"})("tick")
    assert refused.exit_code == 2
    assert "DATABASE_URL" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_an_unsafe_setting_is_a_sentence_and_status_2(env: dict[str, str]) -> None:
    refused = processes.run({**processes.environment("", Path(env["OVERTURE_INSTANCE"])), "SECRET_KEY": "x"}, "tick")
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        "SECRET_KEY is too easy to guess. Use at least 32 random characters, or leave it empty."
    ]


def test_a_key_stands_alone_on_the_last_line(command: Command, env: dict[str, str]) -> None:
    """What is told besides goes to standard error; an unknown scope or workspace is refused."""
    command(*CREATE)
    key_for = ("key", "create", "--name", "Script", "--workspace")
    made = command(*key_for, here(command), "--scopes", "lists:write,campaigns:read")
    assert made.exit_code == 0, made.output
    (key,) = made.stdout.splitlines()
    assert key.startswith("ovt_")
    assert "campaigns:read" in made.stderr
    assert key not in made.stderr
    assert command(*key_for, here(command), "--scopes", "all").exit_code == 0
    for workspace, scopes, said in (
        (here(command), "lists:read,lists:fly", "scopes"),
        (9, "all", "Workspace not foun"),
    ):
        refused = command(*key_for, workspace, "--scopes", scopes)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert said in refused.stderr
    assert rows(env, "SELECT count(*) FROM api_key") == [(2,)]


def test_senders_are_connected_and_named_by_their_ids(command: Command, env: dict[str, str]) -> None:
    """The workspace's time zone is theirs, unless another is given."""
    command(*CREATE, "--sandbox", "--timezone", "Europe/Berlin")
    own = ("connect", "--workspace", here(command))
    social = command("account", *own, "--name", "Ada Lovelace", "--timezone", "Asia/Tokyo")
    post = command("mailbox", *own, "--address", "ada@sandbox.example")
    assert (json.loads(social.stdout), json.loads(post.stdout)) == ({"accountId": 4}, {"mailboxId": 5})
    assert rows(env, "SELECT timezone FROM account WHERE id > 3") == [("Asia/Tokyo",), ("Europe/Berlin",)]
    again = command("mailbox", *own, "--address", "ada@sandbox.example")
    assert again.exit_code == 2
    assert "already connected" in again.stderr


def test_a_tick_names_everything_it_looked_at_and_the_doctor_finds_nothing_wrong(command: Command) -> None:
    """Exit status 0, one line for each unit and check."""
    assert command("tick").stdout.splitlines() == [f"{each.name}: 0" for each in (*UNITS, *UPKEEP)]
    command(*CREATE, "--sandbox")
    answer = command("doctor")
    assert answer.exit_code == 0, answer.output
    assert all(line.startswith("ok ") for line in answer.stdout.splitlines())


def test_the_doctor_says_what_is_wrong_and_puts_right_wrong_counts(command: Command, env: dict[str, str]) -> None:
    """`--json` for scripts, `--mend` for people."""
    command(*CREATE)
    engine = sa.create_engine(env["DATABASE_URL"], poolclass=sa.NullPool)
    with engine.begin() as connection:
        columns, values = (
            "workspace_id, name, type, lead_count, created_at",
            "1, 'Wrong', 'people', 5, '2026-01-01 00:00:00.0'",
        )
        connection.execute(sa.text(f"INSERT INTO lead_list ({columns}) VALUES ({values})"))
    answer = command("doctor", "--json")
    assert answer.exit_code == 1
    (wrong,) = [finding for finding in json.loads(answer.stdout) if not finding["well"]]
    assert wrong["check"] == "lists"
    assert "lead_count = 5" in wrong["sentence"]
    assert "--mend" in wrong["remedy"]
    repaired = command("doctor", "--mend")
    assert repaired.exit_code == 0, repaired.output
    assert rows(env, "SELECT lead_count FROM lead_list") == [(0,)]


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
    assert lost.stdout == "ada@acme.example now signs in with only their password.\n"
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
    assert refused.stderr.startswith("OVERTURE_OPERATORS doesn't list rob@rival.example. Add the address")


def test_a_backup_is_restored_held_and_released(command: Command, env: dict[str, str], tmp_path: Path) -> None:
    """By a fresh process, into a place without anything, whose secret key comes back; refused, it leaves nothing."""
    assert command(*CREATE, "--sandbox").exit_code == 0
    folder = tmp_path / "copy"
    empty = {"DATABASE_URL": "", "SECRET_KEY": "", "OVERTURE_INSTANCE": str(folder), "OVERTURE_LOG_LEVEL": "error"}
    there = bare(empty)
    refused = there("restore", command("backup", "--without-secret").stdout.strip())
    assert refused.exit_code == 2
    assert "The backup has no secret key" in refused.stderr
    assert not (folder / "secret_key").exists()
    assert not (folder / "overture.db").exists()
    made = command("backup", "--to", tmp_path / "elsewhere")
    assert made.exit_code == 0, made.output
    (file,) = (tmp_path / "elsewhere").glob("*.zip")
    assert made.stdout.splitlines() == [str(file)]
    restored = processes.run(processes.environment("", folder) | empty, "restore", str(file))
    assert restored.returncode == 0, restored.stderr
    assert "Nothing is sent until" in restored.stdout
    assert (folder / "secret_key").read_text() == env["SECRET_KEY"]
    assert rows({"DATABASE_URL": f"sqlite:///{folder / 'overture.db'}"}, "SELECT count(*) FROM account") == [(3,)]
    again = there("restore", file)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "The database is not empty." in again.stderr
    found = {line.split()[1]: line for line in there("doctor", "--offline").stdout.splitlines()}
    assert found["restore"].startswith("!!")
    assert there("release", "--yes").stdout.startswith("Released.")
    refused = there("release", "--yes")
    assert (refused.exit_code, refused.stderr) == (2, "Sending is not on hold on this server.\n")


def test_a_release_asks_first(command: Command, env: dict[str, str], tmp_path: Path) -> None:
    """Whether the original is stopped; no leaves everything as it was."""
    assert command(*CREATE).exit_code == 0
    file = command("backup").stdout.strip()
    assert command("restore", file, "--replace").exit_code == 0
    asked = CliRunner().invoke(overture, ["release"], input="n\n", env=env)
    assert "Is the original server stopped for good?" in asked.output
    assert rows(env, "SELECT released_at FROM restore") == [(None,)]


def test_a_letter_is_shown_stage_by_stage(command: Command, tmp_path: Path) -> None:
    """Who wrote it, their own words, what they quote, what it is and why."""
    file = tmp_path / "letter.eml"
    words = "Stop emailing me.\n\nBest regards\nAda\n\n> Dear Ada"
    file.write_text(
        f"From: Ada <ada@people.example>\nSubject: Re: Hi\nDate: Mon, 2 Mar 2026 09:00:00 +0000\n\n{words}\n"
    )
    told = command("letter", file).stdout.splitlines()
    stages = {line[:12].strip(): line[12:] for line in told if line[:1].strip()}
    assert stages["from:"] == "ada@people.example"
    assert stages["own words:"] == stages["because:"] == "Stop emailing me."
    assert stages["quoted:"] == "> Dear Ada"
    assert stages["is:"] == "stop (negative)"
    file.write_text(
        "From: MAILER-DAEMON@mx.example\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; a@b.example\n"
        "Action: failed\nStatus: 4.2.2\nDiagnostic-Code: smtp; 452 mailbox full\n\n--b--\n"
    )
    assert "(the address may still work)" in command("letter", file).stdout
