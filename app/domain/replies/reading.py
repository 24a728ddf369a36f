"""Read a letter, with all modules of this package: its own words, what kind of letter it is, and what it announces.

Kinds are tried in this order: a wish to hear no more, a person who has left, an absence, a machine, a person.
Words count more than headers: a header that machines set says nothing of a letter in which a person speaks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.domain.replies import absence, own_words, postponement, referral, tone, wishes, words
from app.domain.replies.own_words import Own
from app.domain.replies.postponement import Postponement
from app.domain.replies.referral import Referral
from app.domain.replies.wishes import Wish
from app.models.conversations import Sentiment

READ = 20_000  # characters, quotations among them
SAID, SIGNED = 4000, 1500  # characters of own words and of a signature that decide what a letter is
LONGEST_SAID = 300
LONGEST_HELLO = 4  # words that open no letter: "Dear Sir or Madam,"
LONGEST_NOTICE = 200  # characters of a subject
# The number of a ticket.
_NUMBERED = re.compile(r"[#№]\s?\d{3,}|\b(?i:n[roº°]|num\w+|номер\w*)\.? ?\d{4,}|\b[A-Z]{2,8}-\d{3,}|\[[A-Z#]*\d{4,}\]")
_FORWARDS = re.compile(r"^\s{0,9}(?:fwd?|wg|tr|rv|vb|i|enc|转发|轉寄)\s*[:：]", re.IGNORECASE)  # never by a machine
NOTHING = Own("")
# The sentiment of a calendar's answer to an invitation, by that answer.
_CALENDAR = {"accepted": Sentiment.POSITIVE, "declined": Sentiment.GENERIC, "tentative": Sentiment.GENERIC}


class What(StrEnum):
    """What a letter is. `UNSURE`: it may ask for no more messages, and a member decides."""

    STOP = "stop"
    UNSURE = "unsure"
    GONE = "gone"
    AWAY = "away"
    MACHINE = "machine"
    PERSON = "person"


@dataclass(frozen=True)
class Letter:
    """An incoming letter: its text, with quotations marked by ">", and what else is known of it."""

    text: str
    at: datetime
    subject: str = ""
    automatic: bool = False  # its headers say that a machine wrote it
    form: str = ""  # see `ports.Received.form`
    ours: Sequence[str] = field(default=())  # what we sent to its writer


@dataclass(frozen=True)
class Reading:
    """What a letter says. `sentence` is the sentence that decided it."""

    what: What
    sentiment: str = Sentiment.GENERIC
    sentence: str = ""
    away_until: datetime | None = None
    postponement: Postponement | None = None
    referral: Referral | None = None
    own: Own = NOTHING

    @property
    def wants_out(self) -> bool:
        """Return whether it certainly is a wish to hear no more."""
        return self.what == What.STOP

    @property
    def is_reply(self) -> bool:
        """Return whether a person answered: no machine, no absence."""
        return self.what in (What.STOP, What.UNSURE, What.PERSON) or (self.what == What.GONE and not self.by_machine)

    @property
    def by_machine(self) -> bool:
        """Return whether a machine tells of a person who is gone."""
        return self.what == What.GONE and self.sentiment == ""


def read(letter: Letter) -> Reading:
    """Read a letter."""
    own = own_words.split(letter.text[:READ].replace("’", "'"), letter.ours)
    own = Own(own.said[:SAID], own.signature[:SIGNED], own.quoted)
    if not letter.automatic and _is_notice(letter.subject):
        letter = replace(letter, automatic=True)
    if letter.form == "receipt":
        return Reading(What.MACHINE, own=own)
    wish = wishes.find(own, letter.subject)
    if wish and wish.is_certain and tone.of(own.said.replace(wish.sentence, "")) == Sentiment.POSITIVE:
        wish = Wish(wish.sentence, False)  # "take me off, and let's talk" is unclear: never block on a guess
    if wish and wish.is_certain:
        return Reading(What.STOP, Sentiment.NEGATIVE, wish.sentence, own=own)
    if letter.form in _CALENDAR:
        return Reading(What.PERSON, _CALENDAR[letter.form], own=own)
    return _gone(letter, own) or _not_there(letter, own, wish) or _person(letter, own, wish)


def _is_notice(subject: str) -> bool:
    """Return whether a subject begins as those of automatic absence notes do: "Automatic reply: …"."""
    small = words.squeezed(subject)
    among = [one.name for one in words.written_in(subject)]
    patterns = [pattern for name in ("notice", "is") for pattern in words.finds("away", name, among)]
    return any(pattern.match(small) for pattern in patterns) and len(small) < LONGEST_NOTICE


def _gone(letter: Letter, own: Own) -> Reading | None:
    """Return a reading if the person left, retired or died, or the mailbox is closed; with the successor if named."""
    among = [one.name for one in words.spoken_in(own.said)]
    is_ticket = _NUMBERED.search(own.said) and _is_machine(letter, own)  # a ticket system's own "not monitored"
    if is_ticket or (not letter.automatic and tone.of(own.said) == Sentiment.POSITIVE):
        return None
    for begin, end in own_words.sentences(own.said):
        sentence = words.squeezed(own.said[begin:end])
        moved = letter.automatic and "@" in own.said and _says("gone", "moved", sentence, among)
        if moved or (_says("gone", "is", sentence, among) and not _says("gone", "isnt", sentence, among)):
            said = " ".join(own.said[begin:end].split())[:LONGEST_SAID]
            machine = letter.automatic or _is_machine(letter, own)
            sentiment = "" if machine else Sentiment.GENERIC
            return Reading(What.GONE, sentiment, said, referral=referral.read_own(own.said), own=own)
    return None


def _not_there(letter: Letter, own: Own, wish: Wish | None) -> Reading | None:
    """Return the reading of an absence or of a machine's receipt; None when a person speaks."""
    among = [one.name for one in words.spoken_in(own.said)]
    said = own.said or letter.subject
    speaks = absence.is_from_a_person(said, among) or (wish is not None and not letter.automatic)
    about = f"{letter.subject}\n{said}" if letter.automatic else said  # machines say it in either one
    refuses = tone.of(own.said) != Sentiment.GENERIC
    away = absence.says_away(about) or (absence.is_note(about) and absence.back(said, letter.at) is not None)
    if _is_machine(letter, own) and not away and not (speaks and not letter.automatic):
        return Reading(What.MACHINE, own=own)
    noted, theirs = absence.is_note(about if letter.automatic else _opening(said)), speaks or refuses
    away = (noted or not theirs) if letter.automatic else (noted and not theirs)  # a machine in whatever language
    until = absence.back(about, letter.at) or letter.at + absence.AWAY_DEFAULT
    return Reading(What.AWAY, away_until=until, own=own) if away else None


