"""Who would buy: trades that are recognised or not at all, five kinds of people, and where to find them."""

import re
from collections import Counter
from dataclasses import replace

from app.ports import ANGLES, FoundPerson
from app.ports.writer import ROWS, Brief, Candidate, CustomerType, Fact, Profile, Targeting
from app.providers.writer import BuiltInWriter
from app.providers.writer.customers import meant, sends
from app.providers.writer.grammar import closed, quoted
from app.providers.writer.tables.loader import (
    Lexicon,
    companies_in,
    languages_of,
    roles,
    root,
    segments,
    titles_in,
    tokens,
    trades,
)
from app.providers.writer.taxonomy import LANGUAGES, Passage, segments_in, trade_of

WRITER = BuiltInWriter()
CONNECTED = [angle.code for angle in ANGLES if angle.needs]
# The title of a home page, one of its sentences, and the trade; '' where neither says enough.
PAGES = {
    ("Adler, Steuerberater in Ulm", "Wir beraten bei Buchhaltung und Jahresabschluss."): "accounting_services",
    ("Cabinet Morel, avocats à Lyon", "Nos avocats vous conseillent en droit du travail."): "legal_services",
    ("Panificio Rossi, pane e dolci dal 1950", "Il nostro panificio apre alle sei."): "bakery",
    ("Oak, GIS consultancy", "We are a consultancy for councils and draw maps."): "gis",
    ("Oak, consultancy and support", "We are a small consultancy."): "",
    ("Consulenza imballaggi", "Per aziende che producono imballaggi."): "",
    ("Oak, hair removal", "Removals by laser, with good care and training."): "",
    ("Astrid, Tagesmutter in Lorsch", "Ich betreue Kinder."): "childcare",
    ("Ridge Roofing, roofers in Leeds", "We repair roofs and gutters."): "roofing",
    ("LG Guincho 24h", "Reboque de veículos em Campinas."): "towing",
    ("Boekbinderij De Vries", "Wij binden boeken voor drukkerijen."): "print_finishing",
    ("Uitvaartfotograaf Groningen", "Foto's van een afscheid."): "funeral_guests",
    ("Zimmerei Kaack, Holzbau", "Wir bauen Dachstühle und Carports."): "timber",
    ("Oak, interim managers", "An epic story: we tell you what matrices and pulses are."): "",
    ("Websites for restaurants and hotels | Kite", "Kite is a web design studio for restaurants."): "web_design",
    ("Booking software for hotels | Tide", "Tide is booking software that hotels love."): "booking_software",
    ("Okafor & Brandt, law firm for contracts", "We advise on contracts, signatures and clauses."): "legal_services",
    ("Oak Consulting for hotels", "We tell hotels what to do better. Hotels trust us."): "",
    ("Restaurant furniture makers | Oak", "We make furniture by hand."): "furniture",
    ("Sonne", "Our hotel and our restaurant are open all year."): "",
    ("Welcome", "We do all kinds of things for nice people."): "",
}


def business(category: str = "", **changes: object) -> Profile:
    return replace(Profile("A business.", "A business.", category), **changes)  # type: ignore[arg-type]


def named(*texts: str) -> tuple[Fact, ...]:
    return tuple(Fact(one, "https://ridge.example/", f"We work for {one}.", "for") for one in texts)


def targeted(profile: Profile, customer: int = 0, country: str = "") -> Targeting:
    return WRITER.targeting(Brief(profile, WRITER.customer_types(profile)[customer], country=country))


def job_of(customer: CustomerType) -> str:
    """What people call the one who decides, without the kind of company."""
    segment, role = meant(customer)
    assert segment is not None
    assert role is not None
    return segment.called.get(role.code, role.code)


def labels(target: Targeting, row: str) -> list[str]:
    return [chip.label for chip in target.rows[row] if chip.on]


