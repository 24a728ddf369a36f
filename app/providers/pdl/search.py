"""Translate a targeting to People Data Labs' search, and its records to people."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from app.core import clock, company_sizes, text
from app.core.countries import Place, places
from app.ports import FoundPerson, PeopleQuery
from app.providers.industries import industries
from app.providers.json_api import text_of

NEW = timedelta(days=180)  # in a role
MONTHS = "January February March April May June July August September October November December".split()
Clause = dict[str, Any]


def query(wanted: PeopleQuery) -> Clause:
    """Return an Elasticsearch query of the kinds PDL accepts: one clause per row, any of its labels."""
    rows = wanted.rows
    clauses: list[Clause] = [{"exists": {"field": "linkedin_url"}}]
    for several in (
        [{"match_phrase": {"job_title": label.casefold()}} for label in rows.get("titles", ())],
        [clause for label in rows.get("companyType", ()) for clause in _kind(label)],
        _sizes(rows.get("size", ())),
        _places(rows.get("location", ())),
    ):
        if several:
            clauses.append(_any(several))
    if wanted.angle == "new_role":
        clauses.append({"range": {"job_start_date": {"gte": f"{clock.now() - NEW:%Y-%m}"}}})
    return {"bool": {"must": clauses}}


def _any(clauses: Sequence[Clause]) -> Clause:
    return clauses[0] if len(clauses) == 1 else {"bool": {"should": list(clauses), "minimum_should_match": 1}}


def _kind(label: str) -> list[Clause]:
    """Match companies of an industry; for an unknown one, people whose own words name it."""
    if known := industries(label):
        return [{"terms": {"job_company_industry": known}}]
    return [{"match_phrase": {field: label.casefold()}} for field in ("headline", "summary", "job_summary")]


def _sizes(labels: Sequence[str]) -> list[Clause]:
    found = {company_sizes.named(one, "-") for label in labels for one in company_sizes.buckets(label)}
    return [{"terms": {"job_company_size": sorted(found)}}] if found else []


def _places(labels: Sequence[str]) -> list[Clause]:
    """Match countries together and towns each alone; nothing if one label is the whole world."""
    every = [places(label) for label in labels]
    if not all(every):
        return []
    flat = [place for some in every for place in some]
    countries = sorted({place.country for place in flat if not place.town})
    alone: list[Clause] = [{"terms": {"location_country": countries}}] if countries else []
    return [*alone, *(_town(place) for place in flat if place.town)]


def _town(place: Place) -> Clause:
    town = _any([{"term": {field: place.town}} for field in ("location_locality", "location_region")])
    if not place.country:
        return town
    return {"bool": {"must": [{"term": {"location_country": place.country}}, town]}}


def people(records: Sequence[Mapping[str, Any]], angle: str) -> list[FoundPerson]:
    """Return people with a profile and with all data that the angle's messages need."""
    found = []
    for record in records:
        facts = {"started": _month(text_of(record.get("job_start_date")))} if angle == "new_role" else {}
        profile = text_of(record.get("linkedin_url"), 500)
        person = text.public_id(profile)
        if person and all(facts.values()):
            found.append(_person(record, person, f"https://{profile.split('//')[-1]}", facts))
    return found


def _person(record: Mapping[str, Any], person: str, profile: str, facts: Mapping[str, str]) -> FoundPerson:
    def of(name: str, most: int = 300) -> str:
        return text_of(record.get(name), most)

    title, company = of("job_title"), of("job_company_name")
    return FoundPerson(
        public_id=person,
        profile_url=profile,
        first_name=of("first_name"),
        last_name=of("last_name"),
        title=title,
        company=company,
        company_domain=text.domain(of("job_company_website")) if of("job_company_website") else "",
        headline=of("headline") or (f"{title} at {company}" if title and company else title),
        summary=of("summary", 2000) or of("job_summary", 2000),
        location=of("location_name"),
        industry=of("job_company_industry"),
        email=text.email(of("work_email")) if of("work_email") else "",
        facts=dict(facts),
    )


def _month(date: str) -> str:
    """Return the month of 2026-08 or 2026-08-14 as it reads in a sentence; '' for a year alone."""
    month = text.number(date[5:7], most=12)
    return MONTHS[month - 1] if month else ""
