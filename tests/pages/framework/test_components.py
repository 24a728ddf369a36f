"""The page of all components, and the macros whose output others rely on."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, render_template_string

from app.models.workspaces import Workspace
from tests.pages.conftest import signed_in

ROOT = Path(__file__).parents[3]
MACROS = sorted((ROOT / "templates/macros").glob("*.html"))
IMPORTS = "".join(f'{{% import "macros/{path.name}" as {path.stem} %}}' for path in MACROS)


@pytest.fixture(scope="module")
def worker_app(build_app: Callable[..., Flask]) -> Flask:
    """The application as developers run it."""
    return build_app(OVERTURE_DEVELOPMENT=True)


def show(app: Flask, source: str, **values: Any) -> str:
    """What a template that uses the macros renders."""
    with app.test_request_context():
        return render_template_string(IMPORTS + source, **values)


def test_the_components_page_is_missing_in_production(make_app: Callable[..., Flask], acme: Workspace) -> None:
    app = make_app()
    with app.app_context():
        assert signed_in(app, "ada@acme.example").get("/dev/components").status_code == 404


def test_the_components_page_shows_every_component() -> None:
    defined = {
        f"{path.stem}.{name}"
        for path in MACROS
        for name in re.findall(r"{%-? macro ([a-z]\w*)\(", path.read_text())
        if name not in ("inside", "glyph")
    }
    shown = (ROOT / "templates/components/index.html").read_text() + (ROOT / "templates/base.html").read_text()
    elsewhere = {"forms.csrf", "data.bar", "data.legend", "feedback.toast_partial", "feedback.dialog", "content.avatar"}
    elsewhere |= {"controls.logo", "controls.crumbs", "controls.icon", "content.plain"}
    assert {name for name in defined if f"{name}(" not in shown} <= elsewhere


def test_what_people_wrote_is_never_markup(app: Flask) -> None:
    nasty = '"><script>alert(1)</script>{{ 7 * 7 }}'
    page = show(
        app,
        '{{ content.person(text, text, "/x") }}{{ controls.badge(text) }}'
        '{{ forms.field("a", text, text, hint=text, error=text) }}'
        '{{ content.code(text) }}{{ feedback.toast(text) }}{{ forms.textarea("b", "B", text) }}'
        '{{ controls.button(text, attrs={"title": text}) }}'
        "{{ content.bubbles([text], text) }}{{ content.facts([(text, text)]) }}{{ feedback.notice(text, text) }}",
        text=nasty,
    )
    assert "<script>" not in page
    assert "{{ 7 * 7 }}" in page


def test_fields_buttons_and_progress_say_what_others_rely_on(app: Flask) -> None:
    page = show(app, '{{ forms.field("sequence[1].delay.value", "Wait", hint="In days.", error="Give a number.") }}')
    assert '<label for="f-sequence-1-delay-value">' in page
    assert 'aria-describedby="f-sequence-1-delay-value-error f-sequence-1-delay-value-hint"' in page
    assert 'aria-invalid="true"' in page
    assert "value=" not in show(app, '{{ forms.secret("token", "Key") }}')
    page = show(app, '{{ controls.button("Start", reason="The list has nobody in it.", href="/x") }}')
    assert 'type="button"' in page
    assert 'aria-disabled="true"' in page
    assert "href" not in page
    assert show(app, '{{ data.load_more("") }}').strip() == ""
    assert 'href="/x?cursor=a"' in show(app, '{{ data.load_more("/x?cursor=a", columns=3) }}')
    assert 'hx-get="/ui/x"' in show(app, '{{ feedback.progress("p", "Import", 50, [], poll="/ui/x") }}')
    assert "hx-" not in show(app, '{{ feedback.progress("p", "Import", 100, []) }}')


def test_a_chart_without_days_or_numbers_still_stands(app: Flask) -> None:
    assert "<svg" in show(app, '{{ data.series("a", "Per day", ["Invites"], []) }}')
    day = {"label": "1 Mar", "values": [0], "today": True}
    assert "Invites 0" in show(app, '{{ data.series("a", "Per day", ["Invites"], days) }}', days=[day])
    assert "0.0%" in show(app, '{{ data.funnel("F", [{"label": "All", "count": 0}, {"label": "Some", "count": 0}]) }}')
    assert 'role="img"' in show(app, '{{ data.split([{"label": "Yes", "count": 0, "tone": "ok"}]) }}')


def test_a_long_title_is_clamped_and_can_be_unfolded(app: Flask) -> None:
    """On phones, and everywhere when it is very long; the whole of it stands in the page."""
    for title, size in [
        ("Spring", ""),
        ("x" * 90, ""),
        ("Spring campaign " * 6, "m-long"),
        ("Spring campaign " * 10, "long"),
    ]:
        page = show(app, "{{ controls.head(title, badge='New') }}", title=title.strip())
        assert page.count(title.strip()) == 1
        assert page.count('<span class="clamp">') == page.count("Whole title") == bool(size)
        assert (f'<div class="what folds {size}">' in page) == bool(size)


def test_a_long_text_is_folded_where_it_is_long(app: Flask) -> None:
    """Some are so only on a phone."""
    for text, size in [
        ("Yes. " * 60, ""),
        ("Yes. " * 130, "m-long"),
        ("Yes. " * 300, "long"),
        ("Yes\n" * 14, "long"),
        ("Yes\n" * 12, ""),
    ]:
        page = show(app, "{{ content.folded(text) }}", text=text)
        assert text in page
        assert (f'<div class="folds {size}">' in page) == bool(size)