def test_the_tables_are_whole() -> None:
    """Every trade has five kinds of people, told apart by who decides, each with a reason in one sentence."""
    fives: dict[frozenset[str], str] = {}
    for trade in trades().values():
        types = WRITER.customer_types(business(trade.code))
        assert len({one.title for one in types}) == len({one.detail for one in types}) == 5, trade.code
        jobs = Counter(job_of(one) for one in types)
        assert max(jobs.values()) <= 2, (trade.code, jobs)
        for one in types:
            assert re.fullmatch(r"[A-Z][^.?!]{10,110}\.", one.detail), one.detail
            assert len(one.title) <= 60, one.title
        assert frozenset(one.title for one in types) not in fives, trade.code
        names = {(name[-1:] == "*", *map(root, tokens(name))) for name in trade.names}
        assert len(names) == len(trade.names), trade.code
        fives[frozenset(one.title for one in types)] = trade.code
        assert trade.kind in ("service", "software", "goods")
        assert trade.first in ("", *(angle.code for angle in ANGLES))
    for segment in segments().values():
        assert {*segment.decides, *segment.called} <= {*roles()}, segment.code


def test_titles_and_kinds_of_companies_are_known_in_six_more_languages() -> None:
    """A native word that stood for two kinds of companies would search for both."""
    for language in LANGUAGES:
        assert {*titles_in(language)} == {*roles()}
        assert {*companies_in(language)} <= {*segments()}
        words = Counter(several[0].casefold() for several in companies_in(language).values())
        assert max(words.values()) == 1, words.most_common(1)
    assert [languages_of(country) for country in ("CH", "BE", "US")] == [("de", "fr"), ("nl", "fr"), ()]


def test_a_trade_is_recognised_or_not_named_at_all() -> None:
    """Who works for hotels is no hotel, and of two trades that are named as often neither is taken."""
    for trade in trades().values():
        for name in trade.names:
            found = trade_of([Passage("home", name.rstrip("*"), 4)])
            assert found is trade, (name, found)
    for (title, sentence), code in PAGES.items():
        found = trade_of([Passage("home", title, 4), Passage("home", sentence, 2)])
        assert (found.code if found else "") == code, title


def test_those_whom_the_business_names_come_first() -> None:
    """Its pitch, then its website, in its own language; the rest are the usual ones of its trade."""
    for category, language, facts, pitch, first in (
        ("roofing", "en", named("schools", "warehouses"), "", ["schools", "warehouses"]),
        ("roofing", "en", named("schools"), "We repair roofs for hotels.", ["hotels", "schools"]),
        ("bakery", "es", (), "Hacemos pan para nuestras tiendas y para hoteles.", ["hotels"]),
        ("land_surveying", "es", named("laboratorio"), "", []),
        (
            "translation",
            "de",
            (),
            "Wir vermitteln Dolmetscher aus Asien an Behörden und Kliniken.",
            ["public", "hospitals"],
        ),
        ("hotel", "en", (), "We run a hotel in Leeds.", []),  # its article is the “to” of Italian
        ("freight", "en", (), "We ship freight for hotels in the ports of Romania.", ["hotels"]),
        ("solar", "de", named("Landwirte", "Hausverwaltungen"), "", ["farms", "property"]),
        ("legal_services", "pt", named("advogados", "seguradoras"), "", ["insurers"]),
        ("roofing", "en", named("a compliant new office", "families"), "", []),
        ("roofing", "en", named("growing companies"), "", []),  # a slogan
    ):
        profile = business(category, language=language, facts=facts, pitch=pitch)
        types = WRITER.customer_types(profile)
        assert len({one.id for one in types}) == 5
        assert [one.id.partition("-")[0] for one in types if not one.guess] == first
    tooling = business(
        topic="outillages de fonderie", kind="goods", language="fr", pitch="Nous usinons pour les hôtels."
    )
    assert [one.id.partition("-")[0] for one in WRITER.customer_types(tooling)][:2] == ["foundries", "hotels"]
    for category, topic, same in (
        ("printing", "vehicle lettering", "signs"),
        ("roofing", "painting services", "painting"),
    ):
        told = WRITER.customer_types(business(category, topic=topic))
        assert told == WRITER.customer_types(business(same)), "the trade is what the topic names"
    for category in ("", "electrical"):  # industrial work is sold to factories, whatever else the trade serves
        pitch = "Costruiamo quadri e impianti elettrici industriali."
        types = WRITER.customer_types(business(category, language="it", pitch=pitch, facts=named("hotel")))
        assert [one.id.partition("-")[0] for one in types][:2] == ["manufacturers", "machinery"]
        assert "property" not in {one.id.partition("-")[0] for one in types}
    alike = WRITER.customer_types(business("payroll", facts=named("restaurants", "cafés", "hair salons", "gyms")))
    assert max(Counter(job_of(one) for one in alike).values()) == 2


