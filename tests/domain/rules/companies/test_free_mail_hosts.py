"""The company behind an address."""

import pytest

from app.domain.rules.companies.free_mail_hosts import HOSTS, company_host, is_free


@pytest.mark.parametrize(
    ("address", "host"),
    [("ada@acme.example", "acme.example"), ("ada@gmail.com", ""), ("ada@mail.gmail.com", ""), ("", "")],
)
def test_an_address_at_a_free_mail_host_names_no_company(address: str, host: str) -> None:
    assert company_host(address) == host


@pytest.mark.parametrize(
    "host", ["yahoo.co.jp", "gmx.at", "hotmail.be", "live.nl", "wp.pl", "alumni.tu-berlin.de", "rr.com"]
)
def test_a_free_host_is_free_in_every_country(host: str) -> None:
    assert is_free(host)


@pytest.mark.parametrize("host", ["yahooinc.com", "live.io", "inbox.ai", "bt.com", "comcast.com", "mail.acme.example"])
def test_a_company_whose_host_looks_like_a_free_one_is_none(host: str) -> None:
    assert not is_free(host)


def test_a_throwaway_address_names_no_company() -> None:
    assert company_host("ada@mailinator.com") == ""


def test_hosts_are_written_as_addresses_are_kept() -> None:
    """In small letters; one in another spelling would never be met."""
    assert {host for host in HOSTS if host != host.lower().strip() or "." not in host} == set()
