"""Reading replies: tone, absence, and the wish to hear nothing more."""

from datetime import UTC, datetime, timedelta

from app.domain.rules import own_words
from app.domain.rules.replies import reply_classifier
from app.providers.sandbox import texts

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday


def test_replies_are_positive_negative_or_generic() -> None:
    """A yes, a no, and neither."""
    assert reply_classifier.read("Sounds great, let's talk next week.", NOW).sentiment == "positive"
    assert reply_classifier.read("Thanks, but not interested.", NOW).sentiment == "negative"
    assert reply_classifier.read("Thanks for connecting.", NOW).sentiment == "generic"


def test_interest_is_positive() -> None:
    for text in [
        "Yes!", "Sure, why not", "👍", "Happy to chat on Thursday", "Could you send me the details?", "How much is it?",
    ]:  # fmt: skip
        assert reply_classifier.read(text, NOW).sentiment == "positive", text


def test_a_no_is_negative() -> None:
    for text in [
        "No thanks", "We’re all set", "I'll pass", "not at this time", "We already use something", "Thank you, but no.",
    ]:  # fmt: skip
        assert reply_classifier.read(text, NOW).sentiment == "negative", text


def test_the_name_of_someone_else_is_neither_yes_nor_no() -> None:
    for text in [
        "Wrong person, but the right company. Ask for Bo.",
        "Not my area, sorry. Our head of operations decides on such things.",
        "I no longer work there. Talk to Bo.",
        "I'm not the right person for this. Bo looks after it.",
        "Please contact Bo, I have nothing to do with purchasing.",
    ]:
        reading = reply_classifier.read(text, NOW)
        assert (reading.sentiment, reading.wants_out, reading.away_until) == ("generic", False, None), text


def test_a_no_that_names_someone_else_is_a_no() -> None:
    assert reply_classifier.read("Wrong person, and we are not interested either.", NOW).sentiment == "negative"


def test_the_wish_to_hear_nothing_more_is_heard() -> None:
    for text in [
        "STOP", "Please remove me from your list", "unsubscribe", "Don't contact me again", "Delete my contact details",
    ]:  # fmt: skip
        reading = reply_classifier.read(text, NOW)
        assert reading.wants_out, text
        assert reading.sentiment == "negative", text


def test_quoted_text_is_not_theirs() -> None:
    text = "Thanks for connecting.\n\nOn Mon, 2 Mar 2026 Ines Duarte wrote:\n> Not interested? Reply unsubscribe."
    reading = reply_classifier.read(text, NOW)
    assert (reading.sentiment, reading.wants_out, reading.away_until) == ("generic", False, None)


def test_an_automatic_answer_is_an_absence_whatever_it_says() -> None:
    assert reply_classifier.read("Thank you for your message.", NOW, automatic=True).away_until == NOW + timedelta(
        days=14
    )


def test_a_no_that_mentions_a_holiday_is_a_no() -> None:
    assert reply_classifier.read("I am on holiday and not interested.", NOW).sentiment == "negative"
    assert reply_classifier.read("I am on holiday and not interested.", NOW).away_until is None


def test_long_texts_are_read_in_time() -> None:
    assert reply_classifier.read("a " * 200_000 + "yes", NOW).sentiment == "generic"


def test_the_people_of_the_sandbox_are_understood_as_they_mean_it() -> None:
    """At least nine in ten of what they write in a tone is read as that tone."""
    meant = {"positive": "positive", "negative": "negative", "unsubscribe": "negative"}
    for tone, sentiment in meant.items():
        read = [reply_classifier.read(text, NOW).sentiment for text in texts.ANSWERS[tone]]
        assert read.count(sentiment) >= 0.9 * len(read), (tone, list(zip(read, texts.ANSWERS[tone], strict=True)))
    for tone in ("neutral", "referral"):
        read = [reply_classifier.read(text, NOW).sentiment for text in texts.ANSWERS[tone]]
        assert read.count("generic") >= 0.9 * len(read), (tone, list(zip(read, texts.ANSWERS[tone], strict=True)))


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
        assert not reply_classifier.read(f"Yes, gladly.\n\n{quote}", datetime(2026, 3, 2, tzinfo=UTC)).wants_out, quote


def test_a_yes_is_heard_in_seven_languages() -> None:
    for text in [
        "Ja, gerne, schicken Sie mir mehr dazu.", "Klingt interessant, wann haben Sie Zeit?",
        "Wir haben schon einen Anbieter, aber senden Sie mir bitte Ihre Preise.",
        "Avec plaisir, on peut en parler jeudi.", "Cela m’intéresse, pouvez-vous m’envoyer vos tarifs ?",
        "Sí, me interesa. ¿Cuándo podemos hablar?", "Suena bien, mándeme más información.",
        "Volentieri, mi mandi pure qualche dettaglio in più.", "Interessante, quando possiamo sentirci?",
        "Graag, wanneer komt het uit?", "Lijkt me interessant, stuur maar wat informatie.",
        "Claro, pode me mandar mais detalhes?", "Temos interesse, podemos marcar uma conversa?",
    ]:  # fmt: skip
        reading = reply_classifier.read(text, NOW)
        assert (reading.sentiment, reading.wants_out) == ("positive", False), text


def test_a_no_is_heard_in_seven_languages_and_is_no_wish_to_hear_nothing_more() -> None:
    for text in [
        "Danke, aber wir haben keinen Bedarf.", "Nein danke, wir sind bestens versorgt.",
        "Merci, mais nous avons déjà un prestataire.", "Non merci.", "Gracias, pero no nos interesa.",
        "Ya trabajamos con otra empresa.", "No grazie, siamo già coperti.", "Al momento non ci serve.",
        "Nee bedankt, we zijn al voorzien.", "Daar hebben we geen behoefte aan.", "Obrigado, mas não temos interesse.",
        "Já temos fornecedor.",
    ]:  # fmt: skip
        reading = reply_classifier.read(text, NOW)
        assert (reading.sentiment, reading.wants_out) == ("negative", False), text


def test_the_wish_to_hear_nothing_more_is_heard_in_seven_languages() -> None:
    for text in [
        "Bitte schreiben Sie mir nicht mehr.", "Nehmen Sie mich aus Ihrem Verteiler.",
        "Merci de me retirer de votre liste.", "Ne me contactez plus.", "Bórreme de su lista, por favor.",
        "No me escriban más.", "Cancellatemi dalla vostra lista.", "Non scrivetemi più.", "Haal mij van uw lijst.",
        "Graag niet meer mailen.", "Tire meu e-mail da lista, por favor.", "Não me mande mais mensagens.",
    ]:  # fmt: skip
        reading = reply_classifier.read(text, NOW)
        assert reading.wants_out, text
        assert reading.sentiment == "negative", text


def test_what_is_neither_yes_nor_no_is_generic_in_seven_languages() -> None:
    for text in [
        "Danke für die Nachricht, ich leite sie intern weiter.", "Guten Tag, woher haben Sie meine Adresse?",
        "Merci, je transmets à ma collègue.", "Gracias por conectar.",
        "Grazie per il messaggio, ne parlo con il mio socio.", "Bedankt voor je bericht, ik kijk ernaar.",
        "Obrigado pelo contato, vou analisar.",
    ]:  # fmt: skip
        reading = reply_classifier.read(text, NOW)
        assert (reading.sentiment, reading.wants_out) == ("generic", False), text
