"""The `overture` command. Scripts rely on its names, options and output.

A command loads what it needs when it runs: to load all of Overture takes seconds, for which `--help` would wait, too.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app import config, create_app
from app.commands import WORKSPACE, Commands, Refusal, application, opened, print_json, ready
from app.core.installation import VERSION
from app.engines import EMBEDDED, QUEUES
from app.reply_commands import letter, replies
from app.sender_commands import account, mailbox

if TYPE_CHECKING:
    from app.models.workspaces import Workspace

UNUSED_SECRET = "A placeholder key that encrypts nothing and is never stored."
PASSPHRASE = click.option(
    "--passphrase-file",
    type=click.File(),
    help="A file whose first line is the passphrase for secrets; - reads stdin.",
)
SHORTEST_PASSPHRASE = 12


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="%(version)s")
def overture() -> None:
    """Self-hosted outreach automation."""


@overture.group()
def db() -> None:
    """Database schema."""


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Migrate the database to the newest schema, or to REVISION."""
    from app.core import migrations

    url = config.load()["DATABASE_URL"]
    before = migrations.current(url)
    migrations.upgrade(url, revision)
    after = migrations.current(url)
    click.echo(f"The database is at revision {after}." + (" No changes were needed." if before == after else ""))


@db.command()
@click.argument("revision")
def downgrade(revision: str) -> None:
    """Downgrade the database to REVISION; `base` removes all tables."""
    from app.core import migrations

    url = config.load()["DATABASE_URL"]
    migrations.downgrade(url, revision)
    click.echo(f"The database is at revision {migrations.current(url) or 'base'}.")


@db.command()
def current() -> None:
    """Print the database's revision."""
    from app.core import migrations

    click.echo(migrations.current(config.load()["DATABASE_URL"]) or "base")


@db.command("copy")
@click.option(
    "--to",
    "target",
    metavar="URL",
    required=True,
    help="The URL of an empty database: sqlite:///… or postgresql://…",
)
def copy_database(target: str) -> None:
    """Copy the whole database into an empty one and compare every row. Stop all other processes first.

    Then set DATABASE_URL to the new database and keep the same SECRET_KEY.
    """
    from app.domain.installation import database_copy

    url = config.with_driver(target)
    if not config.is_database(url):
        raise Refusal("--to must begin with sqlite:/// or postgresql://.")
    with opened():
        rows = database_copy.copy(url, click.echo)
    click.echo(f"{rows} rows were copied and are identical in both databases.")
    click.echo("Now set DATABASE_URL to the new database, with the same SECRET_KEY, and start Overture.")


@overture.group()
def workspace() -> None:
    """Workspaces."""


@workspace.command("create")
@click.option("--name", required=True)
@click.option("--email", required=True, help="The owner's email address, for signing in.")
@click.option("--password", prompt=True, hide_input=True, confirmation_prompt=True, help="If omitted, you are asked.")
@click.option("--sandbox", is_flag=True, help="Create a sandbox, which contacts no real people.")
@click.option("--timezone", default="UTC", show_default=True, help="An IANA name such as Europe/Berlin.")
@click.option("--seed", default=1, show_default=True, help="Seed for the behavior of simulated people.")
def create_workspace(name: str, email: str, password: str, sandbox: bool, timezone: str, seed: int) -> None:
    """Create a workspace with its owner, and print its ids as JSON."""
    from app.domain.workspace import workspaces

    with opened():
        made = workspaces.create(name, email, password, sandbox=sandbox, timezone=timezone, seed=seed)
        print_json({"workspaceId": made.id, **sender_ids(made)})


@workspace.command("list")
def list_workspaces() -> None:
    """Print each workspace's id, name and whether it is a sandbox, as lines of JSON."""
    from app.domain.workspace import workspaces

    with opened():
        for one in workspaces.every():
            print_json({"workspaceId": one.id, "name": one.name, "sandbox": one.sandbox})


