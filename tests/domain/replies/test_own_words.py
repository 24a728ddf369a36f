"""Own words: what stays of a reply without quotations, signature and footer."""

import time

from app.domain.replies import own_words, words


def test_what_stands_below_an_answer_is_not_what_they_say() -> None:
    for below in [
        "Kind regards\nBob Smith\nHead of Sales",
        "Mit freundlichen Grüßen\nBob Smith",
        "Cordialement,\nBob",
        "-- \nBob Smith",
        "Sent from my iPhone",
        "Em seg., 2 de mar. de 2026 às 09:00, Ines <ines@acme.example> escreveu:\nWho decides?",
        "Den mån 2 mars 2026 kl 09:00 skrev Ines <ines@acme.example>:\nWho decides?",
        "W dniu 2.03.2026 o 09:00 Ines Duarte pisze:\nWho decides?",
        "This e-mail and its attachments are confidential and meant for the addressee.",
    ]:
        assert own_words.said(f"Talk to Anna.\n\n{below}") == "Talk to Anna.", below


def test_answers_below_a_quotation_and_postscripts_stay() -> None:
    assert own_words.said("> Who decides?\n\nAnna does.") == "Anna does."
    assert own_words.said("Yes.\n\nBest,\nBob\n\nPS: Or ask Anna.") == "Yes.\nPS: Or ask Anna."
    assert own_words.said("Anna does.\nOn Mon, 2 Mar 2026, Ines wrote:\n> Who?") == "Anna does."
    assert own_words.said("Thanks for the quick help!\nAnna decides.") == "Thanks for the quick help!\nAnna decides."


def test_a_header_within_a_line_begins_a_quotation() -> None:
    """Some programs join the lines of a letter; a sentence that names an address and a day stays."""
    for flat in [
        "Ok 351 7654321  Il 22 Set 2026 07:08, F. M. <info@acme.example> ha scritto: Se non ti interessa rispondi STOP",
        "Ok 351 7654321 On Tue, 3 Nov 2026 at 10:00, Ines <ines@acme.example> wrote: Reply STOP for no more",
        "Ok 351 7654321 Am 03.11.2026 um 10:00 schrieb Ines <ines@acme.example>: Antworten Sie STOP",
        "Ok 351 7654321 Le 3 nov. 2026 à 10:00, Ines <ines@acme.example> a écrit : Répondez STOP",
        "Ok 351 7654321 Op 3 nov. 2026 10:00 schreef Ines <ines@acme.example>: Antwoord STOP",
    ]:
        assert own_words.said(flat) == "Ok 351 7654321", flat
    told = "We met Ann <ann@acme.example> on 3 May 2026, and she told us."
    assert own_words.said(told) == told


def test_the_plain_text_has_a_letter_for_each() -> None:
    text = "Größe, Łódź, à la rentrée, smørrebrød"
    assert len(words.plain(text)) == len(text)
    assert words.plain("mañana, März") == "manana, Marz"


def test_a_drawn_line_begins_a_quotation_however_it_is_drawn() -> None:
    for line in ["-" * 10, "_" * 32, "-----Original Message-----", "--- On Monday, Ines wrote ---", "  *********  "]:
        assert own_words.said(f"Talk to Anna.\n{line}\nFrom: Ines\nSent: Monday\n\nWho decides?") == "Talk to Anna.", (
            line
        )
    for line in ["-- x", "--", "- a point -", "--- " + "x" * 71 + " ---"]:
        assert not own_words._is_ruled(line), line


def test_a_hostile_letter_is_read_in_no_time_and_shown_as_a_whole() -> None:
    """Forty-nine lines of hyphens took six seconds; what is not read is shown as the line before it."""
    letter = "\n".join(["-" * 399 + "x"] * 100)
    began = time.thread_time()
    own_words.split(letter)
    written, quoted = own_words.own_and_quoted(letter)
    assert time.thread_time() - began < 1
    assert len(written) + len(quoted) == len(letter)
    long = "Anna decides.\n> Who?\n" + "> And when?\n" * 5000
    assert own_words.own_and_quoted(long)[0] == "Anna decides."
