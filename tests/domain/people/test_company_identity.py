"""What counts as the same company, on names and addresses as people and registers write them."""

import tomllib
from pathlib import Path

from app.domain.people import company_identity
from app.domain.people.company_identity import domain_of, name_key

KNOWN = tomllib.loads(Path(__file__).with_name("companies.toml").read_text(encoding="utf-8"))


def test_one_company_has_one_key_and_different_ones_have_different_keys() -> None:
    """What people without a company write has none."""
    for names in KNOWN["same"]:
        assert len({name_key(name) for name in names}) == 1, names
        assert name_key(names[0]) != "", names
    for names in KNOWN["different"]:
        keys = [key for name in names if (key := name_key(name))]
        assert keys, names
        assert len(set(keys)) == len(keys), names
    assert [name for name in KNOWN["none"] if name_key(name)] == []


def test_the_domain_of_mail_or_website_is_the_registered_one() -> None:
    """What many companies share names no company."""
    assert {given: domain_of(given) for given, _ in KNOWN["domains"]} == dict(KNOWN["domains"])
    assert [given for given in KNOWN["shared"] if domain_of(given)] == []


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
