"""Provider failures: each says whether it had an effect, and whether a retry can help."""

from app.core import text


class ProviderError(Exception):
    """A provider's call failed; `sentence` may be shown to people and stored."""

    def __init__(self, sentence: str) -> None:
        self.sentence = text.whole(sentence)  # it may quote a response with characters that no database can store
        super().__init__(self.sentence)


class Unreachable(ProviderError):
    """The call surely had no effect; a later try may succeed."""


class Throttled(ProviderError):
    """The call surely had no effect; this kind of action has to wait for `retry_after` seconds."""

    def __init__(self, sentence: str, retry_after: int) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class Refused(ProviderError):
    """The call surely had no effect, and a retry for this person will not help."""


class RecipientRefused(Refused):
    """An email bounced at once: the recipient's mail server refused the address; `final` when it does not exist."""

    def __init__(self, sentence: str, final: bool) -> None:
        super().__init__(sentence)
        self.final = final


class AlreadyConnected(Refused):
    """A connection request had no effect: the person is already a connection of this account."""


class LoggedOut(ProviderError):
    """The account cannot act until a human does something.

    `challenged`: the network wants proof of a person. `about`: which part of a login is wrong, as far as it is known:
    "username", "password", "token" or "client".
    """

    def __init__(self, sentence: str, challenged: bool = False, about: str = "") -> None:
        super().__init__(sentence)
        self.challenged, self.about = challenged, about


class Unknown(ProviderError):
    """The request may have taken effect; the answer was lost."""
