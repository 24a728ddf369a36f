"""How calls to a provider fail, for tables of answers and their meaning in one test."""

from collections.abc import Callable

from app.ports import ProviderError


def failure_of(call: Callable[[], object]) -> ProviderError | None:
    """Return how a call failed; None when it did not."""
    try:
        call()
    except ProviderError as failure:
        return failure
    return None


def differs(found: ProviderError | None, kind: type[ProviderError], words: str = "") -> bool:
    """Whether a call failed in another way than this, or not in a sentence that says these words."""
    return not isinstance(found, kind) or words not in found.sentence or not found.sentence.endswith(".")
