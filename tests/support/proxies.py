"""A real proxy and a private certificate authority for tests of the way out."""

import base64
import select
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.receivers import read_request


@dataclass
class Proxy:
    """Tunnels https and forwards http to the ports of this machine in `leads`; refuses every other host."""

    leads: dict[str, int] = field(default_factory=dict)
    login: str = ""
    asked: list[str] = field(default_factory=list)  # method and address of every request
    refusal: bytes = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def hosts(self) -> list[str]:
        return [line.split()[1].removeprefix("http://").split("/")[0].split(":")[0] for line in self.asked]

    def stop(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            request = read_request(connection)
            if not request:
                return
            head, _, rest = request.partition(b"\r\n")
            self.asked.append(head.decode().rpartition(" ")[0])
            port = self.leads.get(self.hosts[-1])
            expected = b"proxy-authorization: basic " + base64.b64encode(self.login.encode()).lower()
            if port is None or (self.login and expected not in rest.lower()):
                connection.sendall(self.refusal)
                return
            with socket.create_connection(("127.0.0.1", port)) as onward:
                if head.startswith(b"CONNECT"):
                    connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                else:
                    method, target, version = head.split()
                    path = b"/" + target.split(b"/", 3)[3]
                    onward.sendall(b" ".join([method, path, version]) + b"\r\n" + rest)
                _join(connection, onward)


def _join(one: socket.socket, other: socket.socket) -> None:
    while True:
        for ready in select.select([one, other], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            (other if ready is one else one).sendall(data)


_SIGNS = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


class Authority:
    """A company's own certificate authority; `file` is what its machines trust."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._key = folder, ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Example Company")])
        own = x509.BasicConstraints(ca=True, path_length=0)
        signed = _begun(self._name, self._name, self._key).add_extension(own, critical=True)
        # Python 3.13 asks authorities for what RFC 5280 asks of them.
        signed = signed.add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
        signed = signed.add_extension(_SIGNS, critical=True)
        self.file = folder / "authority.pem"
        self.file.write_bytes(signed.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def context(self, *names: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
        alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        begun = _begun(subject, self._name, key).add_extension(alternatives, critical=False)
        ours = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        begun = begun.add_extension(ours, critical=False)
        file = self._folder / f"{names[0]}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + begun.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _begun(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    at = datetime.now(UTC)
    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(at - timedelta(days=1))
        .not_valid_after(at + timedelta(days=1))
    )
