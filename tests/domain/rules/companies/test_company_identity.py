"""What counts as the same company, on names and addresses as people and registers write them."""

from app.domain.rules.companies import company_identity
from app.domain.rules.companies.company_identity import domain_of, name_key


def test_the_domain_of_mail_or_website_is_the_registered_one() -> None:
    for given, domain in [
        ("ada@acme.co.uk", "acme.co.uk"), ("Ada@Mail.Acme.DE", "acme.de"),
        ("https://www.shop.acme.de/impressum?x=1", "acme.de"), ("http://münchen.example", "xn--mnchen-3ya.example"),
        ("acme.uk.com", "acme.uk.com"), ("ada@linkedin.com", "linkedin.com"), ("https://github.com", "github.com"),
    ]:  # fmt: skip
        assert domain_of(given) == domain, given


def test_what_many_companies_share_names_no_company() -> None:
    for given in [
        "ada@gmail.com", "ada@mail.yahoo.co.jp", "ada@alumni.example.edu", "ada@mailinator.com",
        "https://www.linkedin.com/company/acme", "https://de.linkedin.com/company/acme", "facebook.com/acme",
        "acme.wordpress.com", "https://acme.wixsite.com/website", "acme.github.io", "acme.myshopify.com",
        "https://github.com/acme", "https://sites.google.com/view/acme", "ada@corp.local", "co.uk", "n/a", "",
    ]:  # fmt: skip
        assert domain_of(given) == "", given


# Each line is one company as different sources write it.
SAME = [
    ["NVIDIA CORP", "Nvidia"],
    ["AMAZON COM INC", "Amazon.com, Inc.", "Amazon"],
    ["COCA COLA CO", "The Coca-Cola Company"],
    ["JPMORGAN CHASE & CO", "JPMorgan Chase"],
    ["Procter & Gamble Co.", "Procter and Gamble Co."],
    ["L'Oréal S.A.", "L’OREAL"],
    ["J.B. Hunt", "JB Hunt"],
    ["McDonald's Corporation", "MCDONALDS CORP"],
    ["Vodafone Group Public Limited Company", "Vodafone Group PLC", "Vodafone"],
    ["Marks and Spencer Group plc", "Marks & Spencer"],
    ["GSK plc (formerly GlaxoSmithKline)", "GSK"],
    ["Budimex Sp. z o.o. Sp. k.", "BUDIMEX spółka z ograniczoną odpowiedzialnością"],
    ["Łoś spółka z o.o", "Łoś spolka z o.o", "Łoś"],
    ["Hello World sro", "Hello World s.r.o.", "Oy Hello World Ab", "Ab Oy Hello World", "Hello World, ltd."],
    ["Säätämö Oy", "Säätämö, Oy", "Saatamo"],
    ["Novo Nordisk A/S", "Novo Nordisk"],
    ["AB Volvo", "Volvo AB (publ)", "Aktiebolaget Volvo"],
    ["Dr. August Oetker KG", "Dr. August Oetker"],
    ["Lidl Stiftung & Co. KG", "Lidl Stiftung"],
    ["Miele & Cie. KG", "MIELE & CIE"],
    ["Kärcher GmbH & Co. KGaA", "KARCHER"],
    ["Musterbau UG (haftungsbeschränkt)", "Musterbau"],
    ["Siemens Aktiengesellschaft", "Siemens AG", "siemens g.m.b.h", "SIEMENS"],
    ["ArcelorMittal S.à r.l.", "ArcelorMittal"],
    ["Adecco Société Anonyme", "Adecco SA"],
    ["Ferrero S.p.A.", "FERRERO SPA", "Ferrero società per azioni"],
    ["Grupo Bimbo, S.A.B. de C.V.", "GRUPO BIMBO"],
    ["Inditex, S.A.", "Inditex"],
    ["Natura Cosméticos S/A", "Natura Cosmeticos"],
    ["OTP Bank Nyrt.", "OTP Bank"],
    ["Koç Holding A.Ş.", "KOÇ HOLDİNG"],
    ["Lietuvos paštas UAB", "UAB „Lietuvos paštas“"],
    ["ОАО Новороссийский морской торговый порт", "Новороссийский морской торговый порт"],
    ["Общество с ограниченной ответственностью «Газпром»", "ООО Газпром", "Газпром"],
    ["株式会社日立製作所", "日立製作所（株）", "日立製作所"],
    ["ソニーグループ株式会社", "ソニーグループ㈱"],
    ["招商银行 有限公司", "招商银行股份有限公司", "招商银行"],
    ["주식회사 카카오", "(주)카카오", "카카오"],
    ["บริษัท ปตท. จำกัด (มหาชน)", "ปตท"],
    ["PT Bank Central Asia Tbk", "Bank Central Asia"],
    ["Petronas Sdn. Bhd.", "PETRONAS"],
    ["Grab Pte. Ltd.", "Grab"],
    ["Atlassian Pty Ltd", "Atlassian"],
    ["Infosys Pvt. Ltd.", "Infosys Private Limited", "Infosys"],
    ["Acme | We're hiring!", "Acme - a Globex company", "Acme, part of Globex", "Acme (YC W21)", "ACME 🚀", "Acme"],
    ["Personio Deutschland GmbH", "Personio UK Ltd", "Personio (Ireland) Ltd.", "Personio"],
]  # fmt: skip


