"""A sentence of a website becomes one that its founder would say aloud to a stranger, or none."""

from tests.providers.writer.reading.pages import pitch

THIRD_PERSON = [
    (
        "en",
        "Ridge repairs, replaces and maintains flat roofs for schools.",
        "We repair, replace and maintain flat roofs for schools.",
    ),
    (
        "en",
        "Ridge is a lightweight alternative to paper time sheets.",
        "We're a lightweight alternative to paper time sheets.",
    ),
    ("en", "Ridge is payroll software for restaurants.", "We make payroll software for restaurants."),
    (
        "de",
        "Ridge aus Ulm plant und montiert Photovoltaikanlagen für Landwirte.",
        "Wir planen und montieren Photovoltaikanlagen für Landwirte.",
    ),
    ("de", "Ridge ist Ihre Werkstatt für klassische Motorräder.", "Wir sind eine Werkstatt für klassische Motorräder."),
    (
        "fr",
        "Ridge propose la traduction de contrats pour les notaires.",
        "Nous proposons la traduction de contrats pour les notaires.",
    ),
    ("fr", "Ridge est une entreprise de nettoyage à Lyon.", "Nous sommes une entreprise de nettoyage à Lyon."),
    ("es", "Ridge ofrece traducción jurídica para despachos.", "Ofrecemos traducción jurídica para despachos."),
    ("it", "Ridge realizza impianti elettrici per le cantine.", "Realizziamo impianti elettrici per le cantine."),
    ("nl", "Ridge verzorgt groenbeheer voor scholen.", "Wij verzorgen groenbeheer voor scholen."),
    ("pt", "A Ridge fabrica portões de ferro para condomínios.", "Fabricamos portões de ferro para condomínios."),
    ("pt", "Ridge instala portões em Araxá/MG.", "Instalamos portões em Araxá."),
]
OWN = [
    ("en", "We keep the books for plumbing companies.", "We keep the books for plumbing companies."),
    ("en", "At Ridge, we translate contracts for law firms.", "We translate contracts for law firms."),
    ("de", "Bei Ridge fertigen wir Türen für Altbauten.", "Wir fertigen Türen für Altbauten."),
    ("es", "En Ridge diseñamos muebles para hoteles.", "Diseñamos muebles para hoteles."),
    ("de", "Wir pflegen Außenanlagen für Hausverwaltungen.", "Wir pflegen Außenanlagen für Hausverwaltungen."),
    ("fr", "Nous réparons des machines à coudre à Nice.", "Nous réparons des machines à coudre à Nice."),
    ("es", "Reparamos motos clásicas para talleres.", "Reparamos motos clásicas para talleres."),
    ("it", "Produciamo cablaggi per l'industria ferroviaria.", "Produciamo cablaggi per l'industria ferroviaria."),
    ("nl", "We bouwen websites voor bakkerijen.", "We bouwen websites voor bakkerijen."),
    ("pt", "Instalamos painéis solares para fazendas.", "Instalamos painéis solares para fazendas."),
]
WITHOUT_A_VERB = [
    ("en", "Payroll software for restaurants", "We provide payroll software for restaurants."),
    ("en", "Employment lawyers for hospitals", "We're employment lawyers for hospitals."),
    ("en", "Helping bakeries plan their shifts", "We help bakeries plan their shifts."),
    ("de", "Buchhaltung für Handwerker", "Wir bieten Buchhaltung für Handwerker."),
    ("de", "Ridge – Fachbetrieb für Baumpflege in Hünxe", "Wir sind ein Fachbetrieb für Baumpflege in Hünxe."),
    (
        "fr",
        "Nettoyage de bureaux, entretien de vitres à Metz",
        "Nous intervenons en nettoyage de bureaux et entretien de vitres à Metz.",
    ),
    ("es", "Taller de motos en Irún", "Somos un taller de motos en Irún."),
    ("it", "Specialisti in traslochi per uffici", "Siamo specialisti in traslochi per uffici."),
    ("nl", "Hoveniersbedrijf uit Baarn", "Wij zijn een hoveniersbedrijf uit Baarn."),
    ("pt", "Manutenção predial para condomínios", "Oferecemos manutenção predial para condomínios."),
]
PRAISE = [
    (
        "en",
        "Ridge is the leading provider of reliable, affordable office cleaning.",
        "We're a provider of office cleaning.",
    ),
    ("de", "Ridge bietet zuverlässige Büroreinigung für Kanzleien.", "Wir bieten Büroreinigung für Kanzleien."),
    (
        "fr",
        "Ridge réalise des enseignes innovantes pour les pharmacies.",
        "Nous réalisons des enseignes pour les pharmacies.",
    ),
    ("es", "Ridge ofrece limpieza fiable para hoteles.", "Ofrecemos limpieza para hoteles."),
    ("it", "Ridge offre pulizie affidabili per alberghi.", "Offriamo pulizie per alberghi."),
    ("nl", "Ridge levert betrouwbare koffiemachines aan kantoren.", "Wij leveren koffiemachines aan kantoren."),
    ("pt", "Ridge oferece limpeza confiável para hotéis.", "Oferecemos limpeza para hotéis."),
]
REFUSED = [
    ("en", "Automatic Pouch Packing Machine Geared"),
    ("en", "We believe in lasting partnerships with schools."),
    ("en", "We're committed to your satisfaction."),
    ("en", "We use cookies to improve our roof service."),
    ("en", "Get your roof repaired today."),
    ("en", "We're hiring roofers in Leeds."),
    ("en", "Ridge was founded in 1990 by two roofers."),
    ("en", "Results. Delivered."),
    ("de", "Ideen fürs Leben"),
    ("de", "Wir freuen uns auf Ihren Anruf."),
    ("de", "Wir sind stolz auf unsere Geschichte."),
    ("de", "Dachideen Dortmund"),
    ("fr", "Nous croyons aux solutions sur mesure."),
    ("es", "Somos una empresa familiar con pasión."),
    ("it", "Crediamo nella qualità del servizio."),
    ("nl", "Wij staan voor kwaliteit en vakmanschap."),
    ("pt", "Acreditamos em um atendimento humano."),
    ("pl", "Sprzedajemy meble biurowe do biur."),
]


