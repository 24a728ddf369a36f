"""What public signals are read with: a pace, a table of traces, safe XML; kinds of companies."""

import pytest

from app.ports import Throttled, Unreachable
from app.providers.industries import industries
from app.providers.public_signals import xml
from app.providers.public_signals.facts import FACTS
from app.providers.public_signals.web import Pace
from app.providers.ttl_cache import TtlCache


def test_a_pace_is_kept() -> None:
    now, slept = [100.0], list[float]()
    pace = Pace(5, patience=6, clock=lambda: now[0], sleep=slept.append)
    pace.wait("GDELT")
    pace.wait("GDELT")
    assert slept == [5]
    with pytest.raises(Throttled) as failure:
        pace.wait("GDELT")
    assert failure.value.retry_after == 11
    now[0] += 10
    pace.wait("GDELT")
    assert slept == [5]


def test_the_table_of_technologies_is_sound() -> None:
    """Large enough, each trace once, and nothing that fits an empty page."""
    assert len({fact.name for fact in FACTS}) >= 60
    assert len({(fact.where, fact.name) for fact in FACTS}) == len(FACTS)
    assert not [fact.name for fact in FACTS if fact.pattern.search("")]


def test_xml_that_could_do_harm_is_not_read() -> None:
    for body in (
        b'<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><a>&d;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode("utf-16"),
        b"<a>" * 100 + b"</a>" * 100,
        b"<a><b></a>",
        b"",
        b"hello",
    ):
        with pytest.raises(Unreachable, match="unexpected response"):
            xml.parse(body, "A feed")


def test_kinds_of_companies_become_industries() -> None:
    assert "computer software" in industries("B2B SaaS companies")
    assert industries("Sailing schools") == ["sports", "health, wellness and fitness",
                                             "recreational facilities and services", "education management",
                                             "primary/secondary education"]  # fmt: skip
    assert industries("Llama breeders") == []


def test_what_is_remembered_is_forgotten_in_time() -> None:
    now = [0.0]
    kept = TtlCache[int](seconds=10, most=2, clock=lambda: now[0])
    assert [kept.keep("a", 1), kept.keep("b", 0), kept.get("b")] == [1, 0, 0]
    kept.keep("c", 3)
    assert (kept.get("a"), kept.get("c")) == (None, 3)
    now[0] = 11
    assert kept.get("c") is None
