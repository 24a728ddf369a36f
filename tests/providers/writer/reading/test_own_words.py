"""What a business sells, in its own words: a phrase that is whole and says what is sold, or none at all."""

import pytest

from app.ports import Site, SitePage
from app.providers.writer.reading import own_words

PAGE = "https://x.example/"


def sells(name: str, title: str, description: str, text: str, language: str) -> str:
    site = Site("x.example", name, language, [SitePage(PAGE, title, description, text, (), "home")])
    return next((fact.text for fact in own_words.facts(site, "", name, language) if fact.kind == "sells"), "")


@pytest.mark.parametrize(
    ("language", "name", "title", "description", "text", "sold"),
    [
        pytest.param(
            "en", "Ridge", "Ridge", "Welding electrodes backed by experience, strength and dependable people.",
            "We make welding electrodes. Our welding electrodes are tested. Order welding electrodes.",
            "welding electrodes", id="what backs it is left out"),
        pytest.param(
            "es", "Ridge", "Ridge | Empresa especializada en soldadura de depósitos", "",
            "La soldadura de depósitos. Nuestra soldadura, sus depósitos. Soldadura en depósitos cada día.",
            "soldadura de depósitos", id="a specialist is told by what it is special in"),
        pytest.param(
            "en", "Ridge", "Ridge is a leading manufacturer of dished ends for boilers", "",
            "We press dished ends. Our dished ends are for boilers. Dished ends for any boilers.",
            "dished ends for boilers", id="a manufacturer is told by what it makes"),
        pytest.param(
            "en", "Ridge", "Ridge | Revolutionizing harbour crane rental", "",
            "We do harbour crane rental. Our harbour crane rental is quick. Ask for crane rental at your harbour.",
            "harbour crane rental", id="a slogan's verb is left out"),
        pytest.param(
            "nl", "Van der Ridge", "Zeilmakerij Van der Ridge", "",
            "De zeilmakerij van der Ridge. In onze zeilmakerij maken wij zeilen. De zeilmakerij is open.",
            "zeilmakerij", id="the name in it is left out"),
        pytest.param(
            "es", "RIDGE INFORMÁTICA", "Ridge Informatica", "",
            "Ridge informatica es su tienda. La informatica de Ridge. Ridge informatica en casa.",
            "", id="the name alone is no offer, whatever its accents"),
        pytest.param(
            "de", "RIDGE Media", "RIDGE ist ein Werbestudio aus Bremen", "",
            "Das werbestudio arbeitet für alle. Ein Werbestudio aus Bremen. Unser Werbestudio ist in Bremen.",
            "Werbestudio aus Bremen", id="a name may be told by its first word"),
        pytest.param(
            "de", "Dr. med. Ute Ridge", "", "Augenarztpraxis Dr. med. Ute Ridge in Ulm",
            "Unsere Augenarztpraxis in Ulm. Die Augenarztpraxis liegt am Markt in Ulm. Augenarztpraxis Ulm.",
            "Augenarztpraxis in Ulm", id="an abbreviation ends no sentence"),
        pytest.param(
            "pt", "Ridge", "Ridge", "A serralheria também dispõe de serviços como",
            "A serralheria dispõe de serviços. Também dispõe de serviços de serralheria. Serviços de serralheria.",
            "", id="what breaks off is no offer"),
        pytest.param(
            "en", "Ridge", "Broken springs, cables and rollers", "",
            "We see broken springs, cables and rollers. Broken springs and cables. Call about springs and rollers.",
            "", id="what is repaired is not sold"),
        pytest.param(
            "en", "Ridge", "We fix data so that machines work", "",
            "We fix data. Data that machines work with. Machines work when data is right. We fix data, machines work.",
            "", id="a sentence about us is no offer"),
    ],
)  # fmt: skip
def test_what_is_sold_is_a_whole_phrase_or_asked_for(
    language: str, name: str, title: str, description: str, text: str, sold: str
) -> None:
    assert sells(name, title, description, text, language) == sold


def test_a_long_list_is_cut_where_a_part_ends() -> None:
    several = "Gebäudereinigung, Industriereinigung, Fensterreinigung, Hausmeisterdienst"
    told = f"{several} – gründlich, pünktlich und freundlich"
    text = "Gebäudereinigung und Industriereinigung. Fensterreinigung, Hausmeisterdienst. " * 3
    assert sells("Ridge", "Ridge", told, text, "de") == several