@workspace.command("export")
@WORKSPACE
@click.option("--to", "file", type=click.Path(path_type=Path), help="The new file; defaults to workspace-ID.jsonl.gz.")
@PASSPHRASE
def export_workspace(workspace_id: int, file: Path | None, passphrase_file: Any) -> None:
    """Export a workspace to a file, for `overture workspace import`. Without a passphrase, secrets are left out."""
    from app.domain.installation.transfer import workspace_export
    from app.domain.workspace import workspaces

    file = file or Path(f"workspace-{workspace_id}.jsonl.gz")
    with opened():
        chosen = workspaces.get(workspace_id)
        done = workspace_export.export(chosen, file, passphrase_of(passphrase_file))
        click.echo(f"{chosen.name}: exported {done.rows} rows to {file}.")
    print_to_connect(done.connect)


@workspace.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@PASSPHRASE
@click.option("--unconfirmed", is_flag=True, help="Also match members to users with an unconfirmed email address.")
@click.option("--with-billing", is_flag=True, help="Also import the plan and the credits.")
def import_workspace(file: Path, passphrase_file: Any, unconfirmed: bool, with_billing: bool) -> None:
    """Add the workspace in FILE to this server, with its campaigns paused, and print its id as JSON."""
    from app.domain.billing import credits
    from app.domain.installation.transfer import workspace_import

    with opened():
        words = passphrase_of(passphrase_file)
        done = workspace_import.take_in(file, words, unconfirmed=unconfirmed, with_billing=with_billing)
        click.echo(
            f"{done.workspace.name}: {done.rows} rows were imported. Nothing is sent until you resume campaigns."
        )
        click.echo(f"Plan: {done.workspace.plan}, {credits.balance(done.workspace).posted:,} credits.")
        if not with_billing:
            click.echo(f"In the file: {done.plan}, {done.credits:,} credits. Add --with-billing to import both.")
        print_to_connect(done.connect)
        for address in done.new_users:
            click.echo(f"New user: {address}. To choose a password, this user clicks “Forgot password”.")
        if done.forgotten:
            click.echo(
                f"{done.forgotten} do-not-contact entries of erased people no longer work: SECRET_KEY differs here."
            )
        print_json({"workspaceId": done.workspace.id})


def passphrase_of(file: Any) -> str:
    """Return the passphrase on the file's first line; '' without a file."""
    words = file.readline().rstrip("\r\n") if file else ""
    if file and len(words) < SHORTEST_PASSPHRASE:
        raise Refusal(f"The passphrase needs at least {SHORTEST_PASSPHRASE} characters on the file's first line.")
    return words


def print_to_connect(things: list[str]) -> None:
    """Print what has no secret in the file."""
    if things:
        click.echo("The file doesn't include the secrets of these connections. Reconnect them after the import:")
    for thing in things:
        click.echo(f"  {thing}")


def sender_ids(of: "Workspace") -> dict[str, list[int]]:
    """Return the ids of its senders, as the API names them."""
    from app.domain.senders import accounts
    from app.models.accounts import Channel

    senders = accounts.every(of)
    return {
        "accountIds": [each.id for each in senders if each.channel == Channel.SOCIAL],
        "mailboxIds": [each.id for each in senders if each.channel == Channel.EMAIL],
    }


@overture.command("backup")
@click.option("--to", type=click.Path(file_okay=False, path_type=Path), help="Defaults to OVERTURE_BACKUP_FOLDER.")
@click.option("--without-secret", is_flag=True, help="Leave the secret key out of the backup; keep a copy elsewhere.")
def backup_command(to: Path | None, without_secret: bool) -> None:
    """Back up the whole database while it is in use, and print the file's path."""
    from app.domain.installation import backup

    with opened():
        click.echo(backup.make(backup.plan(), to, with_secret=not without_secret))


