"""What is sold in a few words, for a subject: a whole phrase that tells more than a word."""

from app.providers.writer.sequences import LONGEST_SHORT, short_of

SHORT = {
    "Fachbetrieb für Fenster und Türen": "Fachbetrieb für Fenster und Türen",
    "Ihr Fachbetrieb für Sanitär, Heizung und Klima in Köln": "Fachbetrieb für Sanitär",
    "Nettoyage de bureaux, de vitres et de parties communes": "Nettoyage de bureaux",
    "soluções de software para gestão de frotas": "soluções de software",
    "produzione di componenti meccanici di precisione per l'industria": "produzione di componenti meccanici",
    "schoonmaak van kantoren en praktijken": "schoonmaak van kantoren",
    "a barcode inventory app that keeps its data in your own Google Sheet": "barcode inventory app",
    "A professional, client-first approach to planning and investing": "client-first approach to planning",
    "Firma legal especializada en defensa penal y asesoría jurídica": "Firma legal",
    "consulting": "consulting",
    "": "",
}


def test_a_subject_has_the_first_whole_phrase() -> None:
    assert {sells: short_of(sells) for sells in SHORT} == SHORT
    assert max(map(len, SHORT.values())) <= LONGEST_SHORT
