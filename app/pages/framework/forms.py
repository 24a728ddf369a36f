"""What the forms of pages stand on: they parse what was sent and show it again with what is wrong; rules stay in verbs.

    class ProfileForm(Form):
        name = Text()
        days = Numbers(name="workingHours.days")

    form = ProfileForm.posted()
    try:
        verb(workspace, **form.data)
    except InvalidRequest as refusal:
        return page(form.take_errors(refusal))

A template shows a field with its error: `{{ forms.field(form.name, "Name") }}`.
"""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any, ClassVar, Self

from flask import request
from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, StringField

from app.core import clock, text
from app.core.errors import AppError


class Form(FlaskForm):  # type: ignore[misc]
    """A form whose fields carry the names that verbs use; `name=` is the one in the HTML where that differs."""

    class Meta:
        """Settings of all forms for Flask-WTF."""

        csrf = False  # CSRFProtect has checked the token of every unsafe request before a view begins

    PATHS: ClassVar[dict[str, str]] = {}  # the field for a path of the verb that no field is named after

    @classmethod
    def posted(cls, **otherwise: Any) -> Self:
        """Read the form as it was sent; `otherwise` has the values of fields that are not in it."""
        return cls(formdata=request.form, data=otherwise)

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Return the form with these values before any input."""
        return cls(formdata=None, data=values)

    def take_errors(self, refusal: AppError) -> Self:
        """Put each sentence of the refusal at the field it is about; those about no field are the form's own."""
        for path, sentence in refusal.fields:
            field = self._field_at(path)
            if field is None:
                self.form_errors.append(sentence)
            else:
                field.errors = [*field.errors, sentence]
        first = next((field for field in self if field.errors), None)
        if first is not None:
            first.flags.autofocus = True
        return self

    def _field_at(self, path: str) -> Any:
        """Return the field of that path, or the one that holds it: `days` for `days[2]`."""
        known = {field.name: field for field in self} | {verbs: self[name] for verbs, name in self.PATHS.items()}
        if path in known:
            return known[path]
        return next((known[name] for name in known if path.startswith((f"{name}[", f"{name}."))), None)


class Text(StringField):  # type: ignore[misc]
    """A line or a text as it was typed."""

    data: str

    def __init__(self, *args: Any, default: str | None = "", strip: bool = False, **options: Any) -> None:
        super().__init__(*args, default=default, filters=[str.strip] if strip else [], **options)

    @property
    def typed(self) -> Any:
        """Return what the form shows again."""
        return self.raw_data[0] if self.raw_data else self.data


class Secret(Text):
    """A password or a key: never shown again."""

    @property
    def typed(self) -> str:
        """Return '': a secret is never shown again."""
        return ""


class Tick(BooleanField):  # type: ignore[misc]
    """A box that is ticked or not."""

    data: bool


class Whole(Text):
    """A whole number; `wrong`, which the verb refuses together with all else, for what is none."""

    data: Any

    def __init__(
        self, *args: Any, default: int | None = 0, empty: int | None = 0, wrong: int = 0, **options: Any
    ) -> None:
        super().__init__(*args, default=None, **options)
        self.default, self.empty, self.wrong = default, empty, wrong

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        written = valuelist[0].strip() if valuelist else ""
        self.data = text.number(written, self.wrong) if written else self.empty


class Texts(Field):  # type: ignore[misc]
    """Every value of the fields with that name."""

    data: list[str]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, default=list, **options)

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        self.data = list(valuelist)


class Numbers(Texts):
    """The same as whole numbers; 0, which no row has, for what is none."""

    data: list[int]  # type: ignore[assignment]

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        self.data = [text.number(one) for one in valuelist]


class Lines(Text):
    """A text as its lines that say something."""

    data: list[str]  # type: ignore[assignment]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.default = list

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        if valuelist:
            self.data = [line.strip() for line in valuelist[0].splitlines() if line.strip()]

    @property
    def typed(self) -> str:
        """Return the lines as they are typed."""
        return self.raw_data[0] if self.raw_data else "\n".join(self.data)


class Words(Lines):
    """Names between commas."""

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        if valuelist:
            self.data = valuelist[0].split(",")

    @property
    def typed(self) -> str:
        """Return the names as they are typed."""
        return self.raw_data[0] if self.raw_data else ", ".join(self.data)


class Moment(Text):
    """A date and a time of day, without a time zone; None for an empty field."""

    data: datetime | None  # type: ignore[assignment]

    def __init__(self, *args: Any, wrong: str, **options: Any) -> None:
        super().__init__(*args, default=None, **options)
        self.wrong = wrong

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        if valuelist and valuelist[0]:
            self.data = self._parsed(valuelist[0])
            if self.data is None:
                raise ValueError(self.wrong)

    def _parsed(self, written: str) -> datetime | None:
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            return None
        return moment if clock.is_shown(moment) else None


class Day(Moment):
    """A date; None for an empty field."""

    data: date | None  # type: ignore[assignment]

    def _parsed(self, written: str) -> date | None:  # type: ignore[override]
        try:
            day = date.fromisoformat(written)
        except ValueError:
            return None
        return day if clock.is_shown(day) else None


class Nested(Field):  # type: ignore[misc]
    """Things of several fields each, such as steps; `read` makes them of the whole form."""

    data: list[Any]

    def __init__(self, *args: Any, read: Callable[[MultiDict[str, str]], list[Any]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.read = read

    def process(self, formdata: MultiDict[str, str] | None, data: Any = None, extra_filters: Any = None) -> None:
        self.process_errors: list[str] = []
        self.data = self.read(formdata) if formdata is not None else list(data or ())
