"""The company of a person, as the company stop and the caps know it."""

from functools import lru_cache

from app.domain.rules import company_identity


@lru_cache(maxsize=10_000)
def columns(company_name: str, company_url: str, email: str) -> dict[str, str]:
    """Return the columns that name the company: its domain, and its name without the legal form."""
    host = company_identity.domain_of(company_url) or company_identity.domain_of(email)
    return {"company_domain": host, "company_key": company_identity.name_key(company_name)}