def test_what_a_site_says_becomes_a_sentence_in_the_first_person() -> None:
    """From the third person; what it says of itself stays, and a phrase without a verb gets a fixed frame."""
    for language, said, ours in (*THIRD_PERSON, *OWN, *WITHOUT_A_VERB):
        assert pitch(language, said) == ours


def test_praise_is_cut_where_the_sentence_stays_whole() -> None:
    for language, said, ours in PRAISE:
        assert pitch(language, said) == ours
    assert pitch("en", "Ridge offers the best and most trusted.") == ""


def test_fluff_notices_calls_histories_and_slogans_are_no_sentence_of_a_founder() -> None:
    assert [pitch(*one) for one in REFUSED] == [""] * len(REFUSED)


def test_possessives_turn_with_the_person_or_the_sentence_is_refused() -> None:
    assert pitch("en", "Ridge prints labels for its customers in Ulm.") == "We print labels for our customers in Ulm."
    assert (
        pitch("de", "Ridge druckt Etiketten für seine Kunden in Ulm.")
        == "Wir drucken Etiketten für unsere Kunden in Ulm."
    )
    assert pitch("en", "Ridge prints labels on its machines.") == ""
    assert pitch("en", "Ridge helps bakeries plan their shifts.") == "We help bakeries plan their shifts."


def test_a_verb_that_is_not_known_is_not_left_in_the_third_person() -> None:
    assert pitch("en", "Ridge designs and frobnicates roofs for schools.") == ""


def test_only_the_verbs_of_ours_are_in_the_sentence() -> None:
    said = "Ridge provides payroll services to bakeries in Kent and is based in Leeds."
    assert pitch("en", said) == "We provide payroll services to bakeries in Kent."
    assert pitch("es", "La empresa Ridge realiza trabajos de pintura en Murcia.") == (
        "Realizamos trabajos de pintura en Murcia."
    )
    assert pitch("en", "Ridge, based in Cork, makes furniture for hotels.") == "We make furniture for hotels."


def test_one_person_who_says_i_keeps_saying_it() -> None:
    body = "I paint. My work is mine. I listen, and I paint."
    assert pitch("en", "I paint portraits of dogs for their owners.", body=body).startswith("I paint portraits")
    assert pitch("de", "Ich fotografiere Architektur für Büros.", body="Ich bin ich. Mein Atelier ist mein Ort.") != ""
    assert pitch("nl", "Coaching voor managers", body="Ik ben coach. Mijn werk is mijn passie. Ik luister.") == (
        "Ik verzorg coaching voor managers."
    )
