"""A port counts the failures of its adapter, and is otherwise what was connected."""

from typing import Protocol, runtime_checkable

import pytest

from app.core.metrics import PROVIDER_FAILURES
from app.ports import Port, Unreachable


@runtime_checkable
class Asks(Protocol):
    """A port's protocol, with a method and an attribute."""

    name: str

    def ask(self, question: str) -> str: ...


class Answers:
    name = "answers"

    def ask(self, question: str) -> str:
        if not question:
            raise Unreachable("Nothing was asked.")
        return question.upper()


def test_what_is_connected_fits_its_protocol_and_nothing_else() -> None:
    """On every version of Python: some ask for names, some for attributes."""
    port: Port[Asks] = Port("asks")
    adapter = Answers()
    port.connect(adapter)
    assert isinstance(port(), Asks)
    assert (port().ask("a"), port().name, port.adapter) == ("A", "answers", adapter)
    port.connect(object())  # type: ignore[arg-type]
    assert not isinstance(port(), Asks)


def test_a_failed_call_is_counted_under_the_name_of_the_port() -> None:
    port: Port[Asks] = Port("asks")
    port.connect(Answers())
    before = _count()
    with pytest.raises(Unreachable):
        port().ask("")
    assert _count() == before + 1


def _count() -> float:
    """How many failures of this port were counted."""
    samples = (sample for metric in PROVIDER_FAILURES.collect() for sample in metric.samples)
    wanted = {"provider": "asks", "kind": "Unreachable"}
    return sum(one.value for one in samples if one.name.endswith("_total") and wanted.items() <= one.labels.items())
