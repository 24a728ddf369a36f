"""Static files under content-hashed paths, so that browsers may cache them forever."""

import hashlib
import re
from functools import cache
from pathlib import Path

from flask import Blueprint, Flask, Response, current_app, g, redirect, send_from_directory
from werkzeug.wrappers import Response as AnyResponse

area = Blueprint("assets", __name__)
STYLES = "css/all.css"  # every sheet of the folder in one answer
FIRST = ("tokens", "base", "pages")  # tokens.css names the layers; pages.css is what the sheets of single pages change
A_YEAR = 31_536_000
_UNSENT = re.compile(r"/\*.*?\*/|^\s+", re.DOTALL | re.MULTILINE)  # for those who change the sheets


@area.get("/static/<version>/<path:name>")
def file(version: str, name: str) -> Response:
    """Serve the file; cached for a year under its current version, revalidated under an old one."""
    folder = _folder(current_app)
    response = send_from_directory(folder, name, max_age=A_YEAR) if name != STYLES else _styles(folder)
    if version == _version(folder):
        response.headers["Cache-Control"] = f"public, max-age={A_YEAR}, immutable"
    else:
        response.headers["Cache-Control"] = "public, no-cache"
    return response


@area.get("/favicon.ico")
def icon() -> AnyResponse:
    """Serve the icon at the browsers' default path; the page of a 404 would use up the waiting messages."""
    return redirect(asset("favicon.svg"), 302)


def asset(name: str) -> str:
    """Return a static file's address; it changes with any file, so relative addresses in files stay valid."""
    folder = _folder(current_app)
    if current_app.config["OVERTURE_DEVELOPMENT"] and "assets_read" not in g:  # once for all addresses of a page
        _version.cache_clear()
        g.assets_read = True
    return f"/static/{_version(folder)}/{name}"


def _folder(app: Flask) -> Path:
    return Path(str(app.static_folder))


def _styles(folder: Path) -> Response:
    sheets = sorted((folder / "css").rglob("*.css"), key=_place)
    return Response(_UNSENT.sub("", "".join(sheet.read_text() for sheet in sheets)), mimetype="text/css")


def _place(sheet: Path) -> tuple[int, str]:
    return (FIRST.index(sheet.stem) if sheet.stem in FIRST else len(FIRST), str(sheet))


@cache
def _version(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
