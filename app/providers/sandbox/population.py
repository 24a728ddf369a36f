"""The people of the sandbox network: every public id exists. What they do follows from seed and public id.

About one in three accepts an invitation, 20 minutes to 12 days later. About one in four of those who get a message
replies: 22 % to the first message, few of the rest to a later one. People of one search of the directory do so evenly:
of every sixteen in a row five accept, so that no founder who tries the sandbox waits for weeks by bad luck. Nothing
here has memory or reads the clock.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from hashlib import blake2b
from statistics import NormalDist

from app.ports import AccountRef, LoggedOut, PersonRef, ProviderError, Throttled, Unknown, Unreachable
from app.providers.sandbox import texts

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
    return Unknown("The network didn't confirm the action.")


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
    """Return the behavior that the public id sets, for tests and demonstrations; None for ordinary people.

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
    for prefix in _LONGEST_FIRST:
        if person.startswith(prefix):
            return SPECIAL[prefix]
    return None


ACCEPTS, LATE = 0.33, 0.03  # of all; of those who do not accept in time
ANSWERS = (0.22, 0.05, 0.04)  # the first, the second, the third message; less is not worth a fourth
GOES_ON = 0.4  # answers a message that follows on an answer
CURIOUS = ("positive", "question")  # special people of these tones answer once more
AWAY = 0.05
HARD_BOUNCE, SOFT_BOUNCE = 0.03, 0.02
CLOSED, WITHOUT_POSTS, GONE = 0.08, 0.08, 0.01
TONES = (
    ("positive", 0.32),
    ("question", 0.18),
    ("neutral", 0.20),
    ("negative", 0.18),
    ("referral", 0.06),
    ("unsubscribe", 0.06),
)
OFFSETS = (-8, -6, -5, -5, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 5.5, 8)  # hours from UTC at which people live
MORNING, NIGHT = time(7, 30), time(21, 30)
_NORMAL = NormalDist()
_OF_A_SEARCH = re.compile(r"-([0-9a-f]{6})([0-9a-f]{4})$")  # which search found a person, and at which place
ROW = 16  # people in a row over whom a draw is spread evenly


def draw(*what: object) -> float:
    """Return a number from 0 to 1 derived from the arguments."""
    return int.from_bytes(blake2b("|".join(map(str, what)).encode(), digest_size=7).digest(), "big") / 2**56


@dataclass(frozen=True)
class Answer:
    """Something a person writes, and after how long."""

    at: datetime
    text: str
    automatic: bool = False


