"""Where a business is, from the addresses on its website."""

from app.providers.website.address import country_of, place_of
from app.providers.website.parsing import parse

# A language and a country that are known, an address as pages write it, the town, and the country that follows.
ADDRESSES = [
    ("fr", "", "Ridge<br>12 rue du Pont<br>43590 Beauzac", "Beauzac", ""),
    ("fr", "FR", "39 Place du Moulin<br>50380 Saint-Pair-sur-Mer<br>France", "Saint-Pair-sur-Mer", "FR"),
    ("it", "", "Ridge, Via Roma 3 - 43121 Parma PR", "Parma", ""),
    ("de", "", "Ridge, Hauptstraße 7a, 78713 Schramberg", "Schramberg", ""),
    ("de", "", "Industriestr. 41<br>74196 Neuenstadt am Kocher<br>Telefon: 07139 4545", "Neuenstadt am Kocher", ""),
    ("nl", "", "Molenaarserf 57<br>3991 KR Houten", "Houten", "NL"),
    ("nl", "BE", "Mellestraat 46<br>B-8501 Heule", "Heule", "BE"),
    ("pt", "PT", "Rua Nova 3, 2500-123 Caldas da Rainha", "Caldas da Rainha", "PT"),
    ("pt", "BR", "Av. Brasília, 1317 - Estudantil, Frutal - MG", "Frutal", "BR"),
    ("en", "", "Pembridge<br>Leominster<br>HR6 9HZ", "Leominster", "GB"),
    ("en", "", "12 Mill Lane, Ashford, Kent TN24 0AB", "Kent", "GB"),
    ("en", "", "11325 Dove Ridge Road, Hannibal MO 63401", "Hannibal", "US"),
    ("en", "", "6 Stafford Court, Cambridge, ON N3C 1A1", "Cambridge", "CA"),
    ("en", "DE", "Heyerhoffstraße 38, 45770 Marl, Germany", "Marl", "DE"),
    # Numbers that are no postal codes.
    ("de", "", "Ridge hat 15000 Kunden.", "", ""),
    ("de", "", "450<br>15000 Kunden", "", ""),
    ("fr", "", "Ridge est là depuis 1998 Monsieur.", "", ""),
    ("es", "", "Palet 1000x1200 Pallets nuevos", "", ""),
    # Of branches that are told equally often, none is where the business is.
    ("fr", "", "43590 Beauzac<br>35150 Janzé<br>59500 Douai", "", ""),
]


def placed(html: str, language: str = "en", country: str = "") -> tuple[str, str]:
    return place_of([parse(html, "https://ridge.example/")], language, country)


def test_the_town_is_that_of_the_address() -> None:
    found = [
        (language, known, line, *placed(f"<p>{line}</p>", language, known)) for language, known, line, *_ in ADDRESSES
    ]
    assert found == ADDRESSES


def test_the_country_is_that_of_the_domain_then_of_the_address_then_of_the_telephone() -> None:
    street, call = "<footer>Avenida Portugal 209</footer>", "<p>Appelez le +212 5 37 12 34 56, plus de +900 clients</p>"
    for page, address, country in (
        (street, "https://dragas.com.br/", "BR"),
        (street, "https://dragas.com/", "PT"),
        (call, "https://cuivre.com/", "MA"),
    ):
        assert country_of(parse(page, address)) == country