@overture.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Delete all current data first.")
@click.option("--without-secret", is_flag=True, help="Restore without the secret key; enter passwords and keys again.")
@click.option(
    "--erasures",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A list of erased people (erasures_…) from another instance folder.",
)
def restore_command(file: Path, replace: bool, without_secret: bool, erasures: Path | None) -> None:
    """Restore a backup into an empty database; it sends nothing until `overture release`."""
    from app.domain.installation import backup_archive, restore
    from app.domain.privacy import erased_again

    present = config.secret_in_place()
    # Of the application only tables and settings are used: it must not make a secret key before the backup's is there.
    settings = create_app(web=False, SECRET_KEY=present or UNUSED_SECRET).config
    instance = Path(settings["OVERTURE_INSTANCE"]).absolute()
    target = restore.Target(settings["DATABASE_URL"], instance, present)
    made = restore.restore(file, target, replace=replace, without_secret=without_secret)
    click.echo(f"Restored the backup of {made.moment:%Y-%m-%d %H:%M} UTC with {sum(made.rows.values())} rows.")
    if (instance / backup_archive.OLDER).exists():
        click.echo(f"Set OVERTURE_OLD_SECRET_KEYS_FILE to {instance / backup_archive.OLDER}.")
    with opened():
        if again := erased_again.apply(erasures):
            click.echo(f"People erased since the backup were erased again: {again}.")
    click.echo("Nothing is sent until you stop the original server for good and run `overture release`.")


@overture.command()
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
def release(yes: bool) -> None:
    """Let a restored server send again once it has read all inboxes."""
    from app.domain.platform import restore_hold
    from app.domain.privacy import erased_again

    with opened():
        erased_again.apply()  # a restore may have ended before it came to that
        known = restore_hold.copy()
        if known is None or not known.held:
            raise Refusal("Sending is not on hold on this server.")
        if not yes:
            click.confirm(f"{restore_hold.sentence(known)} Is the original server stopped for good?", abort=True)
        if start := restore_hold.release("overture release"):
            click.echo(f"Released. Inboxes are being read now; people will be contacted from {start:%H:%M} UTC.")


@overture.group()
def user() -> None:
    """Users."""


@user.command("reset-password")
@click.option("--email", required=True, help="The user's email address.")
def reset_password(email: str) -> None:
    """Print a password reset link, which works once and expires after an hour."""
    from app.domain.workspace import passwords

    with opened() as app:
        click.echo(f"{app.config['BASE_URL'].rstrip('/')}/reset/{passwords.link_for(email)}")


@user.command("sign-out")
@click.option("--email", required=True, help="The user's email address.")
def sign_out(email: str) -> None:
    """Sign a user out on all devices."""
    from app.domain.workspace import sessions, workspaces

    with opened():
        found = workspaces.user_of(email)
        sessions.sign_out(found)
        click.echo(f"{found.email} is signed out on all devices.")


@user.command("reset-two-factor")
@click.option("--email", required=True, help="The user's email address.")
def reset_two_factor(email: str) -> None:
    """Let a user who has lost their phone sign in with only their password."""
    from app.domain.workspace import two_factor

    with opened():
        click.echo(f"{two_factor.forget_for(email).email} now signs in with only their password.")


@user.command("admin")
@click.argument("email")
@click.option("--revoke", is_flag=True, help="Revoke the admin rights, and mark the email address as not confirmed.")
def make_admin(email: str, revoke: bool) -> None:
    """Make the user with this email address a server admin."""
    from app.domain.workspace import server_admins, workspaces

    with opened():
        found = workspaces.user_of(email)
        (server_admins.dismiss if revoke else server_admins.appoint)(found)
        places = ", ".join(f"{role} of {workspace.name}" for workspace, role in workspaces.of_user(found))
        click.echo(f"{found.name or found.email} ({places}) is {'no longer' if revoke else 'now'} a server admin.")


@overture.group()
def key() -> None:
    """API keys."""


@key.command("create")
@WORKSPACE
@click.option("--name", required=True)
@click.option("--scopes", required=True, help="`all`, or scopes such as lists:write,campaigns:read.")
@click.option("--without-approval", is_flag=True, help="AI assistants may contact people without a member's approval.")
def create_key(workspace_id: int, name: str, scopes: str, without_approval: bool) -> None:
    """Create an API key and print it once, on the last line."""
    from app.domain.workspace import api_keys, workspaces

    with opened():
        chosen = workspaces.get(workspace_id)
        made, secret = api_keys.create(chosen, name, scopes, without_approval=without_approval)
        click.echo(f"Key {made.id} ({', '.join(made.scopes)}). The key is shown only once:", err=True)
        click.echo(secret)


