"""Language detection: the text tells, not what a page says of itself."""

from app.core.languages import detected, prefer

TEXTS = {
    "en": "We repair pumps for breweries and dairies, usually within two days.",
    "de": "Wir reparieren Pumpen für Brauereien und Molkereien, meist in zwei Tagen.",
    "fr": "Nous réparons les pompes des brasseries et des laiteries en deux jours.",
    "es": "Reparamos bombas para cervecerías y lecherías, normalmente en dos días.",
    "it": "Ripariamo pompe per birrifici e caseifici, di solito in due giorni.",
    "nl": "Wij repareren pompen voor brouwerijen en zuivelfabrieken, meestal binnen twee dagen.",
    "pt": "Reparamos bombas para cervejarias e laticínios, normalmente em dois dias.",
    "pl": "Naprawiamy pompy dla browarów i mleczarni, zwykle w ciągu dwóch dni.",
    "sv": "Vi reparerar pumpar för bryggerier och mejerier, oftast inom två dagar.",
    "no": "Vi reparerer pumper for bryggerier og meierier, som regel innen to dager.",
    "tr": "Bira fabrikaları ve süt işletmeleri için pompa onarıyoruz.",
    "ja": "私たちは醸造所や乳業会社のためにポンプを修理しています。お気軽にご相談ください。",
}


def test_the_language_of_a_sentence_is_found_whatever_the_page_claims() -> None:
    """Except where there are too few words to tell."""
    assert {language: detected(text) for language, text in TEXTS.items()} == {one: one for one in TEXTS}
    assert prefer(TEXTS["de"], "en-US") == "de"
    assert prefer("Start", "de-AT") == "de"
    assert prefer("42", "") == detected("") == ""
