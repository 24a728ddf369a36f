"""A campaign over a real network that is backed up while it writes, goes on, and is restored elsewhere."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from app.core.db import end_read
from app.domain.installation import backup, restore
from app.domain.platform import restore_hold
from tests.kills import reaching
from tests.kills.network import BEGIN, NetworkOrdeal
from tests.providers.unipile.unipile_world import Done
from tests.support import processes


@dataclass
class RestoredOrdeal(NetworkOrdeal):
    """The original on one database, its copy on another, and one network that both reach."""

    elsewhere: str = field(kw_only=True)
    files: list[Path] = field(default_factory=list)

    @property
    def reached(self) -> list[Done]:
        """What the network says was done."""
        return list(self.there.world.log)

    @property
    def days(self) -> float:
        """How much time has passed."""
        return (reaching.shown(self.clock) - BEGIN) / timedelta(days=1)

    def tend(self) -> None:
        """Back up once half of the present way is gone, while the process works."""
        if self.files and not self.files[0].exists() and reaching.shown(self.clock) >= self._moment:
            with self.within():
                self.files[0] = backup.make(backup.plan())

    def back_up_at(self, days: float) -> None:
        """A backup is made as soon as so much time has passed."""
        self._moment = BEGIN + timedelta(days=days)
        self.files = [self.folder / "none yet"]

    def restore(self) -> None:
        """The copy is all there is from now on."""
        target = restore.Target(self.elsewhere, self.folder / "copy", processes.SECRET)
        with self.within():
            restore.restore(self.files[0], target)
        self.url = self.elsewhere

    def release(self) -> None:
        """A person releases the copy."""
        with self.within():
            assert restore_hold.release("a test")
            end_read()