def test_one_company_has_one_key() -> None:
    for names in SAME:
        assert len({name_key(name) for name in names}) == 1, names
        assert name_key(names[0]) != "", names


DIFFERENT = [
    ["Air France", "Air Canada", "Air India"],
    ["Bank of India", "Bank of China", "Bank of America"],
    ["Telecom Italia", "Telecom Argentina"],
    ["S&P Global", "S&T AG", "3M", "5N"],
    ["Siemens AG", "Siemens Energy AG", "Siemens Healthineers AG"],
    ["Delta Air Lines", "Delta Dental", "Delta Electronics"],
    ["SC Johnson", "Johnson & Johnson", "Johnson Controls"],
    ["SAS Institute", "Max Planck Institute"],
    ["Limited", "Company", "GmbH"],
    ["日立製作所", "日立建機"],
    ["Яндекс", "Яндекс Банк"],
]


def test_different_companies_have_different_keys() -> None:
    for names in DIFFERENT:
        keys = [name_key(name) for name in names]
        assert len({key for key in keys if key}) == len([key for key in keys if key]), names
        assert any(keys), names


def test_what_people_without_a_company_write_is_none() -> None:
    for name in [
        "", "-", "N/A", "n.a.", "None", "Self-employed", "Self Employed", "Freelance", "Freelancer", "Stealth Startup",
        "Stealth Mode", "Independent Consultant", "Open to work", "Confidential", "Selbstständig", "Freiberuflich",
        "Indépendant", "Autónomo", "Libero professionista", "ZZP'er", "Własna działalność gospodarcza", "フリーランス",
        "Самозанятый", "🚀", "x",
    ]:  # fmt: skip
        assert name_key(name) == "", name


def test_a_domain_says_more_than_a_name() -> None:
    for name, url, emails, key in [
        ("Acme Inc.", "https://acme.com", ["ada@acme.de"], "domain:acme.de"),
        ("Acme Inc.", "https://acme.com", ["ada@gmail.com"], "domain:acme.com"),
        ("Acme Inc.", "https://linkedin.com/company/acme", ["ada@gmail.com", "ada@acme.de"], "domain:acme.de"),
        ("Acme Inc.", "", [], "name:acme"),
        ("Freelance", "", ["ada@gmail.com"], ""),
    ]:
        assert company_identity.key(name, url, emails) == key, name


def test_a_name_of_any_length_has_a_key_at_once() -> None:
    assert len(name_key("(" * 100_000 + "Acme " * 100_000)) <= 300
    assert name_key("Acme " + "- a " * 100_000) != ""
