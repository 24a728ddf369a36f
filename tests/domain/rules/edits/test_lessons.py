"""What an edit teaches: each kind is seen where it surely is one, and a text written anew teaches nothing."""

from app.domain.rules.edits import lessons
from app.domain.rules.edits.differences import anatomy, blanked, compare
from app.domain.rules.edits.lessons import KINDS, Lesson

OFFERED = (
    "Hi Ada,\n\nI saw that you plan courses by hand! We could do that for you. It takes a week to set up.\n\n"
    "Shall we talk? Or would a demo be better?\n\nBest regards,\nInes Duarte"
)
VALUES = ("Ada", "Ines Duarte")


def edited(*changes: tuple[str, str], text: str = OFFERED) -> str:
    """The text with these words replaced by others."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def learnt(sent: str, kind: str = "email") -> set[Lesson]:
    """The lessons of an edit of the text offered."""
    return set(lessons.seen(compare(OFFERED, sent, VALUES), kind))


def test_an_edit_teaches_its_kind_and_nothing_else() -> None:
    """The text sent no longer has what the rule would change, and the text offered has."""
    for changes, kind, detail in [
        ([(" Or would a demo be better?", "")], "one_question", ("first",)),
        ([("Shall we talk? ", "")], "one_question", ("last",)),
        ([("Shall we talk? Or would a demo be better?\n\n", "")], "no_questions", ()),
        ([("hand!", "hand.")], "no_exclamation", ()),
        ([("Hi Ada", "Dear Ada")], "greeting", ("email", "Dear …")),
        ([("Hi Ada", "Hello")], "greeting", ("email", "Hello")),
        ([("Best regards", "Cheers")], "sign_off", ("Cheers",)),
        ([("plan courses", "organise courses")], "swap", ("plan", "organise")),
        ([(" It takes a week to set up.", "")], "leave_out", ("It takes a week to set up.",)),
        (
            [("Duarte", "Duarte\n\nP.S. More at tidemark.example.")],
            "add_line",
            ("email", "P.S. More at tidemark.example."),
        ),
    ]:
        sent = edited(*changes)
        lesson = Lesson(kind, detail)
        assert {one for one in learnt(sent) if one.kind != "most_words"} == {lesson}, changes
        assert lesson.stands(OFFERED, "email", VALUES), changes
        assert not lesson.stands(sent, "email", VALUES), changes


def test_a_much_shorter_text_teaches_a_length_for_its_channel() -> None:
    sent = edited((" We could do that for you. It takes a week to set up.", ""), (" Or would a demo be better?", ""))
    assert Lesson("most_words", ("email",)) in learnt(sent)
    assert Lesson("most_words", ("message",)) in learnt(sent, "message")


def test_what_is_not_certain_teaches_no_exclamation_rule() -> None:
    """A sentence that went with its exclamation mark says nothing about marks."""
    for sent in [
        OFFERED,
        "Hello Ada,\n\nmy colleague told me about your school. May I call on Monday?\n\nBest regards,\nInes Duarte",
        edited(("I saw that you plan courses by hand! ", "")),
    ]:
        assert Lesson("no_exclamation") not in learnt(sent), sent


def test_a_text_written_anew_and_words_that_mean_little_teach_nothing() -> None:
    assert (
        learnt("Hello Ada,\n\nmy colleague told me about your school. May I call on Monday?\n\nCheers,\nInes") == set()
    )
    for old, new in [("for you", "for a you"), ("a week", "7 days"), ("by hand!", "by hand, with care!"), ("We", "I")]:
        assert not [one for one in learnt(edited((old, new))) if one.kind == "swap" and len(one.detail[0]) < 4], old


def test_values_of_a_person_are_blank_in_what_is_kept() -> None:
    """So that a sentence is the same one in the drafts of several people, and names none of them."""
    offered = "Hi Ada, congratulations on the round at Harbour Labs. Shall we talk?"
    found = lessons.seen(compare(offered, "Hi Ada, shall we talk?", ("Ada", "Harbour Labs")), "message")
    assert "Harbour" not in str(found)
    assert (
        blanked(offered, ("Ada", "Harbour Labs", "Harbour"))
        == "Hi …, congratulations on the round at …. Shall we talk?"
    )


def test_a_text_is_taken_apart() -> None:
    for text, greeting, sign_off in [
        ("Guten Tag Frau Kern,\n\nkurze Frage. Passt das?\n\nViele Grüße\nInes", "Guten Tag", "Viele Grüße"),
        ("Bonjour …,\n\nUne question.\n\nBien à vous,\n…", "Bonjour", "Bien à vous"),
        ("Hi … – thanks. Who looks after this?", "Hi", ""),
        ("No greeting here. Only text.", "", ""),
    ]:
        found = anatomy(text)
        assert (found.greeting, found.sign_off) == (greeting, sign_off), text


def test_each_kind_has_a_question_that_says_how_often() -> None:
    assert Lesson("one_question", ("first",)).asks(3) == "You removed the second question three times. Make it a rule?"
    assert Lesson("swap", ("software", "platform")).did(12) == "You wrote “platform” instead of “software” 12 times."
    assert set(KINDS) == {
        "one_question", "no_questions", "no_exclamation", "greeting", "sign_off", "swap", "leave_out", "add_line",
        "most_words",
    }  # fmt: skip
