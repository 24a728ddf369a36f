"""Forms: what is parsed, what is shown again, and where the sentences of a refusal stand."""

from typing import ClassVar

from flask import Flask, render_template_string
from werkzeug.datastructures import MultiDict

from app.core.errors import InvalidRequest
from app.pages.framework.forms import Day, Form, Lines, Moment, Nested, Numbers, Secret, Text, Tick, Whole, Words


class Hours(Form):
    """One field of each kind."""

    PATHS: ClassVar[dict[str, str]] = {"campaignIds": "campaigns"}
    name = Text(strip=True)
    days = Numbers(name="workingHours.days")
    campaigns = Numbers()
    most = Whole(name="dailyLimits.invite", wrong=-1, empty=7)
    password = Secret()
    on = Tick()
    entries = Lines()
    tags = Words()
    start = Moment(wrong="Give a date and a time.")
    first = Day(wrong="Give a date.")
    steps = Nested(read=lambda form: [value for key, value in form.items() if key.startswith("step-")])


def sent(app: Flask, **typed: object) -> Hours:
    """The form as a browser sends it."""
    with app.test_request_context(method="POST", data=MultiDict(typed)):
        return Hours.posted()


def test_each_field_has_a_value_of_its_type(app: Flask) -> None:
    form = sent(
        app,
        **{"name": " Ada ", "workingHours.days": ["1", "x"], "dailyLimits.invite": " 20 ", "on": "1", "step-1": "a"},
        entries="one\n\n two ",
        tags="a, b",
        start="2026-11-24T09:30",
        first="2026-11-24",
    )
    assert form.validate()
    assert (form.name.data, form.days.data, form.most.data, form.on.data) == ("Ada", [1, 0], 20, True)
    assert (form.entries.data, form.tags.data, form.steps.data) == (["one", "two"], ["a", " b"], ["a"])
    assert (str(form.start.data), str(form.first.data)) == ("2026-11-24 09:30:00", "2026-11-24")


def test_what_is_missing_has_the_value_of_an_empty_form(app: Flask) -> None:
    form = sent(app)
    assert (form.name.data, form.days.data, form.most.data, form.on.data) == ("", [], 7, False)
    assert (form.entries.data, form.start.data, form.steps.data) == ([], None, [])
    with app.test_request_context(method="POST"):
        assert Hours.posted(name="kept").name.data == "kept"
    form = sent(app, **{"dailyLimits.invite": "many"})
    assert (form.most.data, form.most.typed) == (-1, "many")


def test_a_moment_that_cannot_be_told_is_refused(app: Flask) -> None:
    for written in ["tomorrow", "0001-01-01T00:00", "9999-12-31T23:59"]:
        form = sent(app, start=written)
        assert not form.validate()
        assert form.start.errors == ["Give a date and a time."]


def test_each_sentence_of_a_refusal_stands_at_its_field(app: Flask) -> None:
    refusal = InvalidRequest.of(
        ("workingHours.days", "Choose a day."),
        ("workingHours.days[1]", "There is no such day."),
        ("campaignIds[0]", "There is no such campaign."),
        ("elsewhere", "Something else."),
    )
    form = sent(app).take_errors(refusal)
    assert list(form.days.errors) == ["Choose a day.", "There is no such day."]
    assert list(form.campaigns.errors) == ["There is no such campaign."]
    assert form.form_errors == ["Something else."]


def test_the_first_field_with_a_sentence_has_the_focus(app: Flask) -> None:
    form = sent(app).take_errors(InvalidRequest.of(("password", "Too short."), ("name", "Give a name.")))
    assert [field.name for field in form if field.flags.autofocus] == ["name"]


def test_a_field_is_drawn_with_what_was_typed_and_what_is_wrong(app: Flask) -> None:
    form = sent(app, name='"><b>', password="open sesame").take_errors(InvalidRequest.of(("name", "Give a name.")))
    with app.test_request_context():
        page = render_template_string(
            '{% import "macros/forms.html" as forms %}{{ forms.field(form.name, "Name") }}'
            '{{ forms.field(form.password, "Password", type="password") }}{{ forms.secret(form.password, "Again") }}',
            form=form,
        )
    assert 'value="&#34;&gt;&lt;b&gt;"' in page
    assert "Give a name." in page
    assert 'aria-invalid="true" autofocus' in page
    assert "open sesame" not in page


def test_a_form_before_anyone_typed_shows_what_is_known(app: Flask) -> None:
    with app.test_request_context(method="POST", data={"name": "typed"}):
        form = Hours.of(name="Ada", entries=["one", "two"], tags=["a", "b"])
    assert (form.name.typed, form.entries.typed, form.tags.typed) == ("Ada", "one\ntwo", "a, b")
