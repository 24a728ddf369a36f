"""Where a business is, from the addresses on its website."""

from app.providers.website.address import country_of, located
from app.providers.website.parsing import Page, parse

# The language of a site, the end of its domain, an address as pages write it, and the country and the town it is in.
ADDRESSES = [
    ("fr", "example", "Ridge<br>12 rue du Pont<br>43590 Beauzac", "", "Beauzac"),
    ("fr", "fr", "39 Place du Moulin<br>50380 Saint-Pair-sur-Mer<br>France", "FR", "Saint-Pair-sur-Mer"),
    ("fr", "fr", "Ridge à Alès<br>1 rue Basse<br>30100 ALES", "FR", "Alès"),
    ("fr", "fr", "Revel, 31250<br>Revel et alentours", "FR", "Revel"),
    ("fr", "ci", "Daloa, Côte d'Ivoire<br>Daloa", "CI", "Daloa"),
    ("it", "it", "Via Laurentina<br>00134 - Roma", "IT", "Roma"),
    ("it", "example", "Ridge, Via Roma 3 - 43121 Parma PR", "IT", "Parma"),
    ("it", "it", "Via Pepe, 9<br>Nocera Inferiore (SA)", "IT", "Nocera Inferiore"),
    ("de", "example", "Ridge, Hauptstraße 7a, 27383 Scheeßel", "DE", "Scheeßel"),
    ("fr", "fr", "1 rue Basse<br>67300 Schiltigheim<br>et à Schiltigheim<br>67300 SCHILTIGHEIM", "FR", "Schiltigheim"),
    ("de", "de", "Industriestr. 41<br>74196 Neuenstadt am Kocher<br>Telefon: 07139 4545", "DE", "Neuenstadt am Kocher"),
    ("nl", "nl", "Molenaarserf 57<br>3991 KR Houten", "NL", "Houten"),
    ("nl", "nl", "Hazenkoog 24 D<br><b>1822BS</b><br>Alkmaar", "NL", "Alkmaar"),
    ("nl", "nl", "© 2024 JP Schilders", "NL", ""),
    ("nl", "be", "Mellestraat 46<br>B-8501 Heule", "BE", "Heule"),
    ("pt", "pt", "Rua Nova 3, 2500-123 Caldas da Rainha", "PT", "Caldas da Rainha"),
    ("pt", "com", "Av. Brasília, 1317 - Estudantil, Frutal - MG, (34) 3421-0000", "BR", "Frutal"),
    ("en", "com", "Pembridge<br>Leominster<br>HR6 9HZ", "GB", "Leominster"),
    ("en", "com", "12 Mill Lane, Ashford, Kent TN24 0AB", "GB", "Kent"),
    ("en", "com", "11325 Dove Ridge Road, Hannibal MO 63401", "US", "Hannibal"),
    ("en", "com", "6 Stafford Court, Cambridge, ON N3C 1A1", "CA", "Cambridge"),
    ("en", "de", "Hauptstraße 38, 45770 Marl, Germany", "DE", "Marl"),
    ("es", "com", "<footer>Subachoque, Cundinamarca, Colombia</footer>La finca en Subachoque", "CO", "Subachoque"),
    # Numbers that are no postal codes.
    ("de", "de", "Ridge hat 15000 Kunden.", "DE", ""),
    ("de", "de", "450<br>15000 Kunden", "DE", ""),
    ("fr", "fr", "Ridge est là depuis 1998 Monsieur.", "FR", ""),
    ("es", "es", "Palet 1000x1200 Pallets nuevos", "ES", ""),
    ("es", "es", "ISO 14001 Ambiente", "ES", ""),
    ("it", "it", "Acciai da 70000 MPa", "IT", ""),
    # The address of who hosts the website.
    ("fr", "fr", "Hébergeur : OVH, 2 rue Kellermann - 59100 Roubaix", "FR", ""),
    # Of branches that are told equally often, none is where the business is; of two seats, neither is sure.
    ("fr", "fr", "43590 Beauzac<br>35150 Janzé<br>59500 Douai", "FR", ""),
    ("it", "it", "Sede legale: Via Bosco 57, 16121 Genova<br>Sede operativa: Via Nuova 9, 17031 Albenga", "IT", ""),
]
STRUCTURED = {
    "Leeds": '<script type="application/ld+json">{"@type": "Bakery", "address": {"addressLocality": "Leeds"}}</script>',
    "Kent": '<script type="application/ld+json">{"@type": "Bakery", "address": {"addressLocality": "Plot 4", '
    '"addressRegion": "Kent"}}</script>',
    "York": '<div itemscope itemtype="https://schema.org/Bakery"><b itemprop="addressLocality">York</b></div>',
    "Bath": '<p class="vcard"><span class="locality">Bath</span></p>',
}


def _page(html: str, domain: str = "ridge.example") -> Page:
    return parse(html, f"https://{domain}/")


def test_the_town_is_that_of_the_address() -> None:
    found = [
        (language, domain, line, *located([_page(f"<p>{line}</p>", f"ridge.{domain}")], language))
        for language, domain, line, *_ in ADDRESSES
    ]
    assert found == ADDRESSES


def test_an_address_in_structured_data_comes_first() -> None:
    for town, marked in STRUCTURED.items():
        assert located([_page(f"{marked}<p>12 Mill Lane, Ashford TN24 0AB</p>")], "en")[1] == town


def test_an_address_that_others_have_on_an_imprint_is_not_that_of_the_business() -> None:
    home = _page("<p>Ridge pflegt Dächer in Marl und Umgebung.</p>", "ridge.de")
    imprint = _page("<p>Ridge, Hofstr. 3, 45770 Marl</p><p>Aufsicht: Amt, Promenade 18, 91522 Ansbach</p>", "ridge.de")
    assert located([home, imprint], "de") == ("DE", "Marl")


def test_a_british_address_is_british_though_the_page_claims_american_english() -> None:
    home = _page("<html lang=en-US><p>12 Mill Lane, Ashford TN24 0AB</p></html>", "ridge.com")
    assert located([home], "en") == ("GB", "Ashford")


def test_the_country_is_that_of_the_domain_then_of_the_footer_then_of_the_telephone() -> None:
    street, call = "<footer>Avenida Portugal 209</footer>", "<p>Appelez le +212 5 37 12 34 56, plus de +900 clients</p>"
    for page, domain, country in (
        (street, "dragas.com.br", "BR"),
        (street, "dragas.com", "PT"),
        (call, "cuivre.com", "MA"),
    ):
        assert country_of(_page(page, domain)) == country
