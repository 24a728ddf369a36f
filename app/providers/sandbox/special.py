"""People whose public id says how they behave, for tests and demonstrations.

What comes before the name decides: `accepts-ada`, `away-grace`. The longest prefix that fits counts.

    accepts-          accepts after an hour, never answers; so do most of those below
    late-accepts-     accepts after 25 days, even when the invitation was withdrawn
    ignores-          never accepts, never answers
    connected-        has been a connection all along
    replies-TONE-     answers the first message two hours later; TONE is positive, negative, neutral, question,
                      referral or unsubscribe; the first two answer once more what is written back
    away-             is out of office until a date
    closed-           takes no InMail
    refuses-          lets nothing be done
    bounces-          has no mailbox; of soft-bounces- the first email comes back and the next arrives
    lost-answer-      it happens, but the answer is lost (Unknown); asked afterwards, the network knows
    lost-request-     the first try is lost on the way (Unknown); asked afterwards, the network says no
    cannot-tell-      it happens, the answer is lost, and the network cannot tell afterwards either
    unreachable-      the first try of each action fails, the next one works; of never-reachable- none does
    limits-           the first try is answered with a daily limit, of weekly-limits- with a weekly one
    challenges-       the first try makes the network ask for proof of a person; logs-out- ends the login
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from app.ports import LoggedOut, ProviderError, Throttled, Unknown, Unreachable

CHALLENGED = "The network needs a security check for this account."
LOGGED_OUT = "The network signed this account out."


@dataclass(frozen=True)
class Character:
    """How a special person behaves; nothing is left to chance."""

    accepts_after: timedelta | None = None
    ignores: bool = False
    late: bool = False
    tone: str = ""  # of the answer to the first message; "" for never
    away: bool = False
    bounce: str = ""  # hard or soft
    connected: bool = False
    closed: bool = False
    refuses: bool = False
    failure: Callable[[], ProviderError] | None = None  # raised at the first try of each action
    always: bool = False  # the failure is raised every time
    happens: bool = False  # in spite of the failure
    hidden: bool = False  # and cannot be looked up


HOUR = timedelta(hours=1)
DAILY, WEEKLY = "The network says the daily limit is reached.", "The network says the weekly limit is reached."


def _lost() -> ProviderError:
    return Unknown("The network did not confirm it.")


def _unreachable() -> ProviderError:
    return Unreachable("The network is not reachable.")


def daily() -> ProviderError:
    """Return the error of the network's daily limit."""
    return Throttled(DAILY, 86_400)


def weekly() -> ProviderError:
    """Return the error of the network's weekly limit."""
    return Throttled(WEEKLY, 7 * 86_400)


def challenged() -> ProviderError:
    """Return the error of a security check."""
    return LoggedOut(CHALLENGED, challenged=True)


def logged_out() -> ProviderError:
    """Return the error of a logged-out account."""
    return LoggedOut(LOGGED_OUT)


SPECIAL: dict[str, Character] = {
    "accepts-": Character(accepts_after=HOUR),
    "ignores-": Character(ignores=True),
    "connected-": Character(connected=True),
    "late-accepts-": Character(accepts_after=timedelta(days=25), late=True),
    "away-": Character(accepts_after=HOUR, away=True),
    "closed-": Character(closed=True),
    "refuses-": Character(refuses=True),
    "bounces-": Character(ignores=True, bounce="hard"),
    "soft-bounces-": Character(ignores=True, bounce="soft"),
    "lost-answer-": Character(accepts_after=HOUR, failure=_lost, happens=True),
    "lost-request-": Character(accepts_after=HOUR, failure=_lost),
    "cannot-tell-": Character(accepts_after=HOUR, failure=_lost, happens=True, hidden=True),
    "unreachable-": Character(accepts_after=HOUR, failure=_unreachable),
    "never-reachable-": Character(failure=_unreachable, always=True),
    "limits-": Character(accepts_after=HOUR, failure=daily),
    "weekly-limits-": Character(accepts_after=HOUR, failure=weekly),
    "challenges-": Character(accepts_after=HOUR, failure=challenged),
    "logs-out-": Character(accepts_after=HOUR, failure=logged_out),
}
SPECIAL |= {
    f"replies-{tone}-": Character(accepts_after=HOUR, tone=tone)
    for tone in ("positive", "negative", "neutral", "question", "referral", "unsubscribe")
}
_LONGEST_FIRST = sorted(SPECIAL, key=len, reverse=True)


def character(person: str) -> Character | None:
    """Return the behavior that the public id sets; None for ordinary people."""
    for prefix in _LONGEST_FIRST:
        if person.startswith(prefix):
            return SPECIAL[prefix]
    return None
