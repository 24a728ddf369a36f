"""What an owner says is sold, in plain words and in each language that is written without a model."""

from app.providers.writer.reading.descriptions import buyers_in, sold_in

SOLD = [
    ("en", "We sell office furniture to law firms.", "office furniture"),
    ("en", "We repair vintage synthesizers in a small workshop.", "repair of vintage synthesizers"),
    ("de", "Wir verkaufen Büromöbel an Kanzleien in Wien.", "Büromöbel"),
    ("de-AT", "Wir sind eine Tischlerei in Graz.", "Tischlerei"),
    ("fr", "Nous vendons des vélos électriques aux entreprises.", "vélos électriques"),
    ("fr", "Nous sommes un cabinet d'avocats à Lyon.", "cabinet d'avocats"),
    ("es", "Vendemos muebles de oficina a despachos de abogados.", "muebles de oficina"),
    ("it", "Produciamo componenti meccanici per l'industria.", "componenti meccanici"),
    ("nl", "Wij leveren kantoormeubelen aan advocaten.", "kantoormeubelen"),
    ("pt", "Fabricamos portões de ferro para condomínios.", "portões de ferro"),
    # Anyone may say these of themselves, or the language is none of ours.
    ("en", "We are a friendly team with many years of experience.", ""),
    ("en", "We are a small family business in Leeds.", ""),
    ("en", "We build lasting partnerships.", ""),
    ("de", "Wir bieten höchste Qualität.", ""),
    ("fr", "Nous sommes une équipe sympathique.", ""),
    ("es", "Somos una empresa familiar.", ""),
    ("it", "È un luogo sospeso, quasi magico.", ""),
    ("pl", "Sprzedajemy meble biurowe.", ""),
]
BUYERS = [
    ("en", "We sell chairs to coworking spaces and law firms in Vienna.", ["coworking spaces", "law firms"]),
    ("de", "Wir verkaufen Behälter an Brauereien und Molkereien in Bayern.", ["Brauereien", "Molkereien"]),
    ("fr", "Nous vendons des vélos aux entreprises de Lyon.", ["entreprises de Lyon"]),
    ("es", "Vendemos muebles a despachos de abogados y clínicas.", ["despachos de abogados", "clínicas"]),
    ("it", "Vendiamo mobili agli studi legali con consegna.", ["studi legali"]),
    ("nl", "Wij leveren meubelen aan advocaten en scholen.", ["advocaten", "scholen"]),
    ("pt", "Vendemos portões a condomínios.", ["condomínios"]),
    ("en", "We build software to help teams.", []),
    ("pl", "Sprzedajemy meble do biur.", []),
]


def test_plain_words_say_what_is_sold_and_to_whom() -> None:
    """A name may stand for we; what anyone may say is no offer."""
    found = [(language, said, sold_in(said, "", language)) for language, said, _ in SOLD]
    assert found == SOLD
    assert sold_in("Ridge GmbH liefert Kräne für Häfen.", "Ridge", "de") == "Kräne"
    assert sold_in("Moor GmbH liefert Kräne für Häfen.", "Ridge", "de") == ""
    assert [(language, said, buyers_in(said, language)) for language, said, _ in BUYERS] == BUYERS
