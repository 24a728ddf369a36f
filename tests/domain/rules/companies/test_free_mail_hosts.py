"""The company behind an address."""

from app.domain.rules.companies.free_mail_hosts import HOSTS, company_host, is_free


def test_an_address_at_a_free_mail_host_names_no_company() -> None:
    for address, host in [
        ("ada@acme.example", "acme.example"), ("ada@gmail.com", ""), ("ada@mail.gmail.com", ""), ("", ""),
    ]:  # fmt: skip
        assert company_host(address) == host, address


def test_a_free_host_is_free_in_every_country() -> None:
    for host in ["yahoo.co.jp", "gmx.at", "hotmail.be", "live.nl", "wp.pl", "alumni.tu-berlin.de", "rr.com"]:
        assert is_free(host), host


def test_a_company_whose_host_looks_like_a_free_one_is_none() -> None:
    for host in ["yahooinc.com", "live.io", "inbox.ai", "bt.com", "comcast.com", "mail.acme.example"]:
        assert not is_free(host), host


def test_a_throwaway_address_names_no_company() -> None:
    assert company_host("ada@mailinator.com") == ""


def test_hosts_are_written_as_addresses_are_kept() -> None:
    """In small letters; one in another spelling would never be met."""
    assert {host for host in HOSTS if host != host.lower().strip() or "." not in host} == set()
