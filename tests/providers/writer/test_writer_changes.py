"""Asking for changes in plain words, standing wishes, the style document, and what the check finds."""

from dataclasses import replace

from app.domain.autopilot import play_steps
from app.domain.autopilot.serialization import steps_json
from app.ports import ANGLES, Site, SitePage
from app.ports.writer import Brief, Change, PlayStep, Wait
from app.providers.writer import BuiltInWriter, style

WRITER = BuiltInWriter()
KNOWN = "was our customer, has worked with us before and knows us already"  # as the source of former customers says
HOME = SitePage(
    "https://brightwell.example/", "Brightwell", "Payroll software for hotels and cafés.",
    "Brightwell is payroll software for hotels and cafés. It works with AI and saves you 3 hours a week. "
    "Used by Hotel Arden and Café Sol. Prices start at €49.", (), "home",
)  # fmt: skip
PROFILE = WRITER.profile(Site("brightwell.example", "Brightwell", "en", [HOME]), "")
PLAIN = Brief(PROFILE, WRITER.customer_types(PROFILE)[0], sender_name="Maya Lind")
BRIEF = replace(PLAIN, targeting=WRITER.targeting(PLAIN))
IDEA = WRITER.plays(BRIEF, ANGLES)[0]
STEPS = list(WRITER.sequence(BRIEF, IDEA))


def asked(wish: str, steps: list[PlayStep] | None = None, brief: Brief = BRIEF) -> Change:
    """What a wish does; whatever it is, the steps are valid afterwards and the answer is a sentence."""
    change = WRITER.change(brief, IDEA, STEPS if steps is None else steps, wish)
    assert play_steps.check(steps_json(change.steps))
    assert change.reply.endswith((".", "…"))
    assert 1 <= len(change.choices) <= 4
    return change


def words(steps: object) -> int:
    return sum(style.length(step.text) for step in steps)  # type: ignore[attr-defined]


def test_a_shorter_sequence_keeps_its_steps_and_questions() -> None:
    """Shorter is shorter, the question stays, and the reply names the steps."""
    change = asked("Shorter, please")
    assert words(change.steps) < words(STEPS)
    assert [step.id for step in change.steps] == [step.id for step in STEPS]
    assert all("?" in step.text for step, before in zip(change.steps, STEPS, strict=True) if "?" in before.text)
    assert change.reply.startswith("Done: I made steps ")
    assert change.rules == ()
    fewest = list(change.steps)
    for _ in range(9):
        fewest = list(asked("shorter", fewest).steps)
    assert "can't be shorter" in asked("shorter", fewest).reply


def test_words_change() -> None:
    for wish, there, gone in (
        ("Make it less formal", "Cheers,", "Best regards,"),
        ("more formal", "Kind regards,", "Best regards,"),
        ("politer please", "thank you for", "thanks for"),
        ("mention our free trial", "mention our free trial.", "\0"),
    ):
        texts = "\n".join(step.text for step in asked(wish).steps)
        assert there in texts
        assert gone not in texts


def test_steps_change_and_the_channel_follows() -> None:
    for wish, kinds, channel in (
        ("drop the e-mail", "reaction invite social social", "social"),
        ("No emails!", "reaction invite social social", "social"),
        ("only e-mail", "email email", ""),
        ("no likes", "invite social social email email", ""),
        ("add a follow-up", "reaction invite social social email email email", ""),
        ("Drop the e-mail and add one more follow-up", "reaction invite social social social", "social"),
    ):
        change = asked(wish)
        assert ([step.kind for step in change.steps], change.channel) == (kinds.split(), channel)
        assert len({step.id for step in change.steps}) == len(change.steps)


def test_waits_change() -> None:
    longer, less = asked("wait longer").steps, asked("be faster").steps
    assert sum(step.delay.count for step in longer) > sum(step.delay.count for step in STEPS)
    assert sum(step.delay.count for step in less) < sum(step.delay.count for step in STEPS)
    assert all(step.delay.count >= 1 for step in less[1:])


