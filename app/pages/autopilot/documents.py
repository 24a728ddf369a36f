"""The autopilot's documents: read, edit as headings and text (or as Markdown), compare and restore them."""

from dataclasses import dataclass

import nh3
from flask import Blueprint, Response, request
from markdown_it import MarkdownIt
from markupsafe import Markup

from app.core import text
from app.core.errors import InvalidRequest, NotFound
from app.domain.autopilot import document_sections, documents, setup
from app.domain.autopilot.document_sections import ADDED_LEVEL, Section
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import redirect_to_path, render, show_toast
from app.pages.framework.forms import Form, Numbers, Text, Texts

area = Blueprint("documents", __name__)
EDITOR = "documents/_editor.html"
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {"p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "hr", "br"}


@dataclass(frozen=True)
class Kind:
    title: str
    about: str


KINDS = {
    "icp": Kind("Ideal customer", "Who to reach and who to avoid. Used for plays and searches."),
    "style": Kind("Writing style", "Length, tone, words to avoid. Used for every message."),
}


def as_html(markdown: str) -> Markup:
    """Return Markdown as safe HTML, its headings one level below the page's own."""
    tokens = _MARKDOWN.parse(markdown)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
    return Markup(nh3.clean(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}), tags=_TAGS, attributes={}))  # nosec B704


def _known(kind: str) -> Kind:
    if kind not in KINDS:
        raise NotFound("Document not found.")
    return KINDS[kind]


class DocumentForm(Form):
    """The sections, or the whole as Markdown, and the version it was based on."""

    do = Text()
    markdown = Text(default=None)
    level = Numbers()
    heading = Texts()
    text = Texts()
    base = Text()

    @property
    def sections(self) -> list[Section]:
        """Return the sections as they stand on the page."""
        given = zip(self.level.data, self.heading.data, self.text.data, strict=False)
        return [Section(level, heading, text) for level, heading, text in given]

    def written(self, newest: str) -> str:
        """Return the document; one whose sections are unchanged keeps the form it was written in."""
        if self.markdown.data is not None:
            return self.markdown.data.replace("\r\n", "\n")
        found = document_sections.join(self.sections)
        return newest if document_sections.split(found) == document_sections.split(newest) else found


@area.get("/documents")
def index(workspace: Workspace) -> Response:
    newest = {found.kind: found for found in documents.every(workspace)}
    rules = setup.view(workspace).setup.rules
    return render("documents/index.html", kinds=KINDS, newest=newest, rules=rules)


@area.post("/documents/rules")
def rules(workspace: Workspace) -> Response:
    """Save the rules for all new texts, one a line."""
    given = [line.strip() for line in request.form.get("rules", "").splitlines() if line.strip()]
    try:
        setup.set_rules(workspace, given)
        show_toast("Rules saved. They apply to all new messages.")
    except InvalidRequest as refusal:
        show_toast(refusal.fields[0].message, "danger")
    return redirect_to_path("/documents")


@area.get("/documents/<kind>")
def show(workspace: Workspace, kind: str) -> Response:
    _known(kind)
    newest = documents.find(workspace, kind)
    return _show(workspace, kind, newest.markdown if newest else "", raw=request.args.get("as") == "markdown")


def _show(
    workspace: Workspace,
    kind: str,
    text: str,
    *,
    raw: bool,
    sections: list[Section] | None = None,
    part: str = "documents/_preview.html",
    error: str = "",
    newer: bool = False,
    status: int = 200,
) -> Response:
    return render(
        "documents/show.html",
        part=part,
        status=status,
        kind=kind,
        about=KINDS[kind],
        newest=documents.find(workspace, kind),
        text=text,
        raw=raw,
        sections=sections or document_sections.split(text) or [Section(1, "", "")],
        html=as_html(text),
        error=error,
        newer=newer,
    )


@area.post("/documents/<kind>")
def save(workspace: Workspace, kind: str) -> Response:
    """Save a new version of the document; show both if another user saved a newer one meanwhile."""
    _known(kind)
    newest = documents.find(workspace, kind)
    form = DocumentForm.posted()
    text, raw = form.written(newest.markdown if newest else ""), form.markdown.data is not None
    do, _, place = form.do.data.partition("-")
    if do == "preview":
        return _show(workspace, kind, text, raw=raw, sections=form.sections)
    if do in ("add", "remove"):
        return _show(workspace, kind, text, raw=raw, sections=_changed(form.sections, do, place), part=EDITOR)
    if newest and form.base.data != str(newest.version) and newest.markdown != text:
        return _show(workspace, kind, text, raw=raw, newer=True, status=409)
    try:
        saved = documents.save(workspace, kind, text)
    except InvalidRequest as refusal:
        return _show(workspace, kind, text, raw=raw, error=refusal.fields[0].message, status=422)
    show_toast(f"Saved as version {saved.version}. Used for new messages.")
    return redirect_to_path(f"/documents/{kind}{'?as=markdown' if raw else ''}")


def _changed(sections: list[Section], do: str, place: str) -> list[Section]:
    """Return the sections with an empty one at the end, or without the one at that place."""
    if do == "add":
        return [*sections, Section(ADDED_LEVEL, "", "")]
    gone = text.number(place, -1)
    return [one for number, one in enumerate(sections) if number != gone] or [Section(1, "", "")]


@area.get("/documents/<kind>/versions")
def versions(workspace: Workspace, kind: str) -> Response:
    """Show all versions, and the differences between two of them."""
    _known(kind)
    every = documents.history(workspace, kind)
    numbers = [one.version for one in every]
    new, old = _number("to", numbers, 0), _number("from", numbers, 1)
    pieces = documents.difference(workspace, kind, old, new) if old and new and old != new else []
    return render(
        "documents/versions.html",
        kind=kind,
        about=KINDS[kind],
        versions=every,
        old=old,
        new=new,
        pieces=pieces,
        added=sum(piece.side == "new" for piece in pieces),
        removed=sum(piece.side == "old" for piece in pieces),
    )


def _number(name: str, numbers: list[int], otherwise: int) -> int:
    """Return the requested version, or one of the newest."""
    given = text.number(request.args.get(name, ""))
    if given in numbers:
        return given
    return numbers[min(otherwise, len(numbers) - 1)] if numbers else 0


@area.post("/documents/<kind>/versions/<int:version>/restore")
def restore(workspace: Workspace, kind: str, version: int) -> Response:
    """Save an old version as the newest."""
    _known(kind)
    saved = documents.restore(workspace, kind, version)
    show_toast(f"Version {version} restored as version {saved.version}.")
    return redirect_to_path(f"/documents/{kind}")