@dataclass(frozen=True)
class Person:
    """One member of the network."""

    seed: int
    ref: PersonRef
    special: Character | None

    @classmethod
    def of(cls, seed: int, ref: PersonRef) -> "Person":
        """Return the person with that public id in the network of that seed."""
        return cls(seed, ref, character(ref.person))

    def chance(self, *what: object) -> float:
        """Return a number from 0 to 1 derived from the person and the arguments; always the same.

        Of each sixteen people in a row of a search, every sixteenth of the way from 0 to 1 has one.
        """
        drawn = draw(self.seed, self.ref.person, *what)
        found = _OF_A_SEARCH.search(self.ref.person)
        if not found:
            return drawn
        row, place = divmod(int(found[2], 16), ROW)
        order = sorted(range(ROW), key=lambda one: draw(self.seed, found[1], row, one, *what))
        return (order[place] + drawn) / ROW

    def _one_of(self, choices: Sequence[str], *what: object) -> str:
        return choices[int(self.chance(*what) * len(choices))]

    def refusal(self, kind: str) -> str:
        """Return why an action of that kind on them is never possible; '' if it is."""
        if self.special:
            return "The network doesn't allow this action for this person." if self.special.refuses else ""
        return "This profile no longer exists." if kind != "email" and self.chance("gone") < GONE else ""

    @property
    def closed(self) -> bool:
        """Return whether they accept no InMail."""
        return self.special.closed if self.special else self.chance("closed") < CLOSED

    @property
    def posts(self) -> bool:
        """Return whether they have a post to like."""
        return self.special is not None or self.chance("posts") >= WITHOUT_POSTS

    @property
    def connected(self) -> bool:
        """Return whether they were a connection from the start."""
        return self.special is not None and self.special.connected

    def accepts(self, invited: datetime) -> tuple[datetime, bool] | None:
        """Return when they accept, and whether a withdrawal comes too late; None if they never do."""
        if self.special:
            wait = self.special.accepts_after
            return (invited + wait, self.special.late) if wait else None
        draw = self.chance("accepts")
        if draw < ACCEPTS:
            longest = timedelta(days=12)
            return self._awake(invited + self._wait("accepts after", timedelta(hours=13), 1.8, 20, longest)), False
        if draw < ACCEPTS + LATE * (1 - ACCEPTS):
            return self._awake(invited + timedelta(days=22 + 12 * self.chance("late"))), True
        return None

    def bounce(self, number: int) -> tuple[bool, str] | None:
        """Return whether the `number`th email bounces for good, and the sentence; None when it arrives."""
        draw = self.chance("bounces")
        if self.special:
            draw = {"hard": 0.0, "soft": HARD_BOUNCE}.get(self.special.bounce, 1.0)
        if draw < HARD_BOUNCE:
            return True, self._one_of(texts.HARD_BOUNCES, "bounce")
        if draw < HARD_BOUNCE + SOFT_BOUNCE and number == 1:
            return False, self._one_of(texts.SOFT_BOUNCES, "bounce")
        return None

    def answers(
        self, account: AccountRef, kind: str, number: int, answered: bool, sent: datetime, heard: int = 0
    ) -> list[Answer]:
        """Return what they write after our `number`th message; `answered` if they have written, or will.

        `heard` is how often they have written by now.
        """
        written, back = [], sent
        if number == 1 and (self.special.away if self.special else self.chance("away") < AWAY):
            delay = timedelta(minutes=1 if kind == "email" else 3 + 20 * self.chance("away after"))
            returns = (sent + timedelta(days=3 + int(12 * self.chance("returns")))).date()
            written.append(Answer(sent + delay, self._away_text(returns, account), automatic=kind == "email"))
            back = datetime.combine(returns, MORNING, sent.tzinfo)
        tone = self._tone(number, answered, heard)
        if tone:
            moment = self._answered_at(number, back)
            written.append(Answer(moment, self._text(tone, number, account)))
        return written

    def _tone(self, number: int, answered: bool, heard: int) -> str:
        if answered and self.special:
            return "after" if self.special.tone in CURIOUS and heard == 1 else ""
        if answered:
            return "after" if self.chance("goes on", number) < GOES_ON else ""
        if self.special:
            return self.special.tone if number == 1 else ""
        if self.chance("answers", number) >= (*ANSWERS, 0.0)[min(number, len(ANSWERS) + 1) - 1]:
            return ""
        draw = self.chance("tone")
        for tone, share in TONES:
            draw -= share
            if draw < 0:
                return tone
        return TONES[-1][0]

    def _answered_at(self, number: int, start: datetime) -> datetime:
        if self.special:
            return start + timedelta(hours=2)
        wait = self._wait(f"answers after {number}", timedelta(hours=6), 1.5, 4, timedelta(days=4))
        return self._awake(start + wait)

    def _wait(self, what: str, median: timedelta, spread: float, least: int, most: timedelta) -> timedelta:
        """Return a log-normal wait: many short, few long. `least` is in minutes."""
        draw = min(max(self.chance(what), 1e-9), 1 - 1e-9)
        drawn = median * math.exp(spread * _NORMAL.inv_cdf(draw))
        return max(timedelta(minutes=least), min(drawn, most))

    def _awake(self, moment: datetime) -> datetime:
        """Return the time, moved to the next morning where they live if it falls in their night."""
        offset = timedelta(hours=OFFSETS[int(self.chance("lives") * len(OFFSETS))])
        local = moment + offset
        if MORNING <= local.time() < NIGHT:
            return moment
        day = local.date() + timedelta(days=1 if local.time() >= NIGHT else 0)
        breakfast = timedelta(minutes=150 * self.chance("breakfast", day))
        return datetime.combine(day, MORNING, moment.tzinfo) + breakfast - offset

    def _names(self, account: AccountRef) -> dict[str, str]:
        own = self.ref.first_name or self.ref.person.split("-")[-1 if self.special else 0].capitalize()
        colleague = self._one_of(texts.COLLEAGUES, "colleague")
        return {"sender": account.name.split(" ")[0] or "there", "me": own, "colleague": colleague}

    def _text(self, tone: str, number: int, account: AccountRef) -> str:
        return self._one_of(texts.ANSWERS[tone], "text", tone, number).format(**self._names(account))

    def _away_text(self, returns: date, account: AccountRef) -> str:
        form = texts.DAYS[int(self.chance("form of the day") * len(texts.DAYS))]
        return self._one_of(texts.AWAY, "away text").format(day=form(returns), **self._names(account))
