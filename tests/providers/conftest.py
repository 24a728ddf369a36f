"""Servers on this machine, each of which answers until the test has ended."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.providers.scripted_model import Character, ScriptedModel
from tests.providers.website.websites import Web
from tests.support.receivers import Receiver, Wire


@pytest.fixture
def running() -> Iterator[Callable[[Any], Any]]:
    """Stop a server when the test has ended: `running(Wire(script))` is that server."""
    with ExitStack() as ends:

        def kept(server: Any) -> Any:
            ends.callback(server.stop)
            return server

        yield kept


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """The web of the small websites; a test may put other answers in their place."""
    web = Web()
    yield web
    web.stop()


@pytest.fixture
def receiver(running: Callable[[Receiver], Receiver]) -> Receiver:
    return running(Receiver())


@pytest.fixture
def serve(running: Callable[[Wire], Wire]) -> Callable[..., Wire]:
    return lambda script: running(Wire(script))


@pytest.fixture
def start_model(running: Callable[[ScriptedModel], ScriptedModel]) -> Callable[..., ScriptedModel]:
    return lambda character=Character.GOOD: running(ScriptedModel(character))
