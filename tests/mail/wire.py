"""A wire between us and Postfix on which messages are lost, refused and held up, encrypted on both of its sides.

`troubles`, one for each coming message: `drop` lets Postfix take it and closes before the answer, `lose` closes before
the last line, `busy` refuses it for now; `` lets it pass.
"""

import socket
import ssl
import threading
from collections import deque
from contextlib import suppress

from tests.mail.daemons import HOST, Daemons

BUSY = b"451 4.7.1 Too many messages, slow down.\r\n"


class Wire:
    """It listens on `port`."""

    def __init__(self, daemons: Daemons) -> None:
        self.troubles: deque[str] = deque()
        folder = daemons.folder
        self._far = daemons.ports["smtp"]
        self._inside = ssl.create_default_context(cafile=folder / "cert.pem")
        self._outside = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._outside.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """No one answers any more."""
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self._thread.join()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        near.settimeout(60)
        talk = _Talk(near, socket.create_connection(("127.0.0.1", self._far), 60))
        with suppress(OSError, EOFError):
            talk.tell(talk.answer())
            while line := talk.hear():
                verb = line[:4].upper()
                if verb == b"MAIL" and self._trouble("busy"):
                    talk.tell(BUSY)
                    continue
                reply = talk.ask(line)
                talk.tell(reply)
                if verb == b"STAR" and reply.startswith(b"220"):
                    talk.encrypt(self._outside, self._inside)
                if verb == b"DATA" and reply.startswith(b"354") and not self._message(talk):
                    break
        talk.close()

    def _message(self, talk: "_Talk") -> bool:
        """Whether its answer has come through."""
        lines = []
        while (line := talk.hear()) != b".\r\n":
            if not line:
                return False
            lines.append(line)
        if self._trouble("lose"):
            return False
        reply = talk.ask(b"".join([*lines, line]))
        if self._trouble("drop"):
            return False
        talk.tell(reply)
        if self.troubles and not self.troubles[0]:
            self.troubles.popleft()
        return True

    def _trouble(self, name: str) -> bool:
        if self.troubles and self.troubles[0] == name:
            self.troubles.popleft()
            return True
        return False


class _Talk:
    """One connection on each side, line by line."""

    def __init__(self, near: socket.socket, far: socket.socket) -> None:
        self._near, self._far = near, far
        self._open()

    def _open(self) -> None:
        self._from_near, self._from_far = self._near.makefile("rb"), self._far.makefile("rb")

    def hear(self) -> bytes:
        """The next line of ours; b"" when we are gone."""
        return self._from_near.readline()

    def tell(self, reply: bytes) -> None:
        """We hear that."""
        self._near.sendall(reply)

    def ask(self, words: bytes) -> bytes:
        """What Postfix answers to that."""
        self._far.sendall(words)
        return self.answer()

    def answer(self) -> bytes:
        """All lines of the next answer of Postfix."""
        lines = [self._from_far.readline()]
        while lines[-1][3:4] == b"-":
            lines.append(self._from_far.readline())
        if not lines[-1]:
            raise EOFError
        return b"".join(lines)

    def encrypt(self, outside: ssl.SSLContext, inside: ssl.SSLContext) -> None:
        """No one in between can read it from here on."""
        self._close_files()
        self._far = inside.wrap_socket(self._far, server_hostname=HOST)
        self._near = outside.wrap_socket(self._near, server_side=True)
        self._open()

    def close(self) -> None:
        """Both connections are gone."""
        self._close_files()
        for one in (self._near, self._far):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _close_files(self) -> None:
        self._from_near.close()
        self._from_far.close()
