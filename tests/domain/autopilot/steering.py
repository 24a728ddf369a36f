"""What tests of the autopilot are about: a setup that is as far as they need it."""

from typing import Any

from app.core.db import end_read
from app.domain.autopilot import launch, play_design, plays, setup, setup_stages
from app.domain.platform import jobs
from app.models.autopilot import Play, Setup
from app.models.workspaces import Workspace

DESCRIPTION = (
    "Tidemark is booking software for sailing schools in Germany. It fills courses, takes payments and reminds "
    "students, so that the office answers fewer calls."
)
PITCH = "We build booking software for sailing schools."
ANSWERS: dict[str, Any] = {"channel": "social_email", "country": "Germany", "offer": {"kind": "call"}}


def work(most: int = 100) -> None:
    """Everything that was set going is done."""
    for _ in range(most):
        if not jobs.run_due():
            break
    end_read()


def the_setup(workspace: Workspace) -> Setup:
    """The setup as it is in the database."""
    found = setup.view(workspace).setup
    end_read()
    return found


def understood(workspace: Workspace) -> Setup:
    """The business is understood from a description, and its sentence confirmed."""
    setup_stages.analyze(workspace, description=DESCRIPTION)
    work()
    setup.save(workspace, profile={"pitch": PITCH, "topic": "booking software"})
    return the_setup(workspace)


def targeted(workspace: Workspace) -> Setup:
    """Whom to reach is worked out for the first customer type."""
    found = understood(workspace)
    setup.save(workspace, customer_type_id=found.customer_types[0]["id"])
    work()
    return the_setup(workspace)


def designed(workspace: Workspace) -> list[Play]:
    """The plays are there and can be reviewed."""
    targeted(workspace)
    setup.save(workspace, **ANSWERS)
    work()
    found = list(plays.every(workspace))
    end_read()
    return found


def the_play(workspace: Workspace, angle: str = "cold") -> Play:
    """The play of that angle as it is in the database."""
    (found,) = [play for play in plays.every(workspace) if play.angle == angle]
    end_read()
    return found


def with_play(workspace: Workspace, angle: str = "cold") -> Play:
    """The play of that angle can be reviewed. No other is there: all of them take six times as long."""
    targeted(workspace)
    setup.save(workspace, **ANSWERS)
    setup_stages.stop(workspace)
    play_design.design(workspace, angle)
    work()
    return the_play(workspace, angle)


def another_play(workspace: Workspace, angle: str) -> Play:
    """A play of that angle joins those that are there."""
    play_design.design(workspace, angle)
    work()
    return the_play(workspace, angle)


def launched(workspace: Workspace, angle: str = "cold", **options: Any) -> Play:
    """The play of that angle was launched to a few people, and its campaign has started."""
    play = with_play(workspace, angle)
    launch.launch(workspace, play.id, **({"approval": False, "most_people": 20} | options))
    work()
    return the_play(workspace, angle)
