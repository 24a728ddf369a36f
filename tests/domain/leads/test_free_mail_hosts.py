"""The company behind an address."""

import pytest

from app.domain.leads.free_mail_hosts import HOSTS, company_host


@pytest.mark.parametrize(
    ("address", "host"),
    [("ada@acme.example", "acme.example"), ("ada@gmail.com", ""), ("ada@mail.gmail.com", "mail.gmail.com"), ("", "")],
)
def test_an_address_at_a_free_mail_host_names_no_company(address: str, host: str) -> None:
    assert company_host(address) == host


def test_hosts_are_written_as_addresses_are_kept() -> None:
    """In small letters; one in another spelling would never be met."""
    assert {host for host in HOSTS if host != host.lower().strip() or "." not in host} == set()