def test_a_trade_that_only_the_website_speaks_of_is_not_taken() -> None:
    crane = {"pitch": "Alugamos plataformas com operador.", "topic": "plataformas", "language": "pt"}
    assert list(WRITER.customer_types(business("solar", **crane))) == []
    assert list(WRITER.customer_types(business("solar", name="Silva Energia Solar", **crane)))


def test_the_topic_says_which_of_the_usual_customers_come_first() -> None:
    for topic, first in (("wedding flowers", "weddings"), ("mourning flowers", "funeral")):
        assert WRITER.customer_types(business("florist", topic=topic))[0].id.startswith(first), topic


def test_without_a_trade_buyers_or_examples_the_founder_is_asked() -> None:
    """Two good customers are enough: their names tell a kind of company, or others decide at companies like them."""
    assert WRITER.customer_types(business(facts=named("people who care"), pitch="We work for companies.")) == []
    types = WRITER.customer_types(business(examples=("Hotel Adler", "Oak Dental Practice")))
    assert {one.id.partition("-")[0] for one in types} == {"hotels", "dentists"}
    assert len({one.title for one in types}) == 2
    assert types[0].detail == "You named Hotel Adler."
    alike = WRITER.customer_types(business(examples=("Quillbase", "Tidemark")))
    assert alike[0].title == "Managing directors of companies like Quillbase and Tidemark"
    assert len({job_of(one) for one in alike}) == len(alike) == 2
    kinds = WRITER.customer_types(business(examples=("Waldbesitzer", "Volksbank"), language="de"))
    assert kinds[0].title == "Waldbesitzer"
    assert kinds[1].title == "Managing directors of companies like Volksbank"
    for language, answer, titles in (
        ("en", "Marinas and fish farms that need nets.", ["Fish farms"]),
        ("it", "Costruttori di valvole a sfera e a farfalla.", ["Costruttori di valvole a sfera e a farfalla"]),
        ("fr", "les armateurs et les ports de pêche", ["Armateurs", "Ports de pêche"]),
        ("de", "Segelmacher, Netzmacher", ["Segelmacher", "Netzmacher"]),
        ("en", "rural builders, NGOs", ["NGOs"]),
        ("de", "Kinderärzte, Neurologen", ["Kinderärzte", "Neurologen"]),
        ("es", "colegios, centros de mayores", ["Colegios", "Centros de mayores"]),
        ("it", "bar, ristoranti, wedding planner", ["Bar", "Wedding planner"]),
        ("fr", "notaires, équipementiers automobiles et ferroviaires", ["Équipementiers automobiles et ferroviaires"]),
        ("en", "Northbeam Controls and General Tides", ["companies like Northbeam Controls and General Tides"]),
    ):
        found = [one.title for one in WRITER.customer_types(business(examples=(answer,), language=language))]
        assert all(any(one.endswith(title) for one in found) for title in titles), found
    first = WRITER.customer_types(business("solar", examples=("Quillbase",)))
    assert [one.guess for one in first] == [False, False, True, True, True]


