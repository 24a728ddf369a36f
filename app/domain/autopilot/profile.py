"""The profile in its owner's own words: what was understood may be corrected, every sentence of it."""

from app.core.db import transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import setup_state
from app.models.autopilot import Phase, Setup
from app.models.workspaces import Workspace

LONGEST = 4000


def correct(workspace: Workspace, business: str, summary: str) -> Setup:
    """The profile says this; InvalidRequest names what is empty or too long, and then it stays as it was."""
    given = {"business": business.strip(), "summary": summary.strip()}
    problems = [
        (name, "Say it in a sentence or two." if not words else f"At most {LONGEST:,} characters.")
        for name, words in given.items()
        if not words or len(words) > LONGEST or "\0" in words
    ]
    if problems:
        raise InvalidRequest.of(*problems)
    with transaction():
        setup = setup_state.locked(workspace)
        if setup.profile is None or setup.phase == Phase.PROFILE:
            raise Conflict("The business has not been understood yet.", recovery="Wait until the profile is written.")
        setup.profile = {**setup.profile, **given}
        return setup
