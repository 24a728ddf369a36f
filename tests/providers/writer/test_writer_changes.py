"""Changes that a button names, each exact, in every language; the style document and its words to avoid."""

from dataclasses import replace

import pytest

from app.core.mail.message_parts import asks, take_apart
from app.domain.autopilot import play_steps
from app.domain.autopilot.serialization import steps_json
from app.ports.writer import CHANGES, Brief, Change, PlayIdea, PlayStep, Profile, Wait
from app.providers.writer import BuiltInWriter, changes, style

WRITER = BuiltInWriter()
IDEA = PlayIdea("cold", "", "", "", "", "")
LANGUAGES = ("en", "de", "fr", "es", "nl", "it", "pt")
PITCH = "We keep the books for HVAC companies."
PROFILE = Profile("Bookkeeping", "", name="911 Bookkeepers", pitch=PITCH, topic="bookkeeping")
NOTE = "Hi {{first_name|there}}, I'm with 911 Bookkeepers. I'd be glad to connect."
MESSAGE = f"Thanks for connecting, {{{{first_name|there}}}}. {PITCH} Do you handle that in-house? Either answer helps."
LETTER = (
    "Hi {{first_name|there}},\n\nI'm with 911 Bookkeepers. You see what each job earned before you price the next one."
    "\n\nHow do you handle this at {{company_name|your company}} today? If it's worth a look, I can show you.\n\n"
    "Best regards,\n{{sender_name|Maya}}"
)
GOODBYE = "Hi {{first_name|there}},\n\nI haven't heard back, so I leave it here.\n\nAll the best,\n{{sender_name|Maya}}"
STEPS = [
    PlayStep("s1", "reaction", Wait(0, "days"), "previous", reaction="like"),
    PlayStep("s2", "invite", Wait(1, "days"), "previous", NOTE),
    PlayStep("s3", "social", Wait(1, "days"), "accept", MESSAGE),
    PlayStep("s4", "email", Wait(4, "days"), "no_reply", LETTER, "Bookkeeping"),
    PlayStep("s5", "email", Wait(6, "days"), "no_reply", GOODBYE),
]
ALONE = replace(STEPS[3], after="previous")


def asked(wish: str, steps: list[PlayStep] = STEPS, language: str = "en") -> Change:
    """What a wish does; the steps are valid afterwards, and there is a reason when they are as before."""
    change = WRITER.change(Brief(replace(PROFILE, language=language)), IDEA, steps, wish)
    assert play_steps.check(steps_json(change.steps))
    assert bool(change.reply) is (list(change.steps) == steps)
    return change


def texts(wish: str, steps: list[PlayStep] = STEPS, language: str = "en") -> dict[str, str]:
    return {step.id: step.text for step in asked(wish, steps, language).steps}


def test_shorter_drops_one_sentence_of_each_text_but_not_pitch_question_or_who_writes() -> None:
    made = texts("Shorter")
    assert made["s3"] == MESSAGE.removesuffix(" Either answer helps.")
    assert "I can show you" not in made["s4"] and "You see what each job earned" in made["s4"]  # noqa: PT018
    fewest = STEPS
    for _ in range(5):
        fewest = list(asked("shorter", fewest).steps)
    assert [step.text for step in fewest[:2]] == ["", NOTE]
    assert fewest[2].text == made["s3"]
    assert "I'm with 911 Bookkeepers.\n\nHow do you handle this" in fewest[3].text
    assert asked("shorter", fewest).reply.startswith("no sentence can go")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_both_tones_and_a_phrase_that_is_in_one_stays(language: str) -> None:
    known = style.words_of(language)
    assert set(known) == {"kept", "raised", "greeting", "follow_ups", "formal", "casual"}
    for code, tone in (("more_formal", "formal"), ("less_formal", "casual")):
        said = [f"{old}|x}}}} abc." if "{{" in old else f"{old.rstrip()} abc." for old, _ in known[tone]]
        steps = [replace(ALONE, text=" ".join(said))]
        once = asked(code, steps, language).steps
        assert all(new.rstrip() in once[0].text for _, new in known[tone])
        assert asked(code, list(once), language).reply


def test_a_language_without_phrases_has_no_such_buttons() -> None:
    codes = {one.code for one in WRITER.offered(STEPS, "pl")}
    assert codes.isdisjoint(("less_formal", "more_formal", "follow_up"))
    assert {"less_formal", "more_formal", "follow_up"} <= {one.code for one in WRITER.offered(STEPS, "en-GB")}