def test_a_business_that_sells_to_people_nearby_writes_to_those_who_send_them() -> None:
    """It is asked who they are where its trade does not tell; who buys for a company of its own is asked about that."""
    photos, home = "We photograph families and weddings.", "We tidy homes together with families."
    for category, pitch, examples, of_all, first in (
        ("taxi", "", (), True, True),
        ("bakery", "", (), False, False),
        ("catering", "", (), False, False),
        ("photography", photos, (), True, True),
        ("", home, (), True, None),
        ("", home, ("Hotel Adler",), True, True),
        ("", "We tidy homes for hotels and families.", (), False, False),
        ("", "We tidy the homes of families and restaurants.", ("restaurants",), True, False),
    ):
        profile = business(category, pitch=pitch, topic="order", examples=examples)
        types = WRITER.customer_types(profile)
        assert WRITER.near(profile) is of_all, pitch
        assert (sends(Brief(profile, types[0])) if types else None) is first, (category, pitch)
    profile = business("taxi", pitch="We drive people home.", topic="taxi rides", change="You get home.")
    by_id = {one.id: Brief(profile, one) for one in WRITER.customer_types(profile)}
    partner, buyer = (
        [step.text for step in WRITER.at_once(by_id[one])] for one in ("hotels-reception", "offices-travel")
    )
    assert "in case someone asks" in partner[2]
    assert "recommend each other" not in partner[2], "a hotel's guests do not ask a driver for a hotel"
    assert "work with someone on this?" in buyer[2]
    assert not any("You get home" in text for text in (*partner, *buyer)), "that is for those who are driven"


def test_private_people_are_reached_by_those_who_send_them_and_only_equals_recommend_each_other() -> None:
    """Insurers, hospitals and everyone in health are introduced to the business, and promised nothing."""
    divorce = business("legal_services", pitch="We help families with a divorce.", topic="family law", name="Oak")
    first, *others = WRITER.customer_types(divorce)
    assert all(sends(Brief(divorce, one)) for one in (first, *others))
    assert "recommend each other" in WRITER.at_once(Brief(divorce, first))[2].text
    health = {"doctor", "dentist", "care_service", "physiotherapy", "psychotherapy"}
    for trade in trades().values():
        swapped = {one.segment for one in trade.customers if one.swaps}
        assert not swapped & {"insurers", "hospitals", "clinics", "public", "schools"}, trade.code
        assert not (swapped and trade.code in health)
    dies = business("printing", language="pt", pitch="Fabricamos facas para gráficas.")
    assert [one.id.partition("-")[0] for one in WRITER.customer_types(dies)] == ["printers"], "no print shop itself"


def test_a_customer_type_says_which_people_to_search() -> None:
    """In the area of the business, else its country; titles of the market's languages, and none twice."""
    for trade in trades().values():
        profile = business(trade.code, country="DE")
        for number in range(5):
            target = targeted(profile, number)
            assert {*target.rows} == {*ROWS}
            for chips in target.rows.values():
                assert len({chip.label.casefold() for chip in chips}) == len(chips)
            assert all(labels(target, row) for row in ROWS)
            assert labels(target, "titles")[0] in target.summary
            assert re.fullmatch(r"[^.]+ or [^.]+ in Germany\.", target.summary), target.summary
    for country, language, title in (
        ("DE", "en", "Hausverwalter"),
        ("", "fr", "Gestionnaire immobilier"),
        ("US", "de", "Property Manager"),
    ):
        found = labels(targeted(business("plumbing", country=country, language=language)), "titles")
        assert title in found[0] or title in found, found
    queens = targeted(business("plumbing", country="US", area="Queens, NY"))
    assert labels(queens, "location") == ["Queens, NY"]
    assert queens.summary.endswith(" people in Queens, NY.")
    for answer, kinds in (("clubes hípicos", ["Clubes hípicos"]), ("hoteles", ["Hoteles"])):
        assert labels(targeted(business(examples=(answer,), language="es")), "companyType") == kinds
    for area, language, places in (
        ("Leeds and Yorkshire", "en", ["Leeds", "Yorkshire"]),
        ("Soest, Baarn en omstreken", "nl", ["Soest", "Baarn"]),
        ("Albenga (SV)", "it", ["Albenga"]),
        ("Alès et le Gard", "fr", ["Alès", "Gard"]),
        ("Queens and Brooklyn, New York", "en", ["Queens", "Brooklyn, New York"]),
    ):
        assert labels(targeted(business("plumbing", area=area, language=language)), "location") == places
    abroad = targeted(business("plumbing", country="US", area="Queens, NY"), country="CA")
    assert labels(abroad, "location") == ["Canada"]


