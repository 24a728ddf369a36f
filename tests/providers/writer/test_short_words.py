"""What is sold in a few words, for a subject: a whole phrase that tells more than a word."""

import pytest

from app.providers.writer.sequences import LONGEST_SHORT, short_of


@pytest.mark.parametrize(
    ("sells", "short"),
    [
        ("Fachbetrieb für Fenster und Türen", "Fachbetrieb für Fenster und Türen"),
        ("Ihr Fachbetrieb für Sanitär, Heizung und Klima in Köln", "Fachbetrieb für Sanitär"),
        ("Lohnbuchhaltung für Handwerker", "Lohnbuchhaltung"),
        ("Nettoyage de bureaux, de vitres et de parties communes", "Nettoyage de bureaux"),
        ("Conseil en stratégie et accompagnement des dirigeants de PME", "Conseil en stratégie"),
        ("servicios de limpieza de oficinas", "servicios de limpieza de oficinas"),
        ("soluções de software para gestão de frotas", "soluções de software"),
        ("produzione di componenti meccanici di precisione per l'industria", "produzione di componenti meccanici"),
        ("schoonmaak van kantoren en praktijken", "schoonmaak van kantoren"),
        ("bookkeeping, payroll and tax services", "bookkeeping, payroll and tax services"),
        ("a barcode inventory app that keeps its data in your own Google Sheet", "barcode inventory app"),
        ("criminal defence and preventive criminal law advice in Peru", "criminal defence"),
        ("used cars, quad bikes and mopeds", "used cars"),
        ("execution-focused consulting measured on outcomes", "execution-focused consulting"),
        ("A professional, client-first approach to planning and investing", "client-first approach to planning"),
        ("Especialistas na fabricação de facas de corte e vinco", "Especialistas na fabricação de facas"),
        ("serviço de remoção especializada 24 horas com discrição total", "serviço de remoção"),
        ("Firma legal especializada en defensa penal y asesoría jurídica", "Firma legal"),
        ("Strukturierte, digitale Hausverwaltung in Dortmund", "Hausverwaltung"),
        ("Professionele schilder- en behangwerken voor particulieren", "schilder- en behangwerken"),
        ("innovative, secure, large scale enterprise applications", "large scale enterprise applications"),
        ("tecnologie e sistemi a ozono per applicazioni industriali", "tecnologie e sistemi a ozono"),
        ("consulting", "consulting"),
        ("", ""),
    ],
)
def test_a_subject_has_the_first_whole_phrase(sells: str, short: str) -> None:
    assert short_of(sells) == short
    assert len(short) <= LONGEST_SHORT
