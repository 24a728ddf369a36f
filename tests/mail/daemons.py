"""Real Dovecot, Postfix and OpenDKIM on high ports of loopback, in a folder that is thrown away. They need root.

Whoever signs in with a token is asked for at the port `tokens` (RFC 7662), where a test answers.

`python tests/mail/daemons.py` installs them with apt where they are missing; nothing of the machine's own is changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

PACKAGES = {
    "/usr/sbin/dovecot": ["dovecot-imapd", "dovecot-lmtpd", "dovecot-sieve"],
    "/usr/lib/dovecot/lmtp": ["dovecot-lmtpd"],
    "/usr/bin/sievec": ["dovecot-sieve"],
    "/usr/sbin/postfix": ["postfix"],
    "/usr/sbin/opendkim": ["opendkim"],
}
CONFIG = Path(__file__).parent / "config"
HOST, PASSWORD = "localhost", "an app password"
INES, MAREK = "ines@acme.example", "marek@acme.example"  # what Marek sends is kept by the server itself


def missing() -> list[str]:
    """The packages whose programs are not on the machine."""
    return sorted({name for path, names in PACKAGES.items() if not Path(path).exists() for name in names})


def install() -> None:
    """The programs are on the machine."""
    packages = missing()
    if not packages:
        _check_version()
        return
    if os.geteuid() != 0:
        raise SystemExit(f"Missing: {', '.join(packages)}. Run this as root on Debian or Ubuntu, or install them.")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *packages]):
        subprocess.run(["apt-get", *command], env=environment, check=True)
    _check_version()


def _check_version() -> None:
    """Dovecot 2.4 is configured in other words."""
    version = subprocess.run(["/usr/sbin/dovecot", "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("2.3."):
        raise SystemExit(
            f"This is for Dovecot 2.3, as Debian 12 and Ubuntu 24.04 have it; here is {version.split()[0]}."
        )


class Daemons:
    """The three of them, answering until they are closed. Ines, Marek, Ada and others have mailboxes."""

    def __init__(self, free_port: Any, *others: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="overture-mail-"))
        self.folder.chmod(0o755)
        self.ports = {name: free_port() for name in "imap imaps lmtp auth smtp inward milter tokens".split()}
        self._write(others)
        self._commands = [
            ["opendkim", "-x", str(self.folder / "opendkim.conf")],
            ["dovecot", "-c", str(self.folder / "dovecot.conf")],
            ["postfix", "-c", str(self.folder / "postfix"), "start"],
        ]
        try:
            for command in self._commands:
                with (self.folder / "started.log").open("a") as said:  # not a pipe, which they would keep open
                    subprocess.run(command, check=True, stdout=said, stderr=said, timeout=60)
        except BaseException:
            self.close()
            raise

    def _write(self, others: tuple[str, ...]) -> None:
        folder = self.folder
        for name in ("mail", "home", "sieve"):
            (folder / name).mkdir()
            shutil.chown(folder / name, "nobody", "nogroup")
        for name in ("postfix", "queue", "data"):
            (folder / name).mkdir()
        shutil.chown(folder / "data", "postfix")
        self.key = rsa.generate_private_key(65537, 2048)
        self._write_key("dkim.pem", self.key, "opendkim")
        self._write_certificate()
        users = "".join(f"{who}:{{PLAIN}}{PASSWORD}::::::\n" for who in (INES, MAREK, "ada@people.example", *others))
        (folder / "users").write_text(users)
        for source in CONFIG.iterdir():  # "postfix-main.cf" becomes "postfix/main.cf"
            text = source.read_text()
            for name, value in {"folder": folder, **self.ports}.items():
                text = text.replace(f"@{name}@", str(value))
            (folder / source.name.replace("-", "/")).write_text(text)

    def _write_key(self, name: str, key: rsa.RSAPrivateKey, owner: str = "root") -> None:
        path = self.folder / name
        path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
        path.chmod(0o600)
        shutil.chown(path, owner)

    def _write_certificate(self) -> None:
        key, now = rsa.generate_private_key(65537, 2048), datetime.now(UTC)
        self._write_key("key.pem", key)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
        made = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        )
        (self.folder / "cert.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def login(self, **changed: str) -> dict[str, str]:
        """What the mailbox of Ines signs in with."""
        return {
            "smtp_host": HOST,
            "smtp_port": str(self.ports["smtp"]),
            "imap_host": HOST,
            "imap_port": str(self.ports["imap"]),
            "username": INES,
            "password": PASSWORD,
            "copies": "ours",
        } | changed

    def empty(self) -> None:
        """No one has any mail, none is on its way, and no one is away."""
        self.idle()
        for name in ("mail", "sieve", "home"):
            for path in (self.folder / name).iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def is_away(self, who: str, words: str) -> None:
        """Their server answers every e-mail with these words."""
        path = self.folder / "sieve" / f"{who}.sieve"
        path.write_text(f'require "vacation";\nvacation :subject "Away" "{words}";\n')
        shutil.chown(path, "nobody", "nogroup")

    def arrived(self, who: str, least: int = 1, folder: str = "") -> list[bytes]:
        """The messages of a mailbox, once there are so many; as many as there are after half a minute."""
        place = self.folder / "mail" / who / folder
        until = time.monotonic() + 30
        while True:
            found = [path for name in ("new", "cur") for path in sorted((place / name).glob("*"))]
            if len(found) >= least or time.monotonic() > until:
                return [path.read_bytes() for path in found]
            time.sleep(0.1)

    def idle(self) -> None:
        """Postfix has dealt with everything that it took."""
        places = [self.folder / "queue" / name for name in ("maildrop", "incoming", "active", "deferred")]
        until = time.monotonic() + 30
        while any(path.is_file() for place in places for path in place.rglob("*")):
            if time.monotonic() > until:
                raise AssertionError(self.log()[-2000:])
            time.sleep(0.02)

    def log(self) -> str:
        """What Postfix did."""
        path = self.folder / "postfix.log"
        return path.read_text() if path.exists() else ""

    def close(self) -> None:
        """None of them runs any more, and the folder is gone."""
        subprocess.run(["postfix", "-c", str(self.folder / "postfix"), "stop"], capture_output=True, timeout=60)
        for name in ("dovecot/master.pid", "opendkim.pid"):
            path = self.folder / name
            if path.exists():
                subprocess.run(["kill", path.read_text().strip()], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


if __name__ == "__main__":
    install()
    sys.exit(0)
