"""AI models: which one the operator chose, how fast it is, and where model servers are found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.ports.writer import Model

PINNED = "qwen2.5:7b-instruct-q4_K_M"  # an instruct model of 7.6 B under the Apache licence; 4.7 GB
LETTERS = 3  # of a token; few, so that a limit is rather too long
SHORTEST, LONGEST = 20.0, 240.0  # seconds that a question may take, with the repair of its answer
TRIES, BUSY = 2, 1.5  # a bad answer is sent back once; a machine may have more to do than when it was measured
WRITER, PIECES = "writer", "pieces"  # what a model is used for: messages, or pieces of the profile alone
# Tokens that are read and written until the first play for 100 people is ready: the pieces of the profile, and the
# messages, some of them twice. Texts are written for a play, so that more people cost nothing more.
FIRST_PLAY = (10_000, 1_500)
MESSAGE = 120  # tokens of a message
PLAY = (6000, 1000)  # tokens that are read and written for the messages of a play


@dataclass(frozen=True)
class Speed:
    """What was measured of a model: seconds to its first answer, and tokens a second that it reads and writes."""

    warm_up: float
    reads: float
    writes: float

    def seconds(self, read: int, written: int) -> float:
        """Return how long it takes about to read and write so many tokens."""
        return read / self.reads + written / self.writes

    def limit(self, read: int, written: int) -> float:
        """Return the seconds that a question may take, so that a model of this speed answers it, and repairs it."""
        return min(max(self.warm_up + TRIES * BUSY * self.seconds(read, written), SHORTEST), LONGEST)

    @property
    def message(self) -> float:
        """Return the seconds for a message."""
        return MESSAGE / self.writes

    @property
    def play(self) -> float:
        """Return the seconds for the messages of a play."""
        return self.seconds(*PLAY)

    @property
    def fits(self) -> bool:
        """Return whether it writes a play before the longest limit is over."""
        return self.warm_up + self.play <= LONGEST


@dataclass(frozen=True)
class Probe:
    """What a model is used for, as its test messages showed, and a sentence that says why."""

    mode: str
    why: str = ""


@dataclass(frozen=True)
class ModelServer:
    """A model server: what it is, its address, and the models it has."""

    kind: str  # Ollama, llama.cpp or OpenAI-compatible
    url: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class ChosenModel:
    """The model that was chosen in this installation, its speed, and what it is used for."""

    url: str
    name: str
    key: str = field(default="", repr=False)
    speed: Speed | None = None
    mode: str = ""


class ModelChoices(Protocol):
    """What was chosen in this installation. Called outside transactions."""

    def chosen(self) -> ChosenModel | None:
        """Return the model that writes; None when none was chosen, or it is switched off."""
        ...

    def measured(self, url: str, name: str) -> ChosenModel | None:
        """Return a model with what was measured of it, without its key."""
        ...


class Models(Protocol):
    """The models that could write, and the one that does. Nothing here is called in a transaction."""

    def fixed(self) -> ChosenModel | None:
        """Return the model that the settings of the environment name, which comes first."""
        ...

    def current(self) -> Model | None:
        """Return the model that writes; None: the built-in writer does."""
        ...

    def longest(self) -> float:
        """Return the seconds that one question to it may take; 0 without a model."""
        ...

    def on_this_machine(self) -> Sequence[ModelServer]:
        """Return the model servers that answer on this machine."""
        ...

    def at(self, url: str, key: str) -> ModelServer:
        """Return the server at an address; Refused or Unreachable says why there is none."""
        ...

    def is_own(self, url: str) -> bool:
        """Return whether the address is one of this machine or of a private network, by its looks."""
        ...

    def measure(self, url: str, key: str, name: str) -> Speed:
        """Load the model and measure it, for minutes; Unreachable says why it does not work."""
        ...

    def probe(self, url: str, key: str, name: str, speed: Speed) -> Probe:
        """Let the model write test messages, for minutes, and say what it can be used for."""
        ...
