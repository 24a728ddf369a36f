"""What a business is called, from its own page."""

import pytest

from app.providers.website.business_name import name_of
from app.providers.website.parsing import parse


@pytest.mark.parametrize(
    ("domain", "page", "name"),
    [
        ("abc-fences.example", '<title>Start</title><header><img alt="Logo of Ridge Fences"></header>', "Ridge Fences"),
        (
            "lidia.example",
            '<title>Lídia Ramos</title><header><img class="logo" alt="Logotipo"></header>',
            "Lídia Ramos",
        ),
        (
            "hollow.example",
            "<title>Home</title><footer>© 2024 Dr. med. Ute Hollow. </footer>",
            "Dr. med. Ute Hollow",
        ),
        ("ridge.example", "<title>Ridge</title><footer>© Todos os direitos reservados a RIDGE</footer>", "Ridge"),
        ("teras.example", "<title>Giriş | Teras Yazılım Ltd.Şti.</title>", "Teras Yazılım"),
        ("ridge-hr.example", "<title>Welcome to Ridge Pvt. Ltd.</title><footer>© 2026. </footer>", "Ridge"),
        ("ridge-tax.example", "<title>Ridge Steuern Impressum</title>", "Ridge Steuern"),
        ("moelandlegal.example", "<title>Kanzlei | Moeland & Söhne</title>", "Moeland & Söhne"),
        ("hinode.example", "<title>株式会社ひので | 沖縄の水道工事と点検</title>", "ひので"),
    ],
)
def test_a_name_is_told_from_what_stands_around_it(domain: str, page: str, name: str) -> None:
    """The word logo, rights reserved, titles of persons, legal forms of any country."""
    assert name_of(parse(page, f"https://{domain}/")) == name


def test_a_domain_that_abbreviates_words_of_the_page_finds_them() -> None:
    """Where the page has no title of its own."""
    page = "<title>Home</title><h1>Doors that close</h1><p>KR Northern Gates repairs. Ask KR Northern Gates.</p>"
    assert name_of(parse(page, "https://krgates.example/")) == "KR Northern Gates"


def test_a_domain_that_abbreviates_nothing_is_the_name() -> None:
    """Words that share only letters with it are none."""
    page = "<title>Home</title><p>Kind Regards from all of us. New Gates are here.</p>"
    assert name_of(parse(page, "https://krgates.example/")) == "Krgates"


def test_a_name_is_not_shouted_if_the_page_also_says_it() -> None:
    """Capitals of a footer give way to the spelling of the title."""
    page = "<title>Ridge Fences</title><footer>© 2026 RIDGE FENCES. </footer>"
    assert name_of(parse(page, "https://fences.example/")) == "Ridge Fences"
