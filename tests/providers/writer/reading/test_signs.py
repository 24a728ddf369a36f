"""Where a business works, since when, of which kind it is, and what gets better: only what its site says."""

from dataclasses import replace

from app.providers.writer.reading.profile import understood
from app.providers.writer.reading.signs import area_in
from tests.providers.writer.reading.pages import lying, site


def test_the_area_is_a_place_with_its_country_and_never_the_country_alone() -> None:
    for language, said, country, area in (
        (
            "en",
            "Ridge repairs roofs in Queens and Brooklyn, New York.",
            "US",
            "Queens and Brooklyn, New York, United States",
        ),
        ("de", "Ridge pflegt Bäume in Hünxe und Umgebung.", "DE", "Hünxe, Germany"),
        ("de", "Ridge pflegt Bäume in Handarbeit.", "DE", ""),
        ("de", "Ridge pflegt Bäume bundesweit.", "DE", "Germany"),
        ("es", "Ridge repara motos en Irún.", "", "Irún"),
        ("it", "Ridge installa impianti a Padova.", "IT", "Padova, Italy"),
        ("en", "Ridge repairs roofs for schools.", "GB", ""),
        ("en", "Ridge repairs roofs across Zimbabwe.", "ZW", ""),
    ):
        assert understood(site(language, said, country=country), "").area == area
    assert (
        understood(site("en", "Ridge repairs roofs.", country="GB", place="Leeds"), "").area == "Leeds, United Kingdom"
    )
    assert understood(site("en", "Ridge repairs roofs.", country="GB", place="Plot 42"), "").area == ""


def test_a_place_is_told_by_its_preposition_or_by_where_the_business_is_based() -> None:
    for name, said, body, area in (
        ("Ridge", "Ridge tests concrete in MPa.", "", ""),
        ("Las Vegas Tuning", "Ridge tunes pianos in Las Vegas.", "", "Las Vegas"),
        ("Ridge", "Ridge repairs roofs.", "We are based in Shreveport and travel to you.", "Shreveport"),
        ("Ridge", "Ridge repairs roofs.", "Ada Hill is based in Shreveport and travels to you.", ""),
    ):
        there = replace(site("en", said, title=name, body=body), name=name)
        assert understood(there, "").area == area, said


def test_a_founders_sentence_says_where_the_business_works() -> None:
    for language, pitch, area in (
        ("en", "We tune pianos for schools and churches in Las Vegas.", "Las Vegas"),
        ("en", "We unblock drains across London, Essex and Kent.", "London, Essex and Kent"),
        ("pt", "Monitoramos casas e empresas no Distrito Federal.", "Distrito Federal"),
        ("en", "We write reports in PDF for insurers.", ""),
        ("de", "Wir fertigen Schmuck in Gold und Platin.", ""),
        ("en", "We fit cloth in Denmark and southern Sweden.", "Denmark and Sweden"),
    ):
        assert area_in(pitch, language) == area, pitch


def test_the_proof_is_a_year_or_years_of_work_as_a_sentence() -> None:
    for language, said, proof in (
        ("de", "Wir haben über 20 Jahre Erfahrung.", "Wir haben über 20 Jahre Erfahrung."),
        ("en", "We bring 15+ years of experience.", "We have 15+ years of experience."),
        ("en", "Ridge repairs roofs for schools since 2009.", "We've been doing this since 2009."),
        ("de", "Ridge repariert Dächer seit 1998.", "Uns gibt es seit 1998."),
        (
            "es",
            "Ridge repara tejados para escuelas. Tenemos 25 años de experiencia.",
            "Tenemos 25 años de experiencia.",
        ),
        ("en", "Ridge repairs roofs for 300 schools.", ""),
    ):
        assert understood(site(language, said), "").proof == proof
    assert understood(site("en", "Ridge repairs roofs.", body="Copyright since 2009. All rights."), "").proof == ""


def test_the_kind_follows_from_plain_signs() -> None:
    for said, kind in (
        ("Ridge is payroll software for restaurants.", "software"),
        ("Ridge sells chairs to coworking spaces.", "goods"),
        ("Ridge repairs roofs for schools.", "service"),
        ("Ridge provides custom software for clinics.", "service"),
    ):
        assert understood(site("en", said), "").kind == kind


def test_a_change_is_a_plain_sentence_that_says_what_gets_better() -> None:
    assert understood(lying("otter"), "").change.startswith("You see a storyboard before we film")
    assert understood(site("en", "Ridge repairs roofs.", body="You can call us before noon."), "").change == ""