def _opening(said: str) -> str:
    """Return the sentences in which a note without a machine's header says that it is one."""
    found = [end for begin, end in own_words.sentences(said) if len(said[begin:end].split()) > LONGEST_HELLO]
    return said[: found[2]] if found[3:] else said


def _is_machine(letter: Letter, own: Own) -> bool:
    """Return whether it is a machine's receipt, ticket or challenge: one sign is enough in automatic mail, else two."""
    about = "" if wishes.answers(letter.subject) else letter.subject  # a reply's subject isn't its writer's words
    among = [one.name for one in words.written_in(f"{about} {own.said}")]
    whole = [about, *(own.said[begin:end] for begin, end in own_words.sentences(own.said))]
    squeezed = [words.squeezed(one) for one in whole[:60]]
    forwards = not letter.automatic and _FORWARDS.match(letter.subject)
    if forwards or any(_says("machine", "isnt", one, among) for one in squeezed):
        return False
    says = sum(_says("machine", "is", one, among) or _says("away", "notice", one, among) for one in squeezed)
    says += 2 * any(_says("machine", "itself", one, among) for one in squeezed)  # "this is an automated message"
    says += bool(says and _NUMBERED.search(f"{about} {own.said}"))
    return says >= (1 if letter.automatic else 2)


def _person(letter: Letter, own: Own, wish: Wish | None) -> Reading:
    """Return the reading of a person's words: perhaps a wish, else a tone, "not now" and another contact.

    A letter in a script of none of the known languages can't be judged, so a member is asked.
    """
    if not wish and not words.written_in(own.said) and any(map(str.isalpha, own.said)):
        wish = Wish(" ".join(own.said.split())[:LONGEST_SAID], False)
    later = postponement.until_the_day(wish.sentence, letter.at) if wish else None
    if wish and not later:
        return Reading(What.UNSURE, tone.of(own.said), wish.sentence, referral=referral.read_own(own.said), own=own)
    asked = later or postponement.read_own(own.said, letter.at)
    return Reading(What.PERSON, tone.of(own.said), postponement=asked, referral=referral.read_own(own.said), own=own)


def _says(table: str, name: str, sentence: str, among: Sequence[str]) -> bool:
    return any(words.languages()[one].says(table, name, sentence) for one in among)
