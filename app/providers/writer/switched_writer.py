"""The writer of this moment: the model that was chosen, or the built-in one while none is."""

import math
import threading
from collections.abc import Callable, Mapping, Sequence

from app.ports import FoundPerson, Site
from app.ports.writer import (
    Angle,
    Asked,
    Brief,
    Change,
    Choice,
    CustomerType,
    Judgement,
    Opener,
    PlayIdea,
    PlayStep,
    Problem,
    Profile,
    Progress,
    SuggestedReply,
    Targeting,
    Writer,
    Written,
    named_change,
    unseen,
)
from app.providers.model import ChatModel
from app.providers.writer.built_in import BuiltInWriter
from app.providers.writer.model_writer import ModelWriter


class SwitchedWriter:
    """A `ports.Writer` that asks before each piece of writing which model writes; the rest needs none."""

    def __init__(self, current: Callable[[], ChatModel | None], built_in: BuiltInWriter) -> None:
        self._current, self._built_in, self._used = current, built_in, threading.local()

    @property
    def name(self) -> str:
        """Return who writes now."""
        model = self._current()
        return model.name if model else self._built_in.name

    @property
    def takes_words(self) -> bool:
        return self._writer().takes_words

    def _writer(self) -> Writer:
        model = self._current()
        return self._using(ModelWriter(model, self._built_in) if model else self._built_in)

    def _using(self, writer: Writer) -> Writer:
        self._used.writer = writer
        return writer

    def profile(self, site: Site | None, description: str) -> Profile:
        return self._writer().profile(site, description)

    def customer_types(self, profile: Profile) -> Sequence[CustomerType]:
        return self._using(self._built_in).customer_types(profile)

    def near(self, profile: Profile) -> bool:
        return self._built_in.near(profile)

    def documents(self, brief: Brief) -> Mapping[str, str]:
        return self._using(self._built_in).documents(brief)

    def targeting(self, brief: Brief) -> Targeting:
        return self._using(self._built_in).targeting(brief)

    def plays(self, brief: Brief, angles: Sequence[Angle]) -> Sequence[PlayIdea]:
        return self._using(self._built_in).plays(brief, angles)

    def sequence(
        self, brief: Brief, idea: PlayIdea, within: float = math.inf, progress: Progress = unseen
    ) -> Sequence[PlayStep]:
        return self._writer().sequence(brief, idea, within, progress)

    def at_once(self, brief: Brief) -> Sequence[PlayStep]:
        """See Writer. A model would keep somebody waiting who types."""
        return self._built_in.at_once(brief)

    def topic(self, pitch: str, language: str) -> str:
        return self._built_in.topic(pitch, language)

    def opener(self, brief: Brief, idea: PlayIdea, body: str, within: float = math.inf) -> Opener:
        return self._writer().opener(brief, idea, body, within)

    def reply(self, brief: Brief, asked: Asked, within: float = math.inf) -> SuggestedReply:
        return self._writer().reply(brief, asked, within)

    def judge(self, brief: Brief, idea: PlayIdea, person: FoundPerson, votes: Mapping[str, str]) -> Judgement:
        return self._built_in.judge(brief, idea, person, votes)

    def change(
        self, brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str, within: float = math.inf
    ) -> Change:
        """See Writer. A change that is named is made exactly, so no model is asked."""
        if named_change(wish):
            return self._using(self._built_in).change(brief, idea, steps, wish)
        return self._writer().change(brief, idea, steps, wish, within)

    def offered(self, steps: Sequence[PlayStep], language: str) -> Sequence[Choice]:
        return self._built_in.offered(steps, language)

    def check(self, brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
        """See Writer. A check by the model that wrote the text would prove nothing."""
        return self._built_in.check(brief, text, known)

    def last(self) -> Written:
        writer: Writer = getattr(self._used, "writer", self._built_in)
        return writer.last()
