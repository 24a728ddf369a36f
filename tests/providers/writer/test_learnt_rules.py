"""Rules learnt from edits, in their own words: the built-in writer reads each and its texts follow it."""

from itertools import product

from app.domain.rules.edits.lessons import KINDS, Lesson
from app.ports.writer import PlayStep, Wait
from app.providers.writer.built_in import BuiltInWriter

LETTER = (
    "Hi Ada,\n\nI saw that you plan courses by hand! We could do that for you, so that the office answers fewer calls. "
    "It takes a week to set up.\n\nShall we talk? Or would a demo be better?\n\nBest regards,\nInes Duarte"
)
TEMPLATE = (
    "Hi {{first_name|there}},\n\ncongratulations on the round at {{company_name|your company}}! We plan courses. "
    "It takes a week to set up.\n\nShall we talk? Or would a demo be better?\n\nBest regards,\n{{sender_name|Ines}}"
)
VALUES = ("Ada", "Ines Duarte", "{{first_name|there}}", "{{company_name|your company}}", "{{sender_name|Ines}}")
LESSONS = [
    Lesson("one_question", ("first",)),
    Lesson("one_question", ("last",)),
    Lesson("no_questions"),
    Lesson("no_exclamation"),
    Lesson("greeting", ("email", "Dear …")),
    Lesson("greeting", ("email", "Hello")),
    Lesson("sign_off", ("Cheers",)),
    Lesson("swap", ("plan", "organise")),
    Lesson("leave_out", ("It takes a week to set up.",)),
    Lesson("add_line", ("email", "P.S. More at tidemark.example.")),
    Lesson("add_line", ("email", "More at https://tidemark.example/tour.")),
    Lesson("most_words", ("email", "20")),
]


def obeyed(text: str, *rules: str, kind: str = "email") -> str:
    step = PlayStep("s1", kind, Wait(0, "days"), "previous", text, "Courses" if kind == "email" else "")
    (made,) = BuiltInWriter().obey([step], rules)
    return made.text


def test_a_text_follows_each_kind_of_rule() -> None:
    """What the rule is about is gone, the rest stands, and the same rule again changes nothing."""
    assert {one.kind for one in LESSONS} == set(KINDS)
    wrong = []
    for lesson, text in product(LESSONS, (LETTER, TEMPLATE)):
        made = obeyed(text, lesson.rule)
        followed = lesson.stands(text, "email", VALUES) and not lesson.stands(made, "email", VALUES)
        whole = made.rstrip().endswith(text[-4:]) or lesson.kind == "add_line"
        if not (followed and whole and obeyed(made, lesson.rule) == made):
            wrong.append((lesson, made))
    assert wrong == []


def test_a_blank_in_a_sentence_stands_for_a_value_or_a_variable() -> None:
    rule = Lesson("leave_out", ("congratulations on the round at …!",)).rule
    assert "congratulations" not in obeyed(TEMPLATE, rule)
    assert "congratulations" not in obeyed("Hi Ada, congratulations on the round at Harbour Labs! Shall we talk?", rule)


def test_a_rule_leaves_alone_what_it_is_not_about() -> None:
    """A text that would say nothing stays as it is, and a rule for emails does not change messages."""
    only = "Hi Ada,\n\nshall we talk?"
    assert obeyed(only, "Ask no questions.") == only
    rule = Lesson("add_line", ("email", "P.S. More at tidemark.example.")).rule
    assert obeyed("Hi Ada, shall we talk?", rule, kind="social") == "Hi Ada, shall we talk?"


def test_a_message_of_two_parts_stays_two_unless_one_has_nothing_left() -> None:
    rule = Lesson("one_question", ("first",)).rule
    assert obeyed("Hi Ada, thanks. Who plans this?\n---\nOne more word. Would Monday do?", rule, kind="social") == (
        "Hi Ada, thanks. Who plans this?\n---\nOne more word."
    )
    assert obeyed("Hi Ada, who plans this?\n---\nWould Monday do?", rule, kind="social") == "Hi Ada, who plans this?"
