"""AI models: which one the operator chose, what it is used for, and where it answers."""

from dataclasses import dataclass, field
from typing import Protocol

from app.ports.writer import Model

PINNED = "qwen2.5:7b-instruct-q4_K_M"  # an instruct model of 7.6 B under the Apache licence; 4.7 GB
WRITER, PIECES = "writer", "pieces"  # what a model is used for: messages, or pieces of the profile alone


@dataclass(frozen=True)
class Probe:
    """What a model is used for, as its test messages showed, and a sentence that says why."""

    mode: str
    why: str = ""


@dataclass(frozen=True)
class ModelServer:
    """A model server: what it is, its address, and the models it has."""

    kind: str  # Ollama or OpenAI-compatible
    url: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class ChosenModel:
    """The model that was chosen in this installation, and what it is used for."""

    url: str
    name: str
    key: str = field(default="", repr=False)
    mode: str = ""


class ModelChoices(Protocol):
    """What was chosen in this installation. Called outside transactions."""

    def chosen(self) -> ChosenModel | None:
        """Return the model that writes; None when none was chosen."""

    def mode_of(self, url: str, name: str) -> str:
        """Return what a model is used for, as its test messages showed; '' for one that was never tested."""


class Models(Protocol):
    """The model that writes, and the servers of others. Nothing here is called in a transaction."""

    def fixed(self) -> ChosenModel | None:
        """Return the model that the settings of the environment name, which comes first."""

    def current(self) -> Model | None:
        """Return the model that writes; None: the built-in writer does."""

    def longest(self) -> float:
        """Return the seconds that one call of the model may take; 0 without a model."""

    def at(self, url: str, key: str) -> ModelServer:
        """Return the server at an address; Refused or Unreachable says why there is none."""

    def is_own(self, url: str) -> bool:
        """Return whether the address seems to be on this machine or a private network, judged without a lookup."""

    def probe(self, url: str, key: str, name: str) -> Probe:
        """Load the model, let it write test messages, for minutes, and say what it can be used for.

        Unreachable says why it does not work.
        """
