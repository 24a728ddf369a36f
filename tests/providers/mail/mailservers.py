"""An SMTP and an IMAP server on loopback that speak the real dialogues, and a mailbox that both of them know."""

import base64
import re
import socketserver
import ssl
import subprocess
import threading
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from app.core import clock

DENIED = base64.b64encode(b'{"status":"400","schemes":"Bearer"}').decode()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def certificate_of(hosts: tuple[str, ...], folder: Path) -> Path:
    """A certificate of these servers that no one has signed, with its key in the same file."""
    names = ",".join(f"DNS:{host}" for host in hosts)
    words = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=mail -addext subjectAltName={names}"
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(["openssl", *words.split(), *files], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return both


def with_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@dataclass
class Stored:
    uid: int
    raw: bytes
    at: datetime
    flags: set[str] = field(default_factory=set)


@dataclass
class Post:
    """A mailbox, what its servers took, and how they behave from now on."""

    username: str = "ines"
    password: str = "an app password"
    token: str = ""  # instead of the password
    tls: ssl.SSLContext | None = None
    validity: int = 7
    saves: bool = False  # the server itself keeps a copy of what it sends
    drop_at: str = ""  # greeting, rcpt, body or dot: the connection is cut there
    finds_anything: bool = False  # a search for a header finds every message
    away: bool = False  # its folders can't be read
    replies: dict[str, str] = field(default_factory=dict)  # by command, or `RCPT <address>`
    taken: list[tuple[str, str, bytes]] = field(default_factory=list)
    folders: dict[str, list[Stored]] = field(default_factory=lambda: {"INBOX": [], "Sent": []})
    numbered: int = 0
    sign_ins: int = 0

    @property
    def bearer(self) -> str:
        return f"user={self.username}\1auth=Bearer {self.token}\1\1"

    def put(self, folder: str, raw: bytes, *flags: str, at: datetime | None = None) -> Stored:
        self.numbered += 1
        self.folders[folder].append(Stored(self.numbered, raw, at or clock.now(), set(flags)))
        return self.folders[folder][-1]

    def arrives(self, sender: str, text: str, *, at: datetime | None = None, **headers: str) -> Stored:
        """A plain message comes in; underscores in the names of headers are hyphens."""
        named = {"From": sender, "Message-ID": f"<in-{self.numbered}@elsewhere.example>", "Subject": "Re: A question"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return self.put("INBOX", f"{head}\r\n{text}\r\n".encode(), at=at)


class Dialogue(socketserver.StreamRequestHandler):
    """One connection to a server, line by line."""

    server: Any
    timeout = 10
    disable_nagle_algorithm = True

    @property
    def post(self) -> Post:
        return self.server.post  # type: ignore[no-any-return]

    def say(self, line: str | bytes) -> None:
        self.wfile.write(line if isinstance(line, bytes) else line.encode() + b"\r\n")

    def heard(self) -> str:
        return self.rfile.readline().decode("utf-8", "replace").rstrip("\r\n")

    def encrypt(self) -> None:
        assert self.post.tls
        self.connection = self.post.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)

    def finish(self) -> None:
        for end in (self.wfile, self.rfile, self.connection):
            try:
                end.close()
            except OSError:
                continue


class Smtp(Dialogue):
    """RFC 5321, with AUTH and STARTTLS."""

    def handle(self) -> None:
        if self.post.drop_at == "greeting":
            return
        self.say(self.post.replies.get("greeting", "220 post.example ESMTP"))
        self.sender, self.recipients = "", []
        while line := self.heard():
            verb = line.split(" ")[0].upper()
            if verb == "QUIT":
                self.say("221 bye")
                return
            answer = getattr(self, f"on_{verb.lower()}", lambda _: "502 not known")(line)
            if answer is None:
                return
            if answer:
                self.say(answer)

    def on_ehlo(self, line: str) -> str:
        plain = not isinstance(self.connection, ssl.SSLSocket)
        offers = ["250-STARTTLS"] if self.post.tls and plain else []
        ways = "XOAUTH2" if self.post.token else "PLAIN"
        return "\r\n".join(["250-post.example", *offers, "250-8BITMIME", f"250 AUTH {ways}"])

    def on_starttls(self, line: str) -> str | None:
        self.say("220 go ahead")
        try:
            self.encrypt()
        except OSError:
            return None
        return ""

    def on_auth(self, line: str) -> str:
        """PLAIN in one line, or XOAUTH2, which says what is wrong before it refuses."""
        if line.split(" ")[1] == "XOAUTH2":
            if base64.b64decode(line.split(" ")[2]).decode() != self.post.bearer:
                self.say("334 " + DENIED)
                self.heard()
                return "535 5.7.8 Username and Password not accepted"
            self.post.sign_ins += 1
            return "235 2.7.0 welcome"
        _, username, password = base64.b64decode(line.split(" ")[2]).decode().split("\0")
        if (username, password) != (self.post.username, self.post.password):
            return "535 5.7.8 Username and Password not accepted"
        self.post.sign_ins += 1
        return self.post.replies.get("AUTH", "235 2.7.0 welcome")

    def on_mail(self, line: str) -> str:
        self.sender, self.recipients = re.findall("<(.*?)>", line)[0], list[str]()
        return self.post.replies.get("MAIL", "250 2.1.0 fine")

    def on_rcpt(self, line: str) -> str | None:
        if self.post.drop_at == "rcpt":
            return None
        self.recipients += (who := re.findall("<(.*?)>", line)[:1])
        return self.post.replies.get(f"RCPT {who[0]}") or self.post.replies.get("RCPT", "250 2.1.5 fine")

    def on_data(self, line: str) -> str | None:
        if "DATA" in self.post.replies:
            return self.post.replies["DATA"]
        self.say("354 go ahead")
        lines: list[bytes] = []
        while (raw := self.rfile.readline()) not in (b".\r\n", b""):
            if self.post.drop_at == "body":
                return None
            lines.append(raw[1:] if raw.startswith(b".") else raw)
        if raw == b"":
            return None
        if "dot" in self.post.replies:
            return self.post.replies["dot"]
        self.post.taken += [(self.sender, one, b"".join(lines)) for one in self.recipients]
        if self.post.saves:
            self.post.put("Sent", b"".join(lines), "\\Seen")
        return None if self.post.drop_at == "dot" else "250 2.0.0 taken"

    def on_rset(self, line: str) -> str:
        return "250 fine"


class Imap(Dialogue):
    """RFC 9051, as far as a mailbox needs it."""

    def handle(self) -> None:
        if self.post.away:
            return
        self.say("* OK [CAPABILITY IMAP4rev1] ready")
        self.folder, self.known = "", False
        while line := self.heard():
            tag, _, rest = line.partition(" ")
            verb, _, arguments = rest.partition(" ")
            if verb.upper() == "UID":
                verb, _, arguments = arguments.partition(" ")
            if verb.upper() == "LOGOUT":
                self.say("* BYE")
                self.say(f"{tag} OK bye")
                return
            answer = getattr(self, f"on_{verb.lower()}", lambda *_: "BAD not known")(arguments, tag)
            if answer:
                self.say(f"{tag} {answer}")

    def on_capability(self, arguments: str, tag: str) -> str:
        plain = not isinstance(self.connection, ssl.SSLSocket)
        able = " UIDPLUS" if self.known else ""  # as Dovecot does, to those who have signed in
        self.say("* CAPABILITY IMAP4rev1" + able + (" STARTTLS" if self.post.tls and plain else ""))
        return "OK done"

    def on_starttls(self, arguments: str, tag: str) -> str:
        self.say(f"{tag} OK begin")
        self.encrypt()
        return ""

    def on_login(self, arguments: str, tag: str) -> str:
        known = f'"{self.post.username}" "{self.post.password}"'
        self.known = arguments == known
        return "OK welcome" if self.known else "NO [AUTHENTICATIONFAILED] Invalid credentials"

    def on_authenticate(self, arguments: str, tag: str) -> str:
        if arguments != "XOAUTH2":
            return "NO not that way"
        self.say("+ ")
        self.known = base64.b64decode(self.heard()).decode() == self.post.bearer
        if not self.known:
            self.say("+ " + DENIED)
            self.heard()
        return "OK welcome" if self.known else "NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)"

    def on_list(self, arguments: str, tag: str) -> str:
        for name in self.post.folders:
            purpose = f"\\{name}" if name in ("Sent", "Junk") else "\\HasNoChildren"
            self.say(f'* LIST ({purpose}) "/" "{name}"')
        return "OK done"

    def on_select(self, arguments: str, tag: str) -> str:
        name = arguments.strip('"')
        if name not in self.post.folders:
            return "NO there is no such folder"
        self.folder = name
        self.say(f"* {len(self.post.folders[name])} EXISTS")
        self.say(f"* OK [UIDVALIDITY {self.post.validity}] valid")
        self.say(f"* OK [UIDNEXT {self.post.numbered + 1}] next")
        return "OK done"

    on_examine = on_select

    def on_search(self, arguments: str, tag: str) -> str:
        held = self.post.folders[self.folder]
        if found := re.match(r"UID (\d+):\*", arguments):
            first = int(found.group(1))
            fit = [one for one in held if one.uid >= first] or held[-1:]  # a star is always the last one
        elif arguments.startswith("HEADER") and self.post.finds_anything:
            fit = held
        elif found := re.match(r'HEADER Message-ID "(.*)"', arguments):
            fit = [one for one in held if found.group(1).encode() in one.raw]
        elif found := re.match(r'HEADER X-Entity-Ref-ID "(.*)"', arguments):
            fit = [one for one in held if f"X-Entity-Ref-ID: {found.group(1)}".encode() in one.raw]
        elif found := re.match(r'(?:SINCE \S+ TO|FROM) "(.*)"', arguments):
            fit = [one for one in held if found.group(1).encode() in one.raw.split(b"\r\n\r\n")[0]]
        elif found := re.match(r"SINCE (\d+)-(\w+)-(\d+)", arguments):
            day = (int(found.group(3)), MONTHS.index(found.group(2)) + 1, int(found.group(1)))
            fit = [one for one in held if (one.at.year, one.at.month, one.at.day) >= day]
        else:
            fit = held
        self.say(" ".join(["* SEARCH", *(str(one.uid) for one in fit)]))
        return "OK done"

    def _one(self, arguments: str) -> Stored | None:
        uid = int(arguments.split(" ")[0])
        return next((one for one in self.post.folders[self.folder] if one.uid == uid), None)

    def on_fetch(self, arguments: str, tag: str) -> str:
        one = self._one(arguments)
        if one is None:
            return "OK gone"
        if "FLAGS" in arguments:
            self.say(f"* 1 FETCH (UID {one.uid} FLAGS ({' '.join(one.flags)}))")
            return "OK done"
        size = int(re.findall(r"<0\.(\d+)>", arguments)[0])
        raw = one.raw[:size]
        moment = f"{one.at.day:2d}-{MONTHS[one.at.month - 1]}-{one.at:%Y %H:%M:%S} +0000"
        self.say(f'* 1 FETCH (UID {one.uid} INTERNALDATE "{moment}" BODY[]<0> {{{len(raw)}}}')
        self.say(raw + b")\r\n")
        return "OK done"

    def on_append(self, arguments: str, tag: str) -> str:
        found = re.match(r'"(.*?)" \((.*?)\)(?: "[^"]*")? \{(\d+)\}', arguments)
        assert found
        self.say("+ go ahead")
        raw = self.rfile.read(int(found.group(3)))
        self.rfile.readline()
        self.post.put(found.group(1), raw, *found.group(2).split())
        return "OK done"

    def on_store(self, arguments: str, tag: str) -> str:
        _, change, flags = arguments.split(" ", 2)
        if refused := self.post.replies.get(f"STORE {change}"):
            return refused
        if one := self._one(arguments):
            named = set(flags.strip("()").split())
            one.flags = one.flags | named if change.startswith("+") else one.flags - named
        return "OK done"

    def on_expunge(self, arguments: str, tag: str) -> str:
        one = self._one(arguments)
        if one and "\\Deleted" in one.flags:
            self.post.folders[self.folder].remove(one)
        return "OK done"


class Servers:
    """Both servers, answering until they are closed."""

    def __init__(self, post: Post) -> None:
        self.post = post
        self._running = [self._start(kind) for kind in (Smtp, Imap)]
        self.smtp_port, self.imap_port = (int(server.server_address[1]) for server in self._running)

    def encrypted(self) -> int:
        """The port of another IMAP server, which speaks nothing but TLS."""
        self._running.append(self._start(Imap, self.post.tls))
        return int(self._running[-1].server_address[1])

    def _start(self, kind: type[Dialogue], tls: ssl.SSLContext | None = None) -> Any:
        server: Any = socketserver.ThreadingTCPServer(("127.0.0.1", 0), kind)
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        server.daemon_threads, server.post = True, self.post
        server.handle_error = lambda *_: None
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return server

    def login(self, **changed: str) -> dict[str, str]:
        secret = {"refresh_token": "a refresh token"} if self.post.token else {"password": self.post.password}
        return {
            "smtp_host": "127.0.0.1",
            "smtp_port": str(self.smtp_port),
            "imap_host": "127.0.0.1",
            "imap_port": str(self.imap_port),
            "username": self.post.username,
            "copies": "server" if self.post.saves else "ours",
            **secret,
        } | changed

    def close(self) -> None:
        for server in self._running:
            server.shutdown()
            server.server_close()
