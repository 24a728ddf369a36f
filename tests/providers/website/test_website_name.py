"""What a business is called, from its own page."""

from app.providers.website.business_name import name_of
from app.providers.website.parsing import parse

LOGO = '<img class="logo" alt="{} logo">'
# A domain, what its page says, and the name: without the word logo, rights reserved, persons' titles and legal forms.
NAMES = [
    ("abc-fences.example", '<title>Start</title><header><img alt="Logo of Ridge Fences"></header>', "Ridge Fences"),
    ("lidia.example", '<title>Home</title><nav><a href="/"><img alt="Lídia Ridge"></a></nav>', "Lídia Ridge"),
    ("lidia.example", '<title>Lídia Ramos</title><header><img class="logo" alt="Logotipo"></header>', "Lídia Ramos"),
    ("nova-rede.example", '<title>Nova Rède</title><header><img class="logo" alt="Ícone"></header>', "Nova Rède"),
    ("hollow.example", "<title>Home</title><footer>© 2024 Dr. med. Ute Hollow. </footer>", "Dr. med. Ute Hollow"),
    ("ridge.example", "<title>Ridge</title><footer>© Todos os direitos reservados a RIDGE</footer>", "Ridge"),
    # Neither a footer that names whose design the page is nor a title that says what and where.
    ("index.example", "<title>Ridge Fences</title><footer>© Studio Z. All rights reserved.</footer>", "Ridge Fences"),
    ("index.example", "<title>Ada Ridge - Fences in Leeds (30)</title>", "Ada Ridge"),
    ("teras.example", "<title>Giriş | Teras Yazılım Ltd.Şti.</title>", "Teras Yazılım"),
    ("ridge-hr.example", "<title>Welcome to Ridge Pvt. Ltd.</title><footer>© 2026. </footer>", "Ridge"),
    ("ridge-law.example", "<title>SELARL Ada Ridge</title>", "Ada Ridge"),
    ("ridge-tax.example", "<title>Ridge Steuern Impressum</title>", "Ridge Steuern"),
    ("moelandlegal.example", "<title>Kanzlei | Moeland & Söhne</title>", "Moeland & Söhne"),
    ("hinode.example", "<title>株式会社ひので | 沖縄の水道工事と点検</title>", "ひので"),
    # A domain that abbreviates words of the page finds them; words that share only letters with it are none.
    ("krgates.example", "<title>Home</title><p>KR Northern Gates. Ask KR Northern Gates.</p>", "KR Northern Gates"),
    ("krgates.example", "<title>Home</title><p>Kind Regards from all of us. New Gates are here.</p>", "Krgates"),
    # A name is not shouted if the page also says it.
    ("fences.example", "<title>Ridge Fences</title><footer>© 2026 RIDGE FENCES. </footer>", "Ridge Fences"),
    ("fences.example", "<title>RIDGE FENCES</title><p>Ask the Ridge fences team.</p>", "Ridge fences"),
    ("fences.example", "<title>RIDGE FENCES UK</title><p>Ask us.</p>", "Ridge Fences UK"),
    ("ridge.example", "<title>Logopedie Ridge</title><p>Logopedie Ridge</p>", "Logopedie Ridge"),
    ("rdg.example", "<title>RDG Fences Prime</title><p>Ask Rdg Fences.</p><footer>© Rdg Fences</footer>", "RDG Fences"),
    # What a business is, and where, is no name, and a logo may hold more than the text ever says.
    ("midwife-leeds.example", "<title>Midwife in Leeds | Ada Ridge</title>", "Ada Ridge"),
    (
        "x1.example",
        f"<title>Ridge Clocks</title>{LOGO.format('Al Ridge Clocks')}"
        "<p>Ask Ridge Clocks.<p>Ridge Clocks tick.<p>Go to Ridge Clocks.",
        "Ridge Clocks",
    ),
    # The line with the copyright holds the whole name.
    (
        "ridgecaring.example",
        f"<title>Health | Ridge</title>{LOGO.format('Ridge Health Care')}<footer>© 2024 Ridge Health Care</footer>",
        "Ridge Health Care",
    ),
    (
        "index.example",
        "<title>Roofs of Leeds</title><h1>Ask Ridge</h1><footer>© 2026 Ridge Roofs - Leeds, all roofs</footer>",
        "Ridge Roofs",
    ),
    # A logo in two colours is one word if the title has it so.
    ("ridgek.example", "<title>RIDGEK</title><meta property=og:site_name content='RIDG EK'>", "RIDGEK"),
]


def test_the_part_that_most_titles_have_is_the_name() -> None:
    pages = [
        parse(f"<title>{title}</title>", "https://index.example/")
        for title in ("Fences Leeds | Ridge", "Gates | Ridge", "Prices | Ridge")
    ]
    assert name_of(pages[0], pages[1:]) == "Ridge"


def test_the_line_with_a_legal_form_is_the_name_where_the_site_is_titled_so() -> None:
    home = parse("<title>Carlos Ridge</title>", "https://ridgesa.example/")
    imprint = "<p>Carlos D. Ridge e Hijo S.A.</p><p>Hosting: Clouds Ltd.</p>"
    assert name_of(home, [parse(imprint, "https://ridgesa.example/contacto")]) == "Carlos D. Ridge e Hijo"


def test_a_name_is_told_from_what_stands_around_it() -> None:
    assert [(domain, page, name_of(parse(page, f"https://{domain}/"))) for domain, page, _ in NAMES] == NAMES
