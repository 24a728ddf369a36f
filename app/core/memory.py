"""How often memory is searched for garbage."""

import gc
from functools import cache


@cache
def settle() -> None:
    """What was loaded by the first call is never searched again, and the rest seldom: a fifth of the engine's time.

    Python's own measure is one search for every 700 new things, of which one row read from the database is several.
    """
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
