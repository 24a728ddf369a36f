"""Files beside the secret key: nobody else reads them, and they are there when nothing else is."""

import stat
from pathlib import Path

from app.domain.platform import secret_files


def mode(path: Path) -> int:
    """Who may do what with it."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_made_with_its_folder_for_its_owner_alone(tmp_path: Path) -> None:
    file = secret_files.place(tmp_path / "instance", "heads", "sqlite:///a.db")
    assert secret_files.append(file, "one\n") == 4
    assert secret_files.append(file, "two\n", lasting=True) == 8
    assert file.read_text() == "one\ntwo\n"
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "instance" / "heads"
    secret_files.append(file, "one\ntwo\n")
    secret_files.replace(file, "two\n")
    assert (file.read_text(), mode(file)) == ("two\n", 0o600)
    assert [one.name for one in file.parent.iterdir()] == ["heads"]


def test_two_databases_of_one_instance_have_files_of_their_own(tmp_path: Path) -> None:
    first, second = (secret_files.place(tmp_path, "heads", f"sqlite:///{name}.db") for name in "ab")
    assert first != second
