"""The hand-written sequences: whole sentences on every occasion, in every language, within what people read."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from app.ports import ANGLES, Refused
from app.ports.writer import Brief, CustomerType, PlayStep, Profile
from app.providers.writer import sequences

PITCH = "We keep the books for HVAC, plumbing and electrical companies."
CHANGE, PROOF = "You see what each job earned before you price the next one.", "We've done this since 2009."
KINDS, CHANNELS = ("service", "software", "goods"), ("social", "social_email", "email")
OFFERS = ("", "a free look at one month")


def brief(**given: str) -> Brief:
    known = {"language": "en", "pitch": PITCH, "topic": "bookkeeping", "kind": "service", "name": "911 Bookkeepers"}
    asked = {name: given.pop(name) for name in ("channel", "offer", "offer_kind") if name in given}
    return Brief(Profile("", "", **{**known, **given}), sender_name="Jason Berke", **asked)  # type: ignore[arg-type]


def every() -> Iterator[tuple[str, Brief, PlayStep]]:
    for language, angle, kind, channel, offer in product(sequences.LANGUAGES, ANGLES, KINDS, CHANNELS, OFFERS):
        told = {"offer": offer, "offer_kind": "other" if offer else "call", "channel": channel}
        one = brief(language=language, kind=kind, change=CHANGE, proof=PROOF, **told)
        for step in sequences.steps(one, angle.code):
            yield f"{language} {angle.code} {step.id}", one, step


def test_every_message_is_as_short_as_people_read_and_asks_one_thing() -> None:
    most = {"invite": 40, "social": sequences.MOST_MESSAGE, "email": sequences.MOST_EMAIL, "reaction": 0}
    for where, _, step in every():
        text = sequences.typical(step.text)
        assert len(text.split()) <= most[step.kind], where
        assert text.count("?") <= 1, where
        assert "http" not in text, where
        assert len(text) <= sequences.LONGEST_NOTE or step.kind != "invite", where
        assert len(sequences.typical(step.subject)) <= sequences.LONGEST_SUBJECT, where


def test_no_slot_is_left_open_and_every_sentence_begins_and_ends_as_one() -> None:
    for where, _, step in every():
        text = sequences.typical(step.text)
        assert not re.search(r"[{}]|  |\.\.|[.!?][a-z]", text), where
        for line in text.split("\n\n")[1:-1]:
            assert line.endswith((".", "?", "!")), where


def test_the_founders_sentence_stands_in_the_messages_as_it_was_typed() -> None:
    for angle in ANGLES:
        texts = [step.text for step in sequences.steps(brief(), angle.code)]
        assert sum(PITCH in text for text in texts) == (0 if angle.code == "former_customers" else 2)


def test_a_sentence_whose_words_are_not_known_falls_away_whole() -> None:
    texts = [step.text for step in sequences.steps(brief(name=""), "cold")]
    assert "I'm {{sender_name|Jason Berke}} and have a question about bookkeeping" in texts[1]
    assert "get out of it" not in texts[3]
    told = [step.text for step in sequences.steps(brief(change=CHANGE), "cold")]
    assert f"with us, {CHANGE[0].lower()}{CHANGE[1:]} Would a 15-minute call" in told[3]
    for language, change, said in (
        ("de", "Sie bekommen alles aus einer Hand.", "Mit uns bekommen Sie alles"),
        ("nl", "U weet vooraf wat het kost.", "bij ons weet u vooraf"),
        ("de", "Sie schicken uns eine Zeichnung.", "noch ein Punkt: Sie schicken uns"),
        ("de", "Jeder Termin wird gehalten.", "zum Ergebnis: Jeder Termin"),
        ("nl", "Je hebt één aanspreekpunt en daarna warmte.", "bij ons heb je één aanspreekpunt en"),
        ("it", "La torta arriva in orario.", "con noi la torta arriva"),
        ("pt", "Com o balanceamento, o pneu dura mais.", "ais um ponto: com o balanceamento"),
        ("nl", "Je deur sluit weer goed.", "over het resultaat: je deur"),
        ("nl", "U stuurt een scan in en heeft het snel.", "nog één ding: u stuurt een scan in en heeft"),
    ):
        assert said in sequences.steps(brief(language=language, change=change), "cold")[3].text
    alone = brief(language="fr", change="Vous recevez un film monté.", pitch="Je filme des mariages.")
    assert "avec moi, vous recevez" in sequences.steps(alone, "cold")[3].text
    runs = brief(pitch="I teach children to swim.", topic="private lessons")
    assert f"I run {runs.profile.name} (private lessons)" in sequences.steps(runs, "cold")[1].text
    ours = "We tell you what each job earned."  # speaks of us already
    assert f"one more thing: w{ours[1:]}" in sequences.steps(brief(change=ours), "cold")[3].text


def test_what_gets_better_at_home_is_not_said_to_companies() -> None:
    for language, change in (("it", "La casa è meglio isolata dal freddo."), ("en", "Your garden looks after itself.")):
        for step in sequences.steps(brief(language=language, change=change), "cold"):
            assert change[3:12] not in step.text


def test_readers_who_are_called_after_the_goods_are_not_asked_whether_they_have_a_supplier() -> None:
    for topic, compared in (("hotel linen", True), ("linen", False)):
        given = brief(topic=topic, kind="goods", pitch="We make linen for hotels.")
        assert ("comparing us with" in sequences.steps(given, "cold")[2].text) == compared


def test_a_request_names_the_topic_unless_the_name_tells_it_or_there_is_no_room() -> None:
    for name, angle, told in (
        ("Burchhardt & Kollegen", "new_role", True),
        ("Buchhaltung Burchhardt", "new_role", False),
        ("Burchhardt & Kollegen", "news", True),
        ("Burchhardt, Lindemann, Oppenheimer & Kollegen Steuerberatungsgesellschaft", "news", False),
    ):
        one = brief(language="de", name=name, topic="laufende Buchhaltung")
        request = sequences.typical(sequences.steps(one, angle)[1].text)
        assert ("(laufende Buchhaltung)" in request) == told, (name, angle)
        assert "vernetzen" in request, "the wish to connect stays"
        assert len(request) <= sequences.LONGEST_NOTE


def test_a_topic_stands_without_its_article_and_a_name_brings_its_full_stop() -> None:
    for language, topic, said in (
        ("fr", "la plomberie et le chauffage", "Plomberie et chauffage : une question"),
        ("fr", "l'entretien des jardins", "Entretien des jardins : une question"),
        ("de", "die Buchhaltung", "Frage zum Thema Buchhaltung"),
    ):
        given = brief(language=language, topic=topic, name="M. Main S.A.C.")
        email = sequences.steps(given, "cold")[4]
        assert email.subject == said
        assert "S.A.C.." not in email.text


def test_an_email_does_not_begin_two_sentences_in_a_row_with_who_writes() -> None:
    """A proof stands further down, and may begin so."""
    for pitch in ("Je suis avocat fiscaliste.", "Nous conseillons les entreprises."):
        known = {"name": "LTB Avocat", "topic": "fiscalité", "pitch": pitch, "proof": "Je suis inscrit au Barreau."}
        email = sequences.steps(brief(language="fr", **known), "cold")[4].text
        assert email.lower().count("je suis") == 2, pitch
        assert known["proof"] in email


def test_who_decides_alone_is_not_asked_for_somebody_else() -> None:
    for role, asked in (("operations", True), ("owner", False)):
        reader = CustomerType(f"restaurants-{role}", "", "")
        email = sequences.steps(replace(brief(), customer=reader), "cold")[4].text
        assert (sequences.texts("en")["referral"] in email) == asked, role


def test_a_name_that_begins_with_a_kind_takes_its_article_and_one_with_an_article_stands_aside() -> None:
    for language, name, said in (
        ("fr", "Oak", ", d'Oak (couverture),"),
        ("fr", "Atelier Oak", ", de l'Atelier Oak,"),
        ("fr", "Domaine Oak", ", du Domaine Oak,"),
        ("fr", "Les Toits", " (Les Toits)"),
        ("de", "Tischlerei Oak", " von der Tischlerei Oak "),
        ("de", "Oak Reinigung GmbH", " von der Oak Reinigung GmbH "),
    ):
        one = replace(brief(language=language, name=name, topic="couverture"), sender_name="Ada")
        assert said in sequences.typical(sequences.steps(one, "cold")[1].text)


def test_a_question_follows_what_it_asks_about_and_the_proof_stands_below_it() -> None:
    for language, angle in product(sequences.LANGUAGES, ("cold", "new_role")):
        email = sequences.steps(brief(language=language, proof=PROOF), angle)[4].text
        said, below = email.split("\n\n")[1:3]
        assert said.partition(PITCH)[2].endswith("?"), (language, angle)
        assert below.startswith(PROOF), (language, angle)


def test_a_pitch_that_speaks_to_customers_is_told_to_who_sends_them_as_their_words() -> None:
    """The German “ihre” is not polite, but of others; a reader who buys is spoken to."""
    for language, role, pitch, said in (
        ("en", "real_estate-agent", "We fix the damp in your home.", "tell our customers: we fix the damp in"),
        ("en", "real_estate-agent", "I fix the damp in your home.", "tell my customers: I fix the damp in"),
        ("en", "real_estate-agent", "We fix damp homes.", ". We fix damp"),
        ("en", "hotels-maintenance", "We fix the damp in your rooms.", ". We fix the damp"),
        ("de", "real_estate-agent", "Wir trocknen Ihr Haus.", "Kunden sagen wir: wir trocknen Ihr"),
        ("de", "real_estate-agent", "Wir trocknen Häuser und ihre Keller.", ". Wir trocknen Häuser und ihre"),
    ):
        one = replace(brief(language=language, pitch=pitch, topic="mould"), customer=CustomerType(role, "", ""))
        assert said in sequences.steps(one, "cold")[2].text, pitch


def test_a_request_asks_about_no_topic_that_the_name_tells_already() -> None:
    for language, topic, asks in (
        ("en", "bookkeeping", "a question for you."),
        ("en", "payroll and bookkeeping", "a question about payroll and bookkeeping."),
        ("fr", "paie", "une question pour vous."),
    ):
        assert asks in sequences.steps(brief(language=language, topic=topic), "cold")[1].text


def test_a_long_email_goes_without_the_question_for_a_colleague_before_its_proof() -> None:
    referral = sequences.texts("en")["referral"]
    for repeated, told in ((0, (True, True)), (6, (False, True)), (11, (False, False))):
        pitch = f"We keep the books {'and the payroll ' * repeated}for plumbers."
        email = sequences.steps(brief(pitch=pitch, change=CHANGE, proof=PROOF), "cold")[4].text
        assert (referral in email, PROOF in email) == told, repeated
        assert len(sequences.typical(email).split()) <= sequences.MOST_EMAIL


def test_a_proof_is_told_where_no_email_follows_and_the_pitch_is_not_told_again() -> None:
    """The last case is a benefit that the pitch says already: what is sent then only asks again."""
    for told, follows in (
        ({"proof": PROOF, "channel": "social"}, True),
        ({"proof": PROOF, "channel": "social_email"}, False),
        ({"change": "You print menus for cafés."}, False),
    ):
        pitch = {"pitch": "We print menus and labels for cafés in Leeds."}
        again = sequences.steps(brief(**{**pitch, **told}), "cold")[3].text
        assert ("one more thing" in again) is follows, told


def test_without_a_sentence_there_is_no_message() -> None:
    for missing in ("pitch", "topic"):
        with pytest.raises(Refused):
            sequences.steps(brief(**{missing: " "}), "cold")


def test_every_language_has_the_same_texts() -> None:
    def keys(texts: object, path: str = "") -> set[str]:
        if not isinstance(texts, dict):
            return {path}
        return {one for name, inner in texts.items() for one in keys(inner, f"{path}.{name}")}

    english = keys(sequences.texts("en"))
    for language in sequences.LANGUAGES:
        told = dict(sequences.texts(language))
        elsewhere = [keys(told.pop(name)) for name in ("casual", "PT", "ES") if name in told]
        assert keys(told) == english, language
        assert all(one <= english for one in elsewhere), language


def test_a_business_in_portugal_does_not_write_as_brazilians_do() -> None:
    for country, said in (("PT", "Gostaria de ficar em contacto consigo."), ("BR", "Gostaria de me conectar com")):
        assert said in sequences.steps(brief(language="pt", country=country), "cold")[1].text


def test_words_of_the_owner_are_no_variables() -> None:
    step = sequences.steps(brief(topic="{{first_name}} books"), "cold")[1]
    assert "{{first_name}}" not in step.text
