"""The sentences that a founder chooses from: of which places, in which order, and with which topic."""

from app.ports import Site, SitePage
from app.ports.writer import Candidate
from app.providers.writer.reading import extraction, profile, words
from app.providers.writer.reading.candidates import candidates
from app.providers.writer.reading.profile import understood
from tests.providers.writer.reading.pages import lying, site


def found(folder: str) -> list[Candidate]:
    there = lying(folder)
    return candidates(there, "", there.name, there.language)


def test_real_looking_sites_give_their_best_sentence_first() -> None:
    for folder, pitch, topic in (
        (
            "halden",
            "We repair, replace and maintain flat roofs for property managers, schools and warehouses.",
            "flat roof repairs",
        ),
        ("lindner", "Wir pflegen Pflanzen und Außenanlagen für Büros und Hausverwaltungen in Köln.", "Außenanlagen"),
        (
            "vela",
            "We offer technical translation for machine builders and makers of medical devices.",
            "technical translation",
        ),
    ):
        first, *more = found(folder)
        assert (first.pitch, first.topic) == (pitch, topic)
        assert len(more) < 4


def test_each_sentence_has_its_page_and_the_words_it_was_made_of() -> None:
    there = lying("halden")
    pages = {page.url: f"{page.title}\n{page.description}\n{page.text}" for page in there.pages}
    for one in candidates(there, "", there.name, "en"):
        assert one.quote.split(" - ")[0] in pages[one.page]
        assert one.pitch.endswith(".")
        assert len(one.pitch) <= 140


def test_a_site_of_slogans_gives_none() -> None:
    page = SitePage("https://ridge.example/", "Ridge", "Ideas for life.", "Welcome!\nWe love what we do.", (), "home")
    assert candidates(Site("ridge.example", "Ridge", "en", [page]), "", "Ridge", "en") == []
    assert understood(Site("ridge.example", "Ridge", "en", [page]), "").pitch == ""


def test_headings_of_services_are_a_sentence_where_nothing_else_is() -> None:
    heads = ("Numbers you can trust", "Contabilidade Empresarial", "Consultoria Tributária", "Planejamento Financeiro")
    page = SitePage("https://ridge.example/", "Ridge", "", "Fale conosco.", heads, "home")
    (one,) = candidates(Site("ridge.example", "Ridge", "pt", [page]), "", "Ridge", "pt")
    assert one.pitch == "Oferecemos contabilidade empresarial, consultoria tributária e planejamento financeiro."
    assert one.topic == "contabilidade empresarial"


def test_a_heading_that_is_there_twice_is_said_once_and_our_own_tools_are_not_what_we_sell() -> None:
    for said, offered in (
        ("Boat tours in Kiel Boat tours in Kiel", "We provide Boat tours in Kiel."),
        ("We maintain our dies for machine parts. We make machine parts.", "We make machine parts."),
    ):
        assert candidates(site("en", said), "", "Ridge", "en")[0].pitch == offered


def test_a_sentence_without_its_praise_is_still_one_and_says_nothing_of_others() -> None:
    for language, said, pitch in (
        (
            "pt",
            "Empresa líder em manutenção mecânica de veículos",
            "Somos uma empresa de manutenção mecânica de veículos.",
        ),
        ("es", "Trabajamos con las mejores marcas en toldos y lonas.", ""),
        ("es", "Venta y alquiler de toldos y lonas", "Vendemos y alquilamos toldos y lonas."),
        (
            "it",
            "Ridge S.R.L. – Offre servizi di noleggio toldos, boat tours, lonas, a Susa, 24/24",
            "Offriamo noleggio toldos, boat tours e lonas.",
        ),
        ("de", "Yachts für Ihren Hund", ""),
        (
            "en",
            "Ridge offers boat tours in Kiel, specialising in yachts.",
            "We offer boat tours in Kiel and specialise in yachts.",
        ),
        ("en", "Specialists in boat tours in Kiel, Wavecraft represents the edge of yachts.", ""),
    ):
        text = f"{said}\nVeículos, toldos, lonas, boat tours, yachts. Manutenção mecânica."
        page = SitePage("https://ridge.example/", "Ridge", said, text, (said,), "home")
        there = Site("ridge.example", "Ridge", language, [page])
        assert next((one.pitch for one in candidates(there, "", "Ridge", language)), "") == pitch


