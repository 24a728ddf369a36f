"""What the files of `deploy` make when their steps are taken, and the programs that judge them."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.image import Image, base_python, quick_folder
from tests.deploy.programs import Programs, uv


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Finds programs by name."""
    return Programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="session")
def image() -> Iterator[Image]:
    """The image, built by hand; skipped where no packages can be installed."""
    folder = Path(tempfile.mkdtemp(prefix="overture-image-", dir=quick_folder()))
    folder.chmod(0o755)
    base = folder / "usr" / "local"
    make = [uv(), "venv", "--quiet", "--seed", "--system-certs", "--python", base_python(), str(base)]
    made = Image(folder, base / "bin" / "python")
    try:
        if subprocess.run(make, capture_output=True).returncode:
            pytest.skip("no packages can be installed, so the image cannot be built")
        if os.geteuid():  # who is not root can give files to no other user
            made.arguments |= {"USER_ID": str(os.geteuid()), "GROUP_ID": str(os.getegid())}
        made.build()
        yield made
    finally:
        made.remove()
