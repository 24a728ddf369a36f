"""The templates of pages in tests: compiled once a run, and none may read what nobody gives it."""

from pathlib import Path
from typing import NoReturn

from flask import Flask
from jinja2 import FileSystemBytecodeCache, StrictUndefined, UndefinedError

from tests import databases


def prepare(app: Flask) -> None:
    """Keep compiled templates beside the database that all workers copy, and fail where one lacks a value."""
    app.jinja_env.bytecode_cache = FileSystemBytecodeCache(str(Path(databases.template("sqlite")).parent))
    # In production the page shows nothing there. Here its error is the test's, not a page that says it is sorry.
    app.jinja_env.undefined = StrictUndefined
    app.register_error_handler(UndefinedError, _fail)


def _fail(error: Exception) -> NoReturn:
    raise error
