"""How much the parts of `make verify` do: OVERTURE_VERIFY_SIZE is a factor on kills, people and days."""

import os

SIZE = float(os.environ.get("OVERTURE_VERIFY_SIZE", "1"))


def sized(usual: int) -> int:
    """Return so many, times the size that was asked for."""
    return max(1, round(usual * SIZE))
