"""Within v1 the interface only grows: a client written for a released version still works."""

from tests.api.compatible import breaks, kept
from tests.api.stock import DOCUMENT

RELEASED = kept()
# Delays of half a day are taken since 0.1.0, and told as they are; whole ones are whole numbers as before.
MEANT = ("sequence[].delay.value: is number, and was integer",)


def test_what_a_released_version_promised_holds() -> None:
    """Each path, name, field and word is still there, and nothing more is required."""
    assert RELEASED
    for version, promised in RELEASED.items():
        assert [one for one in breaks(promised, DOCUMENT) if not one.endswith(MEANT)] == [], version