def test_whom_the_founder_names_is_searched_for_with_their_jobs_sizes_and_countries() -> None:
    for said, who, sizes, places in (
        (
            "We help shops. Our customers are heads of support at online shops with 20 to 500 employees"
            " in Germany, Austria and the UK.",
            "ecommerce-support",
            ["11-50", "51-200", "201-500"],
            ["Germany", "Austria", "United Kingdom"],
        ),
        (
            "Wir reinigen Büros in Hamburg. Unsere Kunden sind Facility Manager mit 50 bis 500 Mitarbeitern.",
            "companies-facilities",
            ["51-200", "201-500"],
            ["Hamburg"],
        ),
        (
            "Vendemos café de especialidad a hoteles y restaurantes en Madrid.",
            "hotels-food",
            ["11-50", "51-200", "201-500"],
            ["Madrid"],
        ),
        (
            "We plan shifts. We sell to managers of care homes in Leeds and Yorkshire.",
            "care-care",
            ["51-200", "201-500"],
            ["Leeds", "Yorkshire"],
        ),
    ):
        profile = WRITER.profile(None, said)
        target = targeted(profile, 0)
        assert WRITER.customer_types(profile)[0].id == who
        assert (labels(target, "size"), labels(target, "location")) == (sizes, places), said


def test_plays_are_named_shortly_and_ordered_by_what_fits_the_business() -> None:
    """Connected data comes first, but not for those who send customers; funding and tools are for such companies."""
    order = {}
    for trade in trades().values():
        profile = business(trade.code, country="DE")
        given = Brief(profile, WRITER.customer_types(profile)[0])
        ideas = WRITER.plays(given, ANGLES)
        segment = meant(given.customer)[0]
        assert segment is not None
        for texts in zip(*((one.name, one.pitch, one.why, one.strategy, one.reaches) for one in ideas), strict=True):
            assert len({*texts}) == len(ideas), (trade.code, texts)
        for one in ideas:
            if one.angle == "cold":  # is called after those it reaches
                assert one.reaches in (f"{one.name}.", f"Businesses nearby: {one.name}.")
            else:
                assert len(one.name) <= 30
                assert segment.plural not in one.name
            assert not re.search(r"[{}]|\.\.", one.pitch + one.why + one.strategy + one.reaches)
        order[trade.code] = [one.angle for one in ideas if one.angle not in CONNECTED]
        assert ({one.angle for one in ideas[:2]} == {*CONNECTED}) is not trade.customers[0].sends, trade.code
    assert order["taxi"] == ["cold", "new_role"]
    assert order["vet"] == ["cold"], "the owner of a pet shop is rarely new in the role"
    for angle in ("hiring", "news"):
        spoken = {code for code, several in order.items() if angle in several}
        assert spoken == {one.code for one in trades().values() if one.first == angle}, (
            "a vacancy says nothing to others"
        )
    assert not {"funded", "technology"} & {*order["bakery"]}
    assert order["recruitment"][0] == "hiring"
    assert order["software_development"][0] == "funded"
    assert "technology" in order["crm"]
    technology = [angle for angle in ANGLES if angle.code == "technology"]
    assert [one.angle for one in WRITER.plays(Brief(business("bakery")), technology)] == ["technology"]


def test_the_documents_say_what_we_do_whom_we_write_to_and_how() -> None:
    profile = business("bakery", pitch="We bake bread for cafés.")
    customer = WRITER.customer_types(profile)[0]
    texts = WRITER.documents(Brief(profile, customer))
    assert "We bake bread for cafés." in texts["icp"]
    assert f"**{customer.title}.** {customer.detail}" in texts["icp"]
    assert "A business." in WRITER.documents(Brief(business()))["icp"]
    assert "at most 75 words per email, at most 60 words per message" in texts["style"]
    assert "## Words to avoid" in texts["style"]


