"""Decide what a model is used for: it writes test messages, and the checks of every message decide.

Most small models can't write a message that a founder would send, but they can retell a fact of a website.
"""

import tomllib
from pathlib import Path

from app.ports.models import PIECES, WRITER, Probe
from app.ports.writer import Brief, PlayIdea, Profile
from app.providers.model import ChatModel, ModelFailed, Unusable
from app.providers.writer import material
from app.providers.writer.built_in import BuiltInWriter
from app.providers.writer.model_writer import ModelWriter

_COLD = PlayIdea("cold", "", "", "", "", "")
_ENOUGH = 5  # of six messages


def probe(model: ChatModel) -> Probe:
    """Let a model write the first message and the first email of each test business, once each."""
    spare = BuiltInWriter()
    writer, passed, asked, reason = ModelWriter(model, spare), 0, 0, ""
    for brief in briefs():
        steps = spare.sequence(brief, _COLD)
        wanted = material.purposes(steps, "")
        for step in [next(one for one in steps if one.kind == kind) for kind in ("social", "email")]:
            asked += 1
            try:
                writer.message(brief, _COLD.angle, step, wanted[step.id], tries=1)
                passed += 1
            except Unusable as failure:
                reason = reason or " ".join(failure.wrong[:1])
            except ModelFailed as failure:
                reason = reason or f"{failure.sentence}."
    mode = WRITER if passed >= _ENOUGH else PIECES
    told = f"{passed} of {asked} test messages passed all checks."
    return Probe(mode, f"{told} The first that did not: {reason[:200]}" if reason else told)


def briefs() -> list[Brief]:
    """Return the test businesses."""
    known = tomllib.loads((Path(__file__).parent / "probe.toml").read_text(encoding="utf-8"))["business"]
    return [
        Brief(Profile("", "", confirmed=True, **{name: said for name, said in one.items() if name != "sender"}),
              sender_name=one["sender"])
        for one in known
    ]  # fmt: skip
