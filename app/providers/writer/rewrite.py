"""Change a play by request: report what was done and what was not."""

from collections.abc import Sequence
from dataclasses import replace

from app.ports.writer import Brief, Change, PlayIdea, PlayStep
from app.providers.writer import change_requests, learnt_rules, sequences
from app.providers.writer.change_requests import Wish
from app.providers.writer.grammar import listed
from app.providers.writer.tongues import tongue_of

WITHOUT_MODEL = "This needs an AI model, and none is connected. Nothing was changed."
PARTLY = "The rest needs an AI model, and none is connected: {rest}."
OFFERS = (
    "Shorter",
    "Less formal",
    "More formal",
    "Ask a question",
    "Add a follow-up",
    "Wait longer",
    "Drop the email",
)
_DONE = {
    "shorter": "made {steps} shorter",
    "casual": "made {steps} less formal",
    "formal": "made {steps} more formal",
    "avoid": "took {words} out of {steps}",
    "mention": "added that to {steps}",
    "no_links": "took the links out of {steps}",
    "no_reaction": "dropped the reaction",
    "no_note": "took the note off the invitation",
    "only_email": "dropped everything but the emails",
    "only_social": "dropped the emails",
    "add_followup": "added a follow-up at the end",
    "wait_longer": "lengthened the waits",
    "wait_less": "shortened the waits",
    "question": "ended {steps} with a question",
    "no_exclaim": "took the exclamation marks out of {steps}",
    "signoff": "signed {steps} with {words}",
    "short_name": "signed {steps} with your first name",
    "subject": "changed the subject of {steps}",
    "swap": "replaced {words} in {steps}",
    "cut_last": "cut the last sentence of {steps}",
    "drop_one": "dropped that step",
    "only_some": "dropped the other messages",
    "wait_for": "set the wait before {steps}",
    "minutes": "asked for a call of that length in {steps}",
    "title": "added their job title to {steps}",
    "email_first": "moved the email to the front",
    "language": "wrote the starting text again in {words}",
    "one_question": "left one question in {steps}",
    "no_questions": "took the questions out of {steps}",
    "greeting": "changed the greeting of {steps} to {words}",
    "add_line": "added that to {steps}",
    "leave_out": "took that sentence out of {steps}",
    "most_words": "shortened {steps}",
}
_NOTHING = {
    "shorter": "The messages can't be shorter without losing the question.",
    "casual": "They can't be more casual.",
    "formal": "They can't be more formal.",
    "avoid": "No message says that.",
    "mention": "The messages already say that.",
    "no_links": "These messages have no links.",
    "no_reaction": "This play has no reaction.",
    "no_note": "The invitation has no note.",
    "only_email": "This play only has emails.",
    "only_social": "This play has no emails.",
    "wait_longer": "The waits are as long as they can be.",
    "wait_less": "The waits are as short as they can be.",
    "question": "Every message already asks a question.",
    "add_followup": "There is no message to follow up on.",
    "no_exclaim": "These messages have no exclamation marks.",
    "signoff": "No email has a sign-off that I could change.",
    "short_name": "No message is signed with your last name.",
    "subject": "This play has no such email, or it has that subject.",
    "swap": "No message says that.",
    "cut_last": "Nothing would be left of that message.",
    "drop_one": "This play has no such message.",
    "only_some": "This play has no more messages than that.",
    "wait_for": "This play has no such message, or it waits that long.",
    "minutes": "No message asks for a call.",
    "title": "That message names their job title.",
    "email_first": "This play begins with the email, or has none.",
    "language": "The messages are in that language.",
    "one_question": "No message asks more than that.",
    "no_questions": "No message can do without its question.",
    "greeting": "The messages begin like that, or I can't tell their greeting.",
    "add_line": "The messages already say that.",
    "leave_out": "No message says that, or nothing else would be left.",
    "most_words": "The messages are that short, or can't be shorter without losing the question.",
}
ENGLISH_ALONE = "I can do that only with my English texts. Edit the words yourself, or connect an AI model."
_NO_EMAIL = "Nothing would be left, because this play has no emails."


def changed(brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str) -> Change:
    """Return the play after a wish, and a true answer about it."""
    now, done, told, rules, unread = list(steps), [], [], [], []
    language = tongue_of(brief.profile.language).code
    for one in change_requests.read(wish):
        if not one.kind:
            unread.append(one.said)
            continue
        if one.standing and one.kind in (
            "avoid",
            "mention",
            "no_links",
            "only_social",
            "shorter",
            "casual",
            "formal",
            "no_exclaim",
            "swap",
            "signoff",
            *learnt_rules.KINDS,
        ):
            rules.append(one.said)
        after = (
            _translated(brief, idea, now, one)
            if one.kind == "language"
            else change_requests.followed(now, one, language)
        )
        if one.kind in change_requests.ENGLISH_ONLY and language != "en":
            told.append(ENGLISH_ALONE)
        elif not after or (one.kind == "only_social" and not any(step.kind != "reaction" for step in after)):
            told.append(_NO_EMAIL if one.kind == "only_email" else "Nothing would be left of this play.")
        elif after == now:
            told.append(_NOTHING[one.kind])
        else:
            done.append(_did(one, now, after))
            now = after
    return Change(now, _reply(done, told, rules, unread), _next(now, wish), tuple(rules), _channel(brief, steps, now))


def _translated(brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: Wish) -> list[PlayStep]:
    """Return the starting text in another language, in the steps that are there."""
    profile = replace(brief.profile, language=change_requests.language_of(wish))
    written = {
        step.id: step for step in sequences.steps(replace(brief, profile=profile, channel="social_email"), idea.angle)
    }
    return [
        replace(step, text=written[step.id].text, subject=written[step.id].subject)
        if step.id in written and written[step.id].kind == step.kind and step.kind != "reaction"
        else step
        for step in steps
    ]


def _did(wish: Wish, before: Sequence[PlayStep], after: Sequence[PlayStep]) -> str:
    old = {step.id: step for step in before}
    touched = [number for number, step in enumerate(after, 1) if old.get(step.id) != step]
    where = f"step{'s' if len(touched) > 1 else ''} {listed([str(number) for number in touched])}"
    return _DONE[wish.kind].format(steps=where, words=listed([f"“{word}”" for word in wish.words]))


def _reply(done: Sequence[str], told: Sequence[str], rules: Sequence[str], unread: Sequence[str]) -> str:
    said = []
    if done:
        said.append(f"Done: I {listed(done)}.")
    said += dict.fromkeys(told)
    if rules:
        said.append(
            f"I keep {'this as a rule' if len(rules) == 1 else 'these as rules'} for everything I write from now on."
        )
    if unread and (done or told or rules):
        said.append(PARTLY.format(rest=listed([f"“{words.rstrip('.')}”" for words in unread])))
    elif unread:
        said.append(WITHOUT_MODEL)
        said.append("You can edit the words yourself, or ask for one of these.")
    return " ".join(said) or WITHOUT_MODEL


def _next(steps: Sequence[PlayStep], wish: str) -> tuple[str, ...]:
    emails = any(step.kind == "email" for step in steps)
    offers = [one for one in OFFERS if one.lower() not in wish.lower() and (emails or "email" not in one)]
    return tuple(offers[:4])


def _channel(brief: Brief, before: Sequence[PlayStep], after: Sequence[PlayStep]) -> str:
    had, has = (any(step.kind == "email" for step in several) for several in (before, after))
    if had == has:
        return ""
    return "social_email" if has else "social"
