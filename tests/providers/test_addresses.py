"""Which addresses and URLs may be called."""

import ipaddress
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ports import Refused
from app.providers.addresses import NEVER_4, PRIVATE, allowed, split, verdict
from tests.providers.failing import differs, failure_of

PRIVATE_ADDRESSES = """127.0.0.1 127.255.255.254 127.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255
192.168.0.1 192.168.255.255 100.64.0.1 100.127.255.254 ::1 fc00::1 fd00:ec2::254 fdff:ffff::1 64:ff9b::7f00:1
64:ff9b::a00:1 64:ff9b::c0a8:1""".split()
NEVER = """0.0.0.0 0.1.2.3 169.254.169.254 169.254.0.1 169.254.170.2 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1
192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250
240.0.0.1 255.255.255.255 168.63.129.16 100.100.100.200 :: ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1
::ffff:0:7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::c000:c0 64:ff9b:1::7f00:1 100::1 2001::1 2001:0:7f00:1:: 2001:10::1
2001:20::1 2001:db8::1 2002:7f00:1::1 2002:a00:1:: 2002:a9fe:a9fe:: 3fff::1 3fff:fff::1 4000::1 5f00::1 fe80::1
fe80::5efe:7f00:1 febf::1 fec0::1 ff02::1 ff0e::1 8000::1 ffff::1""".split()
PUBLIC = """8.8.8.8 1.1.1.1 93.184.216.34 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.1 192.167.255.255
192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.1 203.0.114.1 223.255.255.255 2606:4700::1111 2a00:1450::1
2620:fe::fe 2001:200::1 2001:4860:4860::8888 2400::1 3ffe:ffff::1 64:ff9b::808:808""".split()


def test_private_addresses_need_the_switch_and_the_never_ones_are_refused_even_with_it() -> None:
    """Never: reserved, multicast, documentation, link-local with its metadata, and IPv6 that hides an IPv4."""
    for kind, several, development, others in (
        ("private", PRIVATE_ADDRESSES, True, False),
        ("never", NEVER, False, False),
        ("public", PUBLIC, True, True),
    ):
        assert [one for one in several if verdict(ipaddress.ip_address(one)) != kind] == []
        assert [one for one in several if allowed(one, allow_private=True) is not development] == []
        assert [one for one in several if allowed(one, allow_private=False) is not others] == []


@given(st.sampled_from([*NEVER_4, *PRIVATE]).flatmap(lambda net: st.ip_addresses(network=str(net))))
def test_no_address_of_a_refused_range_is_public(address: ipaddress.IPv4Address) -> None:
    assert not allowed(str(address), allow_private=False)


@given(st.ip_addresses(v=4))
def test_translated_addresses_are_judged_by_what_they_carry(address: ipaddress.IPv4Address) -> None:
    """NAT64 is how a host without IPv4 reaches one: neither a way around nor blocked."""
    assert verdict(ipaddress.IPv6Address(int(ipaddress.IPv6Address("64:ff9b::")) | int(address))) == verdict(address)


GOOD_URLS = """https://example.com https://example.com/ https://example.com/hooks/7?token=a%20b&x=1
https://example.com:443/a https://example.com:8443/a https://EXAMPLE.com/A https://a-b.example.co.uk
https://xn--bcher-kva.example/h https://8.8.8.8/hook https://[2606:4700::1111]/hook https://example.com./hook
https://under_score.example.com/ https://3com.com/ https://hooks.1password.com/x""".split()
BAD_URLS = [
    *"""http://example.com ftp://example.com file:///etc/passwd gopher://example.com javascript:alert(1) //example.com
    example.com https:// https:///x https:example.com https://user@example.com https://user:pass@example.com
    https://example.com@127.0.0.1/ https://example.com#a https://example.com/# https://example.com:22/
    https://example.com:0/ https://example.com:99999/ https://example.com:x/ https://example.com:6379/
    https://example.com:/ https://localhost/ https://LOCALHOST/ https://localhost./ https://a.localhost/
    https://intranet/ https://db.internal/ https://metadata.google.internal/ https://printer.local/
    https://router.lan/ https://x.home.arpa/ https://127.0.0.1/ https://127.1/ https://2130706433/
    https://0x7f.0.0.1/ https://0x7f000001/ https://017700000001/ https://0177.0.0.1/ https://127.0.0.01/
    https://10.0.0.8/ https://169.254.169.254/latest https://100.100.100.200/ https://[::1]/
    https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/ https://[64:ff9b::7f00:1]/ https://[fe80::1]/
    https://[fe80::1%25eth0]/ https://[2002:7f00:1::]/ https://[::]/ https://0.0.0.0/ https://0/ https://[::1
    https://①②⑦.⓪.⓪.①/ https://example。com/ https://ex_ample..com/ https://-a.com/ https://a-.com/
    https://example.com\\@127.0.0.1/ https://example.com/<b> https://bücher.example/ https://1.2.3.4.5/
    https://256.1.1.1/ https://1.2.3/ https://example.com/ä""".split(),
    "",
    "https://example.com/a b",
    "https://exam\tple.com/",
    "https://example.com/\r\nX: y",
    " https://example.com/",
    "https://example.com/\x00",
    "https://example.com/" + "a" * 2048,
    "https://" + "a." * 130 + "com/",
]


def test_public_addresses_may_be_called_and_others_are_refused_with_a_sentence() -> None:
    """Names, ports, queries and literals as they occur; development reaches its own network, and no nonsense."""
    assert [url for url in GOOD_URLS if not split(url, allow_private=False).hostname] == []
    refusals = [(url, failure_of(partial(split, url, allow_private=False))) for url in BAD_URLS]
    assert [url for url, refusal in refusals if differs(refusal, Refused)] == []
    for own in ("http://127.0.0.1:9000/hook", "http://localhost:5000", "https://db.internal:1/"):
        assert split(own, allow_private=True).hostname
    for nonsense in ("http://169.254.169.254/", "http://2130706433/", "http://[::]/", "http://a@localhost/"):
        with pytest.raises(Refused):
            split(nonsense, allow_private=True)
