"""The public signals as one source."""

from collections.abc import Callable, Mapping

from app.core.db import end_read
from app.ports import SignalQuestion, SignalResult
from app.providers.public_signals import funding, hiring, news, technologies
from app.providers.public_signals.web import Public, Web

LOOK_UPS: Mapping[str, Callable[[SignalQuestion, Web], SignalResult | None]] = {
    "hiring": hiring.look_up,
    "funding": funding.look_up,
    "techStack": technologies.look_up,
    "news": news.look_up,
}


class PublicSignals:
    """A `ports.SignalSource` that needs no key."""

    kinds = tuple(LOOK_UPS)

    def __init__(self, public: Public) -> None:
        self._public = public

    def look_up(self, question: SignalQuestion) -> SignalResult | None:
        end_read()
        try:
            return LOOK_UPS[question.kind](question, Web(self._public))
        finally:
            self._public.sites.close_idle()
