"""What a business sells, in its own words: a phrase that is whole and says what is sold, or none at all."""

from app.ports import Site, SitePage
from app.providers.writer.reading import own_words

PAGE = "https://x.example/"
# A language and the name, title, description and text of a website, and what is sold there.
CASES = {
    "what backs it is left out": (
        "en", "Ridge", "Ridge", "Welding electrodes backed by experience, strength and dependable people.",
        "We make welding electrodes. Our welding electrodes are tested. Order welding electrodes.",
        "welding electrodes"),
    "a specialist is told by what it is special in": (
        "es", "Ridge", "Ridge | Empresa especializada en soldadura de depósitos", "",
        "La soldadura de depósitos. Nuestra soldadura, sus depósitos. Soldadura en depósitos cada día.",
        "soldadura de depósitos"),
    "the name in it is left out": (
        "nl", "Van der Ridge", "Zeilmakerij Van der Ridge", "",
        "De zeilmakerij van der Ridge. In onze zeilmakerij maken wij zeilen. De zeilmakerij is open.",
        "zeilmakerij"),
    "the name alone is no offer, whatever its accents": (
        "es", "RIDGE INFORMÁTICA", "Ridge Informatica", "",
        "Ridge informatica es su tienda. La informatica de Ridge. Ridge informatica en casa.",
        ""),
    "an abbreviation ends no sentence": (
        "de", "Dr. med. Ute Ridge", "", "Augenarztpraxis Dr. med. Ute Ridge in Ulm",
        "Unsere Augenarztpraxis in Ulm. Die Augenarztpraxis liegt am Markt in Ulm. Augenarztpraxis Ulm.",
        "Augenarztpraxis in Ulm"),
    "what breaks off is no offer": (
        "pt", "Ridge", "Ridge", "A serralheria também dispõe de serviços como",
        "A serralheria dispõe de serviços. Também dispõe de serviços de serralheria. Serviços de serralheria.",
        ""),
    "a sentence about us is no offer": (
        "en", "Ridge", "We fix data so that machines work", "",
        "We fix data. Data that machines work with. Machines work when data is right. We fix data, machines work.",
        ""),
}  # fmt: skip


def sells(name: str, title: str, description: str, text: str, language: str) -> str:
    site = Site("x.example", name, language, [SitePage(PAGE, title, description, text, (), "home")])
    return next((fact.text for fact in own_words.facts(site, "", name, language) if fact.kind == "sells"), "")


def test_what_is_sold_is_a_whole_phrase_or_asked_for() -> None:
    found = {rule: sells(*site, language) for rule, (language, *site, _) in CASES.items()}
    assert found == {rule: sold for rule, (*_, sold) in CASES.items()}
    assert sells("Arc", "Home", "", "Welcome to our page. Call us now.", "en") == ""


def test_a_long_list_is_cut_where_a_part_ends() -> None:
    several = "Gebäudereinigung, Industriereinigung, Fensterreinigung, Hausmeisterdienst"
    told = f"{several} – gründlich, pünktlich und freundlich"
    text = "Gebäudereinigung und Industriereinigung. Fensterreinigung, Hausmeisterdienst. " * 3
    assert sells("Ridge", "Ridge", told, text, "de") == several