def test_people_are_judged_with_a_reason() -> None:
    """Title, company and place decide; votes on someone, and on others like them, decide more."""
    profile = business("machining", country="US")
    given = Brief(profile, WRITER.customer_types(profile)[0])
    given = replace(given, targeting=WRITER.targeting(given))
    idea = next(one for one in WRITER.plays(given, ANGLES) if one.angle == "new_role")
    one = FoundPerson("ann", "", "Ann", "Oak", "Head of Procurement", "Oak Machines", industry="Machine builders",
                      location="Chicago, United States")  # fmt: skip
    verdict = WRITER.judge(given, idea, one, {})
    assert verdict.fits
    assert verdict.reason.startswith("Head of Procurement at Oak Machines: has one of the titles you look for")
    assert not WRITER.judge(given, idea, replace(one, title="Purchasing Intern"), {}).fits
    assert not WRITER.judge(given, idea, replace(one, industry="Hair and beauty salons"), {}).fits
    assert not WRITER.judge(given, idea, one, {"ann": "bad"}).fits
    assert not WRITER.judge(given, idea, one, {"title: head of procurement": "bad"}).fits
    assert WRITER.judge(given, idea, replace(one, industry="Hotels"), {"industry: Hotels": "good"}).fits


def test_kinds_of_companies_are_told_from_words_but_not_from_a_broad_one_beside_an_unknown_noun() -> None:
    for language, words, code in (
        ("", "Hospitality", "hotels"),
        ("", "Insurance", "insurers"),
        ("", "Cabinets d'avocats", "law"),
        ("", "machine builders", "machinery"),
        ("", "nothing of the kind", ""),
        ("en", "for repair shops", ""),
        ("en", "for small shops", "shops"),
        ("en", "for flower shops", "florists"),
        ("fr", "écoles de couture", ""),
        ("", "écoles de couture", ""),
        ("fr", "les écoles de la région", "schools"),
    ):
        assert [one.code for one in segments_in(words, language)] == ([code] if code else []), words


def test_each_kind_of_customer_that_the_founder_types_gets_who_decides_there() -> None:
    """Those whom the pitch names or whose work the topic is come first; advice is not bought by purchasing.

    A word is another's with its endings, not if it only begins alike: personal gifts are not for heads of personnel.
    """
    works = Profile("", "", pitch="Nous conseillons les usines.", topic="maintenance", language="fr",
                    examples=("Hôtels", "industries chimiques"))  # fmt: skip
    for profile, expected in (
        (works, ["Hôtels: maintenance", "Industries chimiques: production"]),
        (replace(works, topic="recrutement", pitch="Nous formons les directions techniques."),
         ["Hôtels: maintenance", "Industries chimiques: maintenance"]),
        (replace(works, language="de", pitch="Wir dolmetschen.", topic="Dolmetschen", examples=("Gerichte", "Polizei")),
         ["Gerichte: public", "Polizei: public"]),
        (replace(works, language="de", pitch="Wir bauen.", topic="sichere Gerüste", examples=("Industriebetriebe",)),
         ["Industriebetriebe: procurement"]),
        (replace(works, language="it", pitch="Facciamo torte.", topic="torte personalizzate", examples=("aziende",)),
         ["Aziende: md"]),
        (replace(works, language="de", pitch="Wir prüfen.", topic="Sicherungen", examples=("Industriebetriebe",)),
         ["Industriebetriebe: procurement"]),
        (replace(works, language="de", pitch="Wir prüfen.", topic="Sicherheitsgurte", examples=("Industriebetriebe",)),
         ["Industriebetriebe: safety"]),
        (replace(works, language="nl", pitch="Ik trim honden.", topic="honden", examples=("hondenscholen",)),
         ["Hondenscholen: md"]),
        (Profile("", "", pitch="We make seals.", topic="rubber seals", kind="goods", examples=("pump manufacturers",)),
         ["Pump manufacturers: procurement"]),
    ):  # fmt: skip
        found = [f"{one.title}: {one.id.partition('-')[2]}" for one in WRITER.customer_types(profile)]
        assert found[:2] == expected