@overture.group()
def model() -> None:
    """The AI model that writes for all workspaces."""


@model.command("setup")
@click.option("--url", default="", help="An OpenAI-compatible service, such as http://127.0.0.1:11434 for Ollama.")
@click.option(
    "--key", default="", envvar="OVERTURE_MODEL_KEY", help="The API key; preferably set OVERTURE_MODEL_KEY instead."
)
@click.option("--name", default="", help="The model's name; not needed if the service has only one.")
@click.option("--forget", is_flag=True, help="Remove the AI model; use the built-in writer.")
def setup_model(url: str, key: str, name: str, forget: bool) -> None:
    """Test an AI model and use it for writing, as under Settings → Writer."""
    from app import ports
    from app.core.db import end_read
    from app.domain.platform import model_choice
    from app.ports import ProviderError
    from app.ports.models import WRITER

    with opened():
        if forget:
            click.echo("Forgotten." if model_choice.remove() else "No model was chosen.")
            return
        model_choice.refuse_if_fixed()
        server, chosen = model_choice.named_at(url, key, name)
        click.echo(f"{server.kind} at {server.url}: testing {chosen}. Loading the model may take a few minutes.")
        end_read()
        try:
            found = ports.models().probe(server.url, key, chosen)
        except ProviderError as failure:
            raise Refusal(failure.sentence) from None
        model_choice.keep(server, chosen, key, found)
        used = "messages, pitches and details" if found.mode == WRITER else "pitches and details, but not messages"
        click.echo(f"The model is used for {used}. {found.why}")


@overture.group("credits")
def credits_group() -> None:
    """Credits."""


@credits_group.command("grant")
@WORKSPACE
@click.option("--amount", type=click.IntRange(1, 1_000_000_000), required=True)
@click.option("--ref", required=True, help="A name for this grant; each name works once.")
@click.option("--note", default="Granted by the server admin", show_default=True)
def grant_credits(workspace_id: int, amount: int, ref: str, note: str) -> None:
    """Add credits to a workspace, and print its balance as JSON."""
    from app.domain.billing import credits
    from app.domain.workspace import workspaces

    with opened():
        chosen = workspaces.get(workspace_id)
        given = credits.grant(chosen, amount, ref=f"operator:{ref}", note=note)
        print_json({"given": given, "available": credits.balance(chosen).free})


for part in (account, letter, mailbox, replies):
    overture.add_command(part)


@overture.command("serve")
@click.option("--port", type=int, help="Override PORT.")
@click.option("--host", help="Override OVERTURE_HOST.")
def serve_command(port: int | None, host: str | None) -> None:
    """Run the web server and campaigns in one process."""
    chosen = {"PORT": port, "OVERTURE_HOST": host}
    with ready(web=True, **{name: value for name, value in chosen.items() if value is not None}) as app:
        from app import serve

        serve.serve(app)


@overture.command()
@click.option(
    "--queues", default=",".join(QUEUES), show_default=True, help="For the procrastinate engine: queues to work on."
)
@click.option(
    "--concurrency", default=32, show_default=True, help="For the procrastinate engine: units to run at once."
)
def worker(queues: str, concurrency: int) -> None:
    """Run campaigns and deliver webhooks, without the web server."""
    chosen = tuple(name.strip() for name in queues.split(",") if name.strip())
    if unknown := sorted({*chosen} - {*QUEUES}) or not chosen:
        raise Refusal(f"Unknown queue {unknown}. Use {', '.join(QUEUES)}." if chosen else "Name at least one queue.")
    with ready(web=True) as app:
        if app.config["OVERTURE_ENGINE"] == EMBEDDED and set(chosen) != {*QUEUES}:
            raise Refusal("Only OVERTURE_ENGINE=procrastinate can split the work by queues.")
        from app import serve

        serve.work(app, chosen, concurrency)


@overture.command("mcp")
@click.option("--key", default="", help="An API key of the workspace; preferably set OVERTURE_API_KEY instead.")
def mcp_command(key: str) -> None:
    """Serve the Model Context Protocol on standard input and output, for an AI assistant on this machine."""
    from app.mcp import stdio

    with ready(web=True) as app:
        stdio.serve(app, key or app.config["OVERTURE_API_KEY"])