def test_a_standing_wish_becomes_a_rule() -> None:
    change = asked("Less formal, and never mention AI or payslips")
    assert change.rules == ("Never mention AI or payslips.",)
    assert "rule" in change.reply
    later = WRITER.sequence(replace(BRIEF, rules=change.rules), IDEA)
    assert not any(style.mentions(f"{step.text} {step.subject}", ("AI", "payslips")) for step in later)
    for rule, kind in (("Never mention payroll software", "payroll software"), ("Don't ever say call", "call")):
        for angle in WRITER.plays(BRIEF, ANGLES):
            ruled = replace(BRIEF, rules=(f"{rule}.",))
            steps = WRITER.sequence(ruled, angle)
            assert play_steps.check(steps_json(steps))
            assert not any(WRITER.check(ruled, f"{step.text}\n{step.subject}", [KNOWN]) for step in steps)
            assert not any(style.mentions(step.text, (kind,)) for step in steps)


def test_what_it_cannot_do_is_said() -> None:
    """Nothing changes, and the choices say what can be asked."""
    for wish in ("Write it as a limerick", "übersetze das", "?", "add a joke about cats"):
        change = asked(wish)
        assert list(change.steps) == STEPS
        assert "needs an AI model" in change.reply
        assert asked(f"shorter. {wish} this time").reply.startswith("Done")


def test_a_play_keeps_at_least_one_message() -> None:
    social = WRITER.sequence(replace(BRIEF, channel="social"), IDEA)
    change = asked("only e-mail", list(social))
    assert list(change.steps) == list(social)
    assert "no email" in change.reply
    emails = [step for step in STEPS if step.kind == "email"]
    alone = [replace(emails[0], after="previous", delay=Wait(0, "days"))]
    assert "Nothing would be left" in asked("drop the e-mail", alone).reply


def test_links_go_also_those_that_someone_typed() -> None:
    linked = replace(STEPS[2], text="Hi. See https://brightwell.example/demo for more. Shall we talk?")
    change = asked("no links", [*STEPS[:2], linked, *STEPS[3:]])
    assert change.steps[2].text == "Hi. Shall we talk?"
    assert change.rules == ("No links.",)


def test_the_style_document_steers() -> None:
    markdown = "- At most 25 words per message\n- Tone: formal\n\n## Words to avoid\n\n- payroll software\n- list\n"
    read = style.read(markdown)
    assert (read.words, read.tone, read.avoid) == (25, "formal", ("payroll software", "list"))
    steps = WRITER.sequence(replace(BRIEF, style=markdown), IDEA)
    texts = "\n".join(step.text for step in steps)
    assert "Kind regards," in texts
    assert not style.mentions(texts, ("payroll software", "list"))
    assert words(steps) < words(STEPS)
    assert play_steps.check(steps_json(steps))


def test_the_check_marks_what_has_no_source() -> None:
    """Claims, numbers, links and broken rules, and nothing else."""
    ruled = replace(BRIEF, rules=("Never mention AI.",))
    marked = {
        "We save you 3 hours a week.": [],
        "Prices start at €49.": [],
        "Among our customers are Hotel Arden and Café Sol.": [],
        "Hi Alexandra, how happy are you with payroll at Northwind?": [],
        "Would a short call on Tuesday make sense?": [],
        "See https://brightwell.example/ for more.": [],
        "We save you 12 hours a week.": ["We save you 12 hours a week."],
        "Our 900 customers agree.": ["Our 900 customers agree."],
        "Companies such as Globex use it.": ["Companies such as Globex use it."],
        "We helped Initech cut its costs by 40%.": ["We helped Initech cut its costs by 40%."],
        "Would it help to save 40%?": ["40%"],
        "We are the leading provider.": ["We are the leading provider."],
        "It is certified and award-winning.": ["It is certified and award-winning."],
        "Pay at https://evil.example/pay now.": ["https://evil.example/pay"],
        "Write to boss@evil.example now.": ["boss@evil.example"],
        "It works with AI.": ["AI"],
    }
    known = ["Alexandra", "Northwind"]
    assert {text: [one.words for one in WRITER.check(ruled, text, known)] for text in marked} == marked