def test_what_title_name_and_heading_say_is_what_a_business_does() -> None:
    page = SitePage(
        "https://ridge.example/",
        "LG Guincho – Guincho 24h em Ibaté",
        "",
        "Guincho para motos.\nGuincho para vans.\nO guincho chega.",
        ("Guincho 24h em Ibaté",),
        "home",
    )
    (one, *_) = candidates(Site("ridge.example", "LG Guincho", "pt", [page]), "", "LG Guincho", "pt")
    assert (one.pitch, one.topic) == ("Oferecemos guincho 24h em Ibaté.", "guincho 24h")


def test_a_topic_that_no_sentence_tells_is_how_the_name_or_top_calls_the_trade() -> None:
    for language, name, title, topic in (
        ("en", "Oak Crane Hire", "Home", "crane hire"),
        ("fr", "EA Étanchéité", "Accueil", "étanchéité"),
        ("de", "Oak", "Messebau in Ulm", "Messebau"),
        ("en", "Oak", "Oak, notary", ""),  # a person is no topic
        ("en", "Oak", "Welcome", ""),
    ):
        page = SitePage("https://ridge.example/", title, "", f"{name} {title} all day", (title, name), "home")
        assert understood(Site("ridge.example", name, language, [page]), "").topic == topic, title


def test_a_list_is_called_after_its_first_thing_if_the_title_is_too() -> None:
    listed = "We offer roof repairs, gutters and skylights."
    for title, topic in (("Ridge | Roof repairs", "roof repairs"), ("Ridge", "")):
        assert candidates(site("en", listed, title), "", "Ridge", "en")[0].topic == topic


def test_what_the_founder_typed_is_the_best_sentence() -> None:
    for said, pitch, topic in (
        (
            "We charter small boats for companies. We are based in Kiel.",
            "We charter small boats for companies.",
            "small boats",
        ),
        ("I help dentists get more patients.", "I help dentists get more patients.", ""),
        ("Ridge GmbH liefert Kräne für Häfen.", "Wir liefern Kräne für Häfen.", "Kräne"),
        ("bookkeeping for plumbers", "We provide bookkeeping for plumbers.", "bookkeeping"),
    ):
        first = understood(None, said).candidates[0]
        assert (first.pitch, first.topic, first.page) == (pitch, topic, "description")


def test_a_topic_is_a_plain_noun_without_praise_place_or_article() -> None:
    for language, said, topic in (
        ("en", "Ridge delivers smart contract audits for start-ups.", "smart contract audits"),
        ("de", "Ridge übernimmt professionelle Büroreinigung in Ulm.", "Büroreinigung"),
        ("fr", "Ridge propose la traduction de contrats pour les notaires.", "traduction de contrats"),
        ("es", "Ridge ofrece servicios de traducción jurídica para despachos.", "traducción jurídica"),
        ("it", "Ridge offre consulenza fiscale per artigiani.", "consulenza fiscale"),
        ("nl", "Ridge verzorgt groenbeheer voor scholen.", "groenbeheer"),
        ("pt", "Ridge oferece manutenção predial para condomínios.", "manutenção predial"),
        (
            "de",
            "Ridge bietet Fräsen, Erodieren und Wärmebehandlung. Wärmebehandlung ist wichtig.",
            "",
        ),  # the last of a list
        ("en", "Ridge helps hospitals and schools.", ""),
        ("nl", "Ridge is een logistieke co-packing partner voor webshops.", "logistieke co-packing"),
        ("es", "Ridge es una agencia de marketing para clínicas.", "marketing"),
    ):
        first = candidates(site(language, said), "", "Ridge", language)
        assert [one.topic for one in first] == [topic]


def test_what_is_done_to_a_thing_is_the_topic_and_not_the_thing() -> None:
    for language, said, topic in (
        ("en", "We repair forklifts on site.", "forklift repairs"),
        ("en", "We recruit nurses for hospitals.", "nurse recruiting"),
        ("en", "We keep the books for plumbing companies.", "bookkeeping"),
        ("de", "Wir übersetzen Verträge für Kanzleien.", "Übersetzungen"),
        ("de", "Wir machen die Lohnabrechnung für Pflegeheime.", "Lohnabrechnung"),
        ("fr", "Nous nettoyons des entrepôts à Lyon.", "nettoyage d'entrepôts"),
        ("es", "Alquilamos carretillas a empresas.", "alquiler de carretillas"),
        ("it", "Noleggiamo carrelli elevatori alle imprese edili.", "noleggio di carrelli elevatori"),
        ("nl", "Wij verhuren heftrucks aan bouwbedrijven.", "verhuur van heftrucks"),
        ("pt", "Limpamos escritórios em Lisboa.", "limpeza de escritórios"),
    ):
        assert candidates(None, said, "Ridge", language)[0].topic == topic


