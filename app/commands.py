"""Shared by all `overture` commands: they open the application here, and print errors as one sentence."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from app import config, create_app
from app.core.actor import SYSTEM, actor
from app.core.errors import AppError

if TYPE_CHECKING:
    from flask import Flask

WORKSPACE = click.option("--workspace", "workspace_id", type=int, required=True, help="The workspace's id.")


class Refusal(click.ClickException):
    """Write one sentence to standard error and exit with status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(self.format_message(), err=True)


class Commands(click.Group):
    """Commands whose errors are one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except AppError as refusal:
            fields = " ".join(f"{field.path}: {field.message}" for field in refusal.fields)
            raise Refusal(f"{refusal.message} {fields or refusal.recovery}") from refusal
        except config.UnsafeSetting as unsafe:
            raise Refusal(str(unsafe)) from unsafe
        except _unreachable() as problem:
            cause = str(getattr(problem, "orig", None) or problem).strip().splitlines()[0]
            raise Refusal(f"The database is not reachable: {cause} Check DATABASE_URL.") from problem


def _unreachable() -> tuple[type[Exception], ...]:
    """Return the errors of a database that does not answer; asked for only when there is an error."""
    from sqlalchemy.exc import InterfaceError, OperationalError

    return InterfaceError, OperationalError


@contextmanager
def application(*, web: bool = False, **settings: Any) -> Iterator["Flask"]:
    """Create the application, and close its connections at the end."""
    from app.core.db import disconnect

    gc.disable()  # imports create no garbage worth collecting, and looking for it takes a fifth of the start
    try:
        app = create_app(web=web, **settings)
    finally:
        gc.freeze()
        gc.enable()
    try:
        yield app
    finally:
        with app.app_context():
            disconnect()


@contextmanager
def ready(*, web: bool = False, **settings: Any) -> Iterator["Flask"]:
    """Create the application, or fail if the database schema is not up to date."""
    from app.core import migrations

    with application(web=web, **settings) as app:
        with app.app_context():
            if not migrations.is_newest():
                raise Refusal("The database schema is not up to date. Run `overture db upgrade` first.")
        yield app


@contextmanager
def opened() -> Iterator["Flask"]:
    """Enter the application's context."""
    with ready() as app:
        actor.set(SYSTEM)
        with app.app_context():
            yield app


def print_json(value: Any) -> None:
    """Print one line."""
    click.echo(json.dumps(value, ensure_ascii=False))
