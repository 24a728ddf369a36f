"""Suggestions: the lessons that enough edits agree on, and that no text sent since speaks against."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.rules.edits import lessons
from app.domain.rules.edits.differences import compare
from app.domain.rules.edits.lessons import Lesson

ENOUGH = 3  # edits of the same kind
NARROW = ("leave_out", "one_question", "no_questions")  # what explains a shorter text better than its length


@dataclass(frozen=True)
class Decided:
    """A draft that was let go: the kind of its step, the text offered, the text sent, and what was filled in."""

    id: int
    step_kind: str
    offered: str
    sent: str
    values: Sequence[str] = ()


@dataclass(frozen=True)
class Suggestion:
    """A lesson, and the drafts whose edits teach it, newest first."""

    lesson: Lesson
    drafts: tuple[int, ...]


def suggestions(decided: Sequence[Decided]) -> list[Suggestion]:
    """Return what the drafts, newest first, suggest: the lesson with the most edits first.

    Edits count back to the last text that was sent with what the rule would have changed.
    """
    edits: defaultdict[Lesson, list[Decided]] = defaultdict(list)
    for one in decided:
        if one.offered.strip() and one.sent.strip() and one.offered != one.sent:
            for lesson in lessons.seen(compare(one.offered, one.sent, one.values), one.step_kind):
                edits[lesson].append(one)
    found = []
    for lesson, taught in edits.items():
        if len(taught) < ENOUGH:
            continue
        whole = _with_length(lesson, taught) if lesson.kind == "most_words" else lesson
        if whole is not None and len(drafts := _unopposed(whole, taught, decided)) >= ENOUGH:
            found.append(Suggestion(whole, drafts))
    order = list(lessons.KINDS)
    found.sort(key=lambda one: (-len(one.drafts), order.index(one.lesson.kind), one.lesson.detail))
    return _without_explained(found)


def _with_length(lesson: Lesson, taught: Sequence[Decided]) -> Lesson | None:
    """Return the lesson with the length that the newest edits agree on; None when the texts offered were as short."""
    latest = taught[:ENOUGH]
    most = lessons.agreed_length([one.sent for one in latest], [one.values for one in latest])
    whole = Lesson(lesson.kind, (*lesson.detail, str(most)))
    return whole if all(whole.stands(one.offered, one.step_kind, one.values) for one in latest) else None


def _unopposed(lesson: Lesson, taught: Sequence[Decided], decided: Sequence[Decided]) -> tuple[int, ...]:
    mine, counted = {one.id for one in taught}, []
    for one in decided:
        if lesson.stands(one.sent, one.step_kind, one.values):
            break
        if one.id in mine:
            counted.append(one.id)
    return tuple(counted)


def _without_explained(found: Sequence[Suggestion]) -> list[Suggestion]:
    """Leave out a length that only follows from the sentences that are left out."""
    narrow = {draft for one in found if one.lesson.kind in NARROW for draft in one.drafts}
    return [one for one in found if one.lesson.kind != "most_words" or not {*one.drafts} <= narrow]