def test_many_names_in_a_row_are_read_at_once() -> None:
    """Each could be read in two ways, and thirty of them in a billion."""
    assert extraction.name_in(None, "a1.gg " * 60 + "and so on", words.of("en")) == ""


def test_the_first_verb_of_a_sentence_says_what_is_done() -> None:
    for language, said, what in (
        ("en", "I tune pianos and fix small faults for schools.", "piano tuning"),
        ("en", "We repair and tune organs.", "organ repairs"),
        ("fr", "J'accorde des pianos à Lyon.", "accordage de pianos"),
        ("es", "Afino pianos en Madrid.", "afinación de pianos"),
        ("pt", "Afino pianos em Lisboa.", "afinação de pianos"),
    ):
        assert profile.topic(said, language) == what, said


def test_a_site_without_a_sentence_is_called_after_the_trade_that_its_top_names() -> None:
    for language, title, line, pitch, topic in (
        ("en", "Ridge Plumbing", "Plumbing repairs all over Leeds", "We provide plumbing services.", "plumbing"),
        (
            "nl",
            "Loodgietersbedrijf Ridge",
            "Loodgieter in Haarlem",
            "Wij verzorgen loodgieterswerk.",
            "loodgieterswerk",
        ),
        ("it", "Ridge - Asilo Nido", "Bambini", "Siamo un asilo nido.", "asilo nido"),
        ("pt", "Clínica Ridge Quiropraxia", "Quiropraxia", "Oferecemos quiropraxia.", "quiropraxia"),
        ("en", "Ridge Plumbing Supplies", "Plumbing", "", ""),  # sells to plumbers
        ("en", "Software for plumbers", "Plumbing", "", ""),
        ("es", "Carpintería", "Muebles", "", ""),  # a name by itself
    ):
        page = SitePage("https://ridge.example/", title, "", line, (), "home")
        name = title.partition(" - ")[0]
        found = candidates(Site("ridge.example", name, language, [page]), "", name, language)
        one = found[0] if found else Candidate("", "", "")
        assert (one.pitch, one.topic) == (pitch, topic), title


def test_a_sentence_is_called_after_what_it_sells_makes_or_does() -> None:
    for language, said, topic in (
        ("en", "We're an industrial gas supplier.", "industrial gas"),
        ("nl", "Wij zijn een strategische partner voor ICT-overheidsopdrachten.", "ICT-overheidsopdrachten"),
        ("nl", "Wij zijn een ambachtelijke zeefdrukkerij in Amsterdam.", "zeefdruk"),
        ("it", "Offriamo vendita, noleggio e assistenza carrelli elevatori a Bologna.", "carrelli elevatori"),
        ("fr", "Nous sommes artisan ramoneur à Beauvais.", "ramonage"),
    ):
        page = SitePage("https://ridge.example/", "Ridge", said, f"{said}\n{topic}", (topic,), "home")
        assert candidates(Site("ridge.example", "Ridge", language, [page]), "", "Ridge", language)[0].topic == topic


def test_a_typed_description_keeps_for_whom_and_where_and_names_what_is_sold() -> None:
    """The second verb is in no topic, the area is the customers' and not the workshop's, and the kinds are as typed."""
    curtains = "stage curtains for theatres and concert halls in Spain"
    wanted = (f"We repair and re-hang {curtains}.", "stage curtain repairs", "Spain", ("theatres", "concert halls"))
    bikes = "build cargo bikes for couriers in Belgium."
    tiles = "We make handmade tiles for sailing schools across Scotland."
    parks = "Wir reinigen und prüfen Spielplätze für Gemeinden in Bayern."
    for said, expected in (
        (f"I run a small workshop in Utrecht. {wanted[0]}", wanted),
        (f"{wanted[0][:-1]}, and check each of the folds for fire safety before a season begins.", wanted),
        (wanted[0].replace("curtains", "curtains, and fire-test them,"), wanted),
        (f"My workshop in Ghent builds{bikes[5:]}", (f"I {bikes}", "cargo bikes", "Belgium", ("couriers",))),
        (f"From our kiln in Stoke we{tiles[2:]}", (tiles, "handmade tiles", "Scotland", ("sailing schools",))),
        (f"Unser Betrieb ist in Augsburg. {parks}", (parks, "Spielplätze", "Bayern", ("Gemeinden",))),
    ):
        read = understood(None, said)
        assert (read.pitch, read.topic, read.area, read.examples) == expected
        assert len(read.candidates) == 1, "an own address sells nothing"


def test_who_stands_beside_a_place_is_of_no_trade() -> None:
    read = understood(None, "We look after beehives on the roofs of hotels in London. Hotel managers like the honey.")
    assert (read.topic, read.category) == ("beehives", "")
