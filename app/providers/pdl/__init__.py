"""People Data Labs: addresses, numbers and signals of people, and a search for them."""

from app.providers.pdl.contacts import URL, PeopleDataLabs

__all__ = ["URL", "PeopleDataLabs"]
