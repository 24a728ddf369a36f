"""The company behind an address."""

from app.domain.people.free_mail_hosts import HOSTS, company_host, is_free


def test_an_address_at_a_free_mail_or_throwaway_host_names_no_company() -> None:
    """In every country. A company whose host looks like a free one is none."""
    assert company_host("ada@acme.example") == "acme.example"
    assert {company_host(one) for one in ("ada@gmail.com", "ada@mail.gmail.com", "ada@mailinator.com", "")} == {""}
    free = ("yahoo.co.jp", "gmx.at", "hotmail.be", "live.nl", "wp.pl", "alumni.tu-berlin.de", "rr.com")
    looks_free = ("yahooinc.com", "live.io", "inbox.ai", "bt.com", "comcast.com", "mail.acme.example")
    assert [host for host in (*free, *looks_free) if is_free(host)] == list(free)


def test_hosts_are_written_as_addresses_are_kept() -> None:
    """In small letters; one in another spelling would never be met."""
    assert {host for host in HOSTS if host != host.lower().strip() or "." not in host} == set()
