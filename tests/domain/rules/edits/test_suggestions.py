"""Which lessons are suggested: three edits of a kind, and no text since that speaks against it."""

from collections.abc import Sequence

from app.domain.rules.edits.lessons import Lesson
from app.domain.rules.edits.suggestions import Decided, suggestions

TEXT = "Hi {name},\n\nwe plan courses for schools. It is done in a week. Shall we talk?{more}\n\nCheers,\nInes"
SECOND = " Or would a demo be better?"
ONE = Lesson("one_question", ("first",))


def draft(number: int, *, keeps: bool = False, kind: str = "email") -> Decided:
    """A draft with two questions; the second was removed unless it was kept."""
    name = f"Person{number}"
    offered = TEXT.format(name=name, more=SECOND)
    return Decided(number, kind, offered, TEXT.format(name=name, more=SECOND if keeps else ""), (name, "Ines"))


def found(*decided: Decided) -> Sequence[Lesson]:
    """The lessons suggested by these drafts, newest first."""
    return [one.lesson for one in suggestions(decided)]


def test_three_edits_suggest_a_rule_unless_a_text_sent_since_speaks_against_it() -> None:
    """Edits before such a text count no more; three after it do. A text without anything to remove says nothing."""
    assert found(draft(2), draft(1)) == []
    (made,) = suggestions([draft(3), draft(2), draft(1)])
    assert (made.lesson, made.drafts) == (ONE, (3, 2, 1))
    kept = draft(4, keeps=True)
    assert found(kept, draft(3), draft(2), draft(1)) == []
    assert found(draft(6), draft(5), kept, draft(3), draft(2), draft(1)) == []
    assert found(draft(7), draft(6), draft(5), kept, draft(3)) == [ONE]
    plain = Decided(9, "message", "Hi there. One question only?", "Hi there. One question only?")
    assert found(plain, draft(3), plain, draft(2), draft(1)) == [ONE]


def test_a_length_is_suggested_when_no_sentence_explains_it() -> None:
    """Three texts that lost different sentences have only their length in common, rounded up to tens."""
    sentences = [
        f"Point number {word} is about {word} things that matter here." for word in ("one", "two", "six", "ten")
    ]
    drafts = [
        Decided(number, "email", f"Hi Ada,\n\n{' '.join(sentences)}", f"Hi Ada,\n\n{' '.join(kept)}", ("Ada",))
        for number, kept in enumerate((sentences[:2], sentences[1:3], sentences[2:]), 1)
    ]
    assert Lesson("most_words", ("email", "20")) in found(*drafts[::-1])


def test_a_line_is_added_to_texts_of_its_channel_only() -> None:
    """A message without it does not speak against a line in emails."""
    line = "P.S. More at tidemark.example."
    drafts = [
        Decided(n, "email", f"Hi P{n},\n\nwe plan courses.\n\nBest,\nInes",
                f"Hi P{n},\n\nwe plan courses.\n\nBest,\nInes\n\n{line}", (f"P{n}", "Ines"))
        for n in (3, 2, 1)
    ]  # fmt: skip
    message = Decided(5, "message", "Hi P5, we plan courses.", "Hi P5, we plan courses.", ("P5",))
    assert found(message, *drafts) == [Lesson("add_line", ("email", line))]
    email = Decided(6, "email", "Hi P6, we plan courses.", "Hi P6, we plan courses.", ("P6",))
    assert found(email, *drafts) == []
