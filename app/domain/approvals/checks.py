"""Automatic checks of a draft before its approval: one table; a failed check is a warning beside the text."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign, grammar
from app.domain.rules.step_kinds import STEPS
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.workspaces import Workspace

SUBJECT = 200
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|dear|good (?:morning|afternoon|day)|thanks? (?:you )?for connecting),?\s+"
    r"(?P<name>[^\W\d_][^\s,.!?:;–—-]*)",
    re.IGNORECASE,
)
_NO_NAMES = {"there", "all", "team", "everyone", "everybody", "again", "and", "reader", "you", "friend", "colleague"}


@dataclass(frozen=True)
class Draft:
    """What is checked: the kind of step, the whole text with its parts, the subject, and the lead it is for."""

    kind: str
    text: str
    subject: str
    lead: Any
    longest: int  # characters that one message may have
    later: bool = False  # a follow-up: an earlier email gives it the subject
    campaign_id: int = 0
    values: Sequence[str] = ()  # the person's values in the text: braces inside them are no template syntax
    opener: Mapping[str, Any] | None = None  # see models.approvals.Approval


@dataclass(frozen=True)
class Check:
    """The result of one check. A `blocking` one must be fixed before the draft is sent.

    A `claim` has no source: it must be edited, or a named person stands by its `words`.
    """

    code: str
    passed: bool
    sentence: str
    blocking: bool = False
    claim: bool = False
    words: Sequence[str] = ()

    def shown(self) -> dict[str, Any]:
        """Return the check as it is stored with the draft."""
        return {**{name: value for name, value in asdict(self).items() if name != "passed"}, "words": list(self.words)}


Fact = dict[str, str]


class PlayDrafts(Protocol):
    """The interface for drafts of plays; the autopilot implements it, as this package must not import it."""

    def facts(self, campaign: Campaign, step: int, lead: Lead) -> Sequence[Fact]:
        """Return the sources of a step's text: dicts of kind, label and text for "Written from"."""

    def supported(self, draft: Draft) -> Check | None:
        """Check the claims of a draft; None when it belongs to no play."""

    def stand_by(self, workspace: Workspace, sentences: Collection[str], stands: bool) -> None:
        """Record that a person vouches for these sentences, or no longer does. Inside a transaction."""


_plays: PlayDrafts | None = None


def connect_plays(known: PlayDrafts) -> None:
    """Connect the autopilot; `app/listeners.py` does."""
    global _plays
    _plays = known


def plays() -> PlayDrafts:
    """Return the registered PlayDrafts."""
    assert _plays is not None, "create_app connects it"
    return _plays


def verdicts(draft: Draft) -> list[Check]:
    """Run all checks, those of plays last."""
    looks = (_empty, _variables, _foreign, _length, _name, _subject, plays().supported)
    found = (look(draft) for look in looks)
    return [verdict for verdict in found if verdict is not None]


def _empty(draft: Draft) -> Check | None:
    if message_templates.split(draft.text) or STEPS[draft.kind].text == "optional":
        return None
    return Check("empty", False, "The text is empty.", blocking=True)


def _variables(draft: Draft) -> Check:
    kept = message_templates.WAY_OUT if draft.kind == "email" else ""  # the link is filled in when the email is sent
    text, subject = _without(draft.text, draft.values), _without(draft.subject, draft.values)
    body = [piece for piece, is_syntax in message_templates.marked(text) if is_syntax]
    left = [piece for piece in body if piece.strip("{} ").partition("|")[0].strip() != kept]
    left += [piece for piece, is_syntax in message_templates.marked(subject) if is_syntax]
    if drawn := [piece for piece in left if not piece.startswith("{{") or piece.startswith("{{#")]:
        return Check("variable", False, f"Replace the placeholder {drawn[0]} with text.", blocking=True)
    if left:
        names = ", ".join(dict.fromkeys(left))
        return Check("variable", False, f"No value for {names}. Write the text instead.", blocking=True)
    if grammar.parse(text).faults or grammar.parse(subject).faults:
        return Check("variable", False, "The text still has a variable's braces. Replace them.", blocking=True)
    return Check("variable", True, "All variables filled in")


def _without(text: str, values: Sequence[str]) -> str:
    """Return the text without the person's own values, whose braces mean nothing."""
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "")
    return text


def _foreign(draft: Draft) -> Check | None:
    found = [one for text in (draft.text, draft.subject) for one in foreign.find(_without(text, draft.values))]
    left = [one.source for one in found if not one.source.startswith("{{")]
    return Check("foreign", False, f"{left[0]} looks like a placeholder. Write the text instead.") if left else None


def _length(draft: Draft) -> Check:
    longest = max((len(part) for part in message_templates.split(draft.text)), default=0)
    if longest > draft.longest:
        return Check(
            "too_long", False, f"The text has {longest} characters; the maximum is {draft.longest}.", blocking=True
        )
    if len(draft.subject) > SUBJECT:
        sentence = f"The subject has {len(draft.subject)} characters; the maximum is {SUBJECT}."
        return Check("too_long", False, sentence, blocking=True)
    return Check("too_long", True, "Length is OK")


def _name(draft: Draft) -> Check | None:
    """Check that the greeting uses the profile's name."""
    greeted = _GREETING.match(draft.text)
    if greeted is None or greeted["name"].casefold() in _NO_NAMES:
        return None
    name, own = greeted["name"].casefold(), f"{draft.lead.first_name} {draft.lead.last_name}".casefold()
    if any(name == part.strip(",.") for part in own.replace("-", " ").split()) or (own.strip() and name in own):
        return Check("name", True, "Name matches the profile")
    known = f"the profile says {draft.lead.first_name}" if draft.lead.first_name else "the profile has no first name"
    return Check("name", False, f"The text greets {greeted['name']}, but {known}.")


def _subject(draft: Draft) -> Check | None:
    if draft.kind != "email" or draft.subject.strip() or draft.later:
        return None
    return Check("subject", False, "The email has no subject.")
