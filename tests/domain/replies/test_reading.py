"""Reading replies: tone, absence, and the wish to hear nothing more."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from app.domain.replies import own_words, reading
from app.domain.replies.reading import Letter, Reading, What
from app.providers.sandbox import texts
from tests.domain.replies.letters import texts_of

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday


def read(text: str, **more: Any) -> Reading:
    return reading.read(Letter(text, NOW, **more))


def test_replies_are_read_in_seven_languages() -> None:
    """As positive, negative or neither, and whether they wish to hear nothing more; none of these is an absence."""
    meant = {"wants_out": ("negative", True)}
    wrong = []
    for kind, written in texts_of("replies").items():
        for text in written:
            found = read(text)
            if (found.sentiment, found.wants_out) != meant.get(kind, (kind, False)) or found.away_until:
                wrong.append((kind, text))
    assert wrong == []


def test_quoted_texts_automatic_answers_and_long_ones_are_read_as_what_they_are() -> None:
    text = "Thanks for connecting.\n\nOn Mon, 2 Mar 2026 Ines Duarte wrote:\n> Not interested? Reply unsubscribe."
    found = read(text)
    assert (found.sentiment, found.wants_out, found.away_until) == ("generic", False, None)
    assert read("Thank you for your message.", automatic=True).away_until == NOW + timedelta(days=14)
    assert read("a " * 200_000 + "yes").sentiment == "generic"


def test_the_people_of_the_sandbox_are_understood_as_they_mean_it() -> None:
    """At least nine in ten of what they write in a tone is read as that tone."""
    meant = {"positive": "positive", "negative": "negative", "unsubscribe": "negative"}
    for tone, sentiment in meant.items():
        tones = [read(text).sentiment for text in texts.ANSWERS[tone]]
        assert tones.count(sentiment) >= 0.9 * len(tones), (tone, list(zip(tones, texts.ANSWERS[tone], strict=True)))
    for tone in ("neutral", "referral"):
        tones = [read(text).sentiment for text in texts.ANSWERS[tone]]
        assert tones.count("generic") >= 0.9 * len(tones), (tone, list(zip(tones, texts.ANSWERS[tone], strict=True)))


def test_what_mail_programs_quote_is_not_theirs() -> None:
    """Our own words below an answer are not read as an answer."""
    for quote in [
        "On Mon, 2 Mar 2026 at 09:00, Ines Duarte\n<ines@acme.example> wrote:\n> unsubscribe",
        "On Mon, 2 Mar 2026 at 09:00, Ines Duarte <ines@acme.example> wrote:\nunsubscribe",
        "Am Mo., 2. März 2026 um 09:00 Uhr schrieb Ines Duarte <ines@acme.example>:\nunsubscribe",
        "Le lun. 2 mars 2026 à 09:00, Ines Duarte a écrit :\nunsubscribe",
        "________________________________\nunsubscribe",
        "Von: Ines Duarte\nGesendet: Montag, 2. März 2026\nunsubscribe",
        "-----Ursprüngliche Nachricht-----\nunsubscribe",
    ]:
        assert own_words.own_and_quoted(f"Yes, gladly.\n\n{quote}")[0] == "Yes, gladly.", quote
        assert not read(f"Yes, gladly.\n\n{quote}").wants_out, quote


def test_wishes_to_hear_no_more_are_told_by_what_they_ask_for() -> None:
    """Certain ones, those a member is asked about, and what only mentions the words; in 40 languages."""
    known = texts_of("wishes")
    meant = {"certain": What.STOP, "unsure": What.UNSURE}
    wrong = [
        (kind, text, found.what)
        for kind, written in known.items()
        for text in written
        if (found := read(text)).what != meant.get(kind, What.PERSON)
    ]
    assert wrong == []


def test_people_who_are_not_there_any_more_are_known() -> None:
    known = texts_of("gone")
    assert [text for text in known["is"] if read(text, automatic=True).what != What.GONE] == []
    assert [text for text in known["isnt"] if read(text).what == What.GONE] == []
    named = read("I no longer work here. Please contact Tom Ng (tom@client.example) instead.", automatic=True)
    assert named.referral is not None
    assert (named.referral.name, named.referral.email) == ("Tom Ng", "tom@client.example")


def test_words_count_more_than_headers() -> None:
    """A person's own sentence under a machine's header, and a machine without one."""
    assert read("Yes, Tuesday works for me. Can you send an invite?", automatic=True).what == What.PERSON
    ticket = "Your request has been received. Ticket number 4821. Please do not reply to this email."
    assert read(ticket).what == What.MACHINE
    assert read("This is an automated message. We will look at it soon.").what == What.MACHINE
    unread = "Your request #4821 was received and is answered within 2 weeks. This mailbox is not monitored."
    assert read(unread, automatic=True).what == What.MACHINE  # neither gone nor away until then
    assert read("Our line is old. This is an automated line, we need two of them.").what == What.PERSON
    challenge = "To be delivered, your message needs confirmation. Click the link below to prove that you are human."
    assert read(challenge).what == What.MACHINE
    assert read("I have received your email and will get back to you soon.").what == What.PERSON
    assert read("Буду после 15 мая", subject="Автоответ: я в отпуске").away_until is not None
    assert read("", form="receipt").what == What.MACHINE
    for soon in texts_of("soon")["machine"]:
        assert read(soon, automatic=True).what == What.MACHINE, soon
    assert read("Accepted: Intro call", form="accepted").sentiment == "positive"


def test_what_we_sent_is_no_wish_of_theirs() -> None:
    ours = "Hi Jo, a question.\nIf it does not matter to you, reply unsubscribe and I will stop writing to you."
    mangled = "Sounds good.\n\n" + ours.replace("\n", " ").replace(" reply ", " reply\n")
    assert read(mangled, ours=[ours]).what == What.PERSON
    assert read("Stop writing to me.\n\n" + ours, ours=[ours]).what == What.STOP


def test_nothing_takes_long() -> None:
    """Whatever a stranger writes; what stands further down decides nothing."""
    for text in [
        "a ",
        "stop ",
        "> x\n",
        "On Mon, 2026 at 10:00 x\n",
        "From: a\n",
        "a@",
        "配信停止を希望する",
        "12/5 until ",
        "_",
    ]:
        began = time.monotonic()
        read(text * (20_000 // len(text)))
        assert time.monotonic() - began < 5, text