@overture.command()
def tick() -> None:
    """Do everything that is due, once."""
    from app.engines import once

    with ready() as app:
        for name, did in once.run_everything(app):
            click.echo(f"{name}: {did}")


@overture.group()
def secrets() -> None:
    """Encrypted secrets."""


@secrets.command()
def rotate() -> None:
    """Re-encrypt all secrets with the current SECRET_KEY; safe to repeat or interrupt."""
    from app.domain.platform import secret_rotation

    shut = 0
    with opened():
        for each in secret_rotation.rotate():
            click.echo(
                f"{each.column}: {each.anew} re-encrypted" + (f", {each.shut} cannot be decrypted" if each.shut else "")
            )
            shut += each.shut
        late = sum(older for _, older, _ in secret_rotation.status()) - shut
    if shut:
        raise Refusal(
            f"{shut} values can't be decrypted with any key. Add the missing keys to OVERTURE_OLD_SECRET_KEYS"
            f" and run this again."
        )
    if late > 0:
        raise Refusal(
            f"{late} values were encrypted with an older key during the run. Restart all processes, then run"
            f" this again."
        )
    click.echo("All values are encrypted with SECRET_KEY. You can clear OVERTURE_OLD_SECRET_KEYS.")


@overture.group("sandbox")
def sandbox_group() -> None:
    """Sandbox."""


@sandbox_group.command()
@WORKSPACE
@click.option("--hours", type=click.FloatRange(min=0, max=24 * 366), required=True)
def advance(workspace_id: int, hours: float) -> None:
    """Fast-forward a sandbox workspace and do everything that falls due."""
    from app.domain.installation.sandbox import sandbox_clock
    from app.domain.workspace import workspaces

    with opened():
        chosen = workspaces.get(workspace_id)
        sandbox_clock.advance(chosen, hours)
        print_json({"workspaceId": chosen.id, "now": workspaces.get(workspace_id).now().isoformat(timespec="seconds")})


@overture.command("demo")
@click.option("--password", help="The demo user's password; required if other machines can reach this server.")
def demo_command(password: str | None) -> None:
    """Fill a sandbox workspace with people and a running campaign; safe to repeat."""
    from app.domain.installation.sandbox import demo

    with opened() as app:
        if password is None and not config.is_local(app.config["BASE_URL"]):
            raise Refusal("Other machines can reach this server. Choose a password with --password.")
        made = demo.fill(password or demo.PASSWORD)
        known = f"“{demo.PASSWORD}”, unless you changed it" if password is None else "the one you chose"
        click.echo(f"Sign in at {app.config['BASE_URL']} as {demo.EMAIL}. The password is {known}.")
        click.echo("No real person is contacted: this is a sandbox workspace.")
        print_json({"workspaceId": made.id, **sender_ids(made)})


@overture.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--mend", "--repair", is_flag=True, help="Fix what is safe to fix: counters, indexes and file modes.")
@click.option("--offline", is_flag=True, help="Don't connect to services and senders; check their last known state.")
def doctor_command(as_json: bool, mend: bool, offline: bool) -> None:
    """Check the server's health; the exit status is 1 if a check fails."""
    from app.domain.installation import doctor

    with application() as app, app.app_context():
        instance = Path(app.config["OVERTURE_INSTANCE"])
        for done in doctor.mend(instance) if mend else ():
            click.echo(f"Fixed: {done}", err=True)
        findings = []
        for finding in doctor.examine(instance, ask=not offline):
            findings.append(finding)
            if not as_json:  # at once: on a large database a check takes seconds
                mark = "ok" if finding.well else "!!"
                click.echo(f"{mark}  {finding.check:<11}{finding.sentence} {finding.remedy}".rstrip())
    if as_json:
        print_json([finding.shown() for finding in findings])
    sys.exit(0 if all(finding.well for finding in findings) else 1)


def main() -> None:
    """Run the `overture` script."""
    overture(prog_name="overture")