def test_owners_are_written_to_only_where_there_are_any_and_the_founder_or_the_site_says_so() -> None:
    """A kind that no table knows is run by managing directors; a shop, and who is typed as an owner, by its owner."""
    for language, kind, who in (
        ("de", "Krankentransportdienste", "md"),
        ("pt", "Portos", "operations"),
        ("es", "Cementeras", "procurement"),
        ("en", "Antique shops", "owner"),
        ("en", "Holiday cottage owners", "owner"),
    ):
        profile = replace(business("", pitch="We do it.", topic="it", language=language), examples=(kind,))
        (customer,) = WRITER.customer_types(profile)
        assert customer.id.rpartition("-")[2] == who, kind
        assert who == "owner" or not {"Owner", "Sócio-gerente"} & {*labels(targeted(profile, 0), "titles")}
    read = replace(business("fashion"), candidates=(Candidate("We sew belts.", "https://belts.example/", "We sew"),))
    assert WRITER.customer_types(read) == []
    assert WRITER.customer_types(replace(read, confirmed=True))[0].id == "boutiques-owner"


def test_words_that_stand_for_several_kinds_mean_the_same_in_every_process() -> None:
    codes = [f"kind{number}" for number in range(20)]
    for entry, text in (("bar", "Bars"), ("scaffold*", "scaffolding")):
        several = Lexicon((entry, code) for code in codes)
        assert [one.code for one in several.found(tokens(text))] == codes


def test_who_the_founder_says_are_customers_is_asked_to_buy() -> None:
    """Bikes are sold to people nearby in most shops, but not where the founder names companies as customers."""
    described = WRITER.profile(
        None,
        "We rent cargo bikes to firms and families in Munich. Our customers are craft businesses and care services "
        "that lose time looking for parking.",
    )
    kinds = WRITER.customer_types(described)
    assert kinds
    assert not any(sends(Brief(described, kind)) for kind in kinds)
    assert sends(Brief(replace(described, facts=(), examples=("estate agents",), pitch="We rent bikes."), kinds[0]))


def test_a_quoted_reason_ends_with_one_mark() -> None:
    for said, reason in (
        ("We sew belts.", "“We sew belts.”"),
        ("We sew", "“We sew”."),
        ("We sew belts now", "“We sew belts …”"),
    ):
        assert closed(quoted(said, 14)) == reason


def test_brazil_and_portugal_have_their_own_titles_and_kinds_of_companies() -> None:
    retailers = CustomerType("retail-store", "Retailers", "")
    for country, title, kind in (
        ("BR", "Supervisor de loja", "Varejistas"),
        ("PT", "Responsável de loja", "Retalhistas"),
    ):
        target = WRITER.targeting(Brief(business("", language="pt", country=country), retailers))
        assert title in labels(target, "titles")
        assert kind in labels(target, "companyType")


def test_kinds_that_send_people_in_most_trades_do_so_unless_the_pitch_names_companies() -> None:
    for pitch, examples, expected in (
        ("We inspect houses before you buy them.", ("estate agents", "bakeries"), [True, False]),
        ("We write software for banks and shops.", ("estate agents", "bakeries"), [False, False]),
    ):
        profile = Profile("", "", pitch=pitch, topic="inspections", examples=examples)
        assert [sends(Brief(profile, one)) for one in WRITER.customer_types(profile)][-2:] == expected, pitch


def test_a_typed_kind_is_named_and_searched_as_it_was_typed() -> None:
    """“You named museums and theatres” would be wrong of a founder who wrote “theatres”."""
    said = "We repair stage curtains for theatres and concert halls in Belgium. Our customers are technical managers."
    profile = replace(WRITER.profile(None, said), confirmed=True)
    first, second = WRITER.customer_types(profile)
    assert (first.title, second.title) == ("Maintenance managers at theatres", "Concert halls")
    assert second.detail == "You named concert halls."
    chips = WRITER.targeting(Brief(profile, first)).rows["companyType"]
    assert [(one.label, one.on) for one in chips] == [("Theatres", True), ("Museums and theatres", False)]
    named = WRITER.customer_types(replace(profile, facts=(), examples=()))
    assert [one.detail for one in named] == ["You name theatres.", "You name concert halls."]
