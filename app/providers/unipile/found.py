"""People as Unipile's searches show them."""

from collections.abc import Mapping

from app.core import text
from app.ports import FoundPerson
from app.providers.unipile.parsing import Json, part, word

LONGEST_HEADLINE = 300  # of Sales Navigator, where it is a whole introduction


def found_person(found: Json, person: str, profile_url: str = "") -> FoundPerson:
    """Return the person of that public id."""
    title, company = _job(found)
    headline = text.shorten(text.squeeze(word(found, "headline", "description")), LONGEST_HEADLINE)
    said, _, there = headline.partition(" at ")
    first, _, last = word(found, "name", "display_name").partition(" ")
    own = word(found, "public_profile_url", "profile_url")
    return FoundPerson(
        public_id=person,
        profile_url=profile_url or (own if "/in/" in own else f"https://www.linkedin.com/in/{person}"),
        first_name=word(found, "first_name") or first,
        last_name=word(found, "last_name") or last,
        title=title or said.strip(),
        company=company or there.split("|")[0].strip(),
        headline=headline,
        location=word(found, "location"),
        industry=word(found, "industry"),
        image_url=word(found, "profile_picture_url", "public_picture_url"),
        member_id=word(found, "id"),
    )


def _job(found: Json) -> tuple[str, str]:
    """Return title and company of the first job that has not ended; '' where none is shown."""
    for name in ("current_positions", "work_experience"):
        jobs = found.get(name)
        for job in jobs if isinstance(jobs, list) else ():
            if isinstance(job, Mapping) and not job.get("ended_on"):
                return word(job, "role", "title", "job_title"), word(job, "company", "company_name") or word(
                    part(job, "company"), "name"
                )
    return "", ""
