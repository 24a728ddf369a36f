"""Files beside the secret key: nobody else reads them, and they are there when nothing else is."""

import stat
from pathlib import Path

from app.domain.platform import secret_files


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_made_and_replaced_for_its_owner_alone(tmp_path: Path) -> None:
    """With its folder; two databases of one instance have files of their own."""
    file = secret_files.place(tmp_path / "instance", "heads", "sqlite:///a.db")
    assert file != secret_files.place(tmp_path / "instance", "heads", "sqlite:///b.db")
    assert secret_files.append(file, "one\n") == 4
    assert secret_files.append(file, "two\n", lasting=True) == 8
    assert file.read_text() == "one\ntwo\n"
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)
    secret_files.replace(file, "two\n")
    assert (file.read_text(), mode(file)) == ("two\n", 0o600)
    assert [one.name for one in file.parent.iterdir()] == [file.name]