def test_the_question_stands_right_behind_the_greeting() -> None:
    made = texts("Question first")
    assert made["s3"].startswith("Thanks for connecting, {{first_name|there}}. Do you handle that in-house? We keep")
    assert made["s4"].startswith(
        "Hi {{first_name|there}},\n\nHow do you handle this at {{company_name|your company}} today?\n\nI'm with"
    )
    inline = "Hi {{first_name|there}}, we do payroll. Who does yours?"
    assert texts("question_first", [replace(ALONE, text=inline)])["s4"] == (
        "Hi {{first_name|there}}, who does yours? We do payroll."
    )
    german = "Hallo {{first_name|zusammen}},\n\nwir machen Buchhaltung. Machen Sie das selbst?"
    assert texts("question_first", [replace(ALONE, text=german)], "de")["s4"] == (
        "Hallo {{first_name|zusammen}},\n\nmachen Sie das selbst?\n\nWir machen Buchhaltung."
    )
    assert asked("question first", list(asked("question first").steps)).reply


def test_a_greeting_with_a_comma_before_the_name_is_one() -> None:
    text = "Hola, {{first_name|buenos días}}: hacemos nóminas. ¿Quién hace las suyas?"
    assert texts("question_first", [replace(ALONE, text=text)], "es")["s4"] == (
        "Hola, {{first_name|buenos días}}: ¿quién hace las suyas? Hacemos nóminas."
    )
    assert take_apart("Olá, Ana, tudo bem?").greeting == "Olá, Ana, "
    assert take_apart("Hi, we plan courses, and more.").greeting == "Hi, "


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_follow_up_stands_before_the_goodbye_and_is_another_one_each_time(language: str) -> None:
    once = list(asked("One more follow-up", STEPS, language).steps)
    twice = list(asked("One more follow-up", once, language).steps)
    assert [step.kind for step in twice] == ["reaction", "invite", "social", "email", "email", "email", "email"]
    assert twice[-1].text == GOODBYE
    assert len({step.id for step in twice}) == len({step.text for step in twice}) == 7
    for step in twice[4:6]:
        parts = take_apart(step.text)
        assert [asks(parts.at(place)) for place in parts.places] == [True]
        assert parts.signature.endswith("{{sender_name|Maya}}")
    social = asked("follow_up", STEPS[:3], language).steps
    assert [step.kind for step in social] == ["reaction", "invite", "social", "social"]
    assert asked("One more follow-up", twice, language).reply


def test_waits_grow_by_half_and_emails_go_and_come_again() -> None:
    assert [step.delay.count for step in asked("Wait longer").steps] == [0, 2, 2, 6, 9]
    social = list(asked("No email").steps)
    assert [step.kind for step in social] == ["reaction", "invite", "social"]
    assert "no_email" not in {one.code for one in WRITER.offered(social, "en")}
    again = asked("With email", social).steps
    assert [step.kind for step in again[:3]] == ["reaction", "invite", "social"]
    assert {step.kind for step in again[3:]} == {"email"}
    assert "nothing would be left" in asked("No email", [ALONE]).reply


def test_one_sentence_goes_and_one_comes_at_its_place() -> None:
    assert texts("Without this sentence: Either answer helps.")["s3"] == MESSAGE.removesuffix(" Either answer helps.")
    added = texts("With this sentence: we also do payroll")["s3"]
    assert f"{PITCH} We also do payroll. Do you handle that" in added
    letter = texts("With this sentence in step 4: “We also do payroll.”")["s4"]
    assert "price the next one. We also do payroll.\n\nHow do you handle this" in letter
    assert asked("Without this sentence: Never said.").reply
    assert asked("With this sentence in step 9: Too far.").reply


def test_any_other_words_need_a_model_and_the_answer_lists_what_can_be_asked() -> None:
    for wish in ("Write it as a limerick", "shorter, please", "?", "Without this sentence", "übersetze das"):
        reply = asked(wish).reply
        assert "need an AI model" in reply
        assert all(one.label in reply for one in CHANGES if one.code != "with_email")
    assert set(changes._DO) == {one.code for one in CHANGES} == set(changes._NOTHING)


def test_the_style_document_and_rules_steer() -> None:
    markdown = "- At most 25 words per message\n- Tone: formal\n\n## Words to avoid\n\n- payroll software\n- jobs\n"
    read = style.read(markdown)
    assert (read.words, read.tone, read.avoid) == (25, "formal", ("payroll software", "jobs"))
    letter = style.applied([STEPS[3]], read)[0].text
    assert "Kind regards," in letter and "I am with 911 Bookkeepers." in letter  # noqa: PT018
    assert style.length(letter) <= 25
    ruled = style.by_rules(STEPS, ["Never mention job or payslips."])
    assert "each job" not in ruled[3].text
    only = [replace(STEPS[2], text="Hi {{first_name|there}}, is payroll a topic?")]
    assert style.by_rules(only, ["Never mention payroll."]) == only
    assert [one.words for one in WRITER.check(Brief(PROFILE, rules=["Never mention payroll."]), only[0].text)] == [
        "payroll"
    ]
