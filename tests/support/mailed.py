"""Mail of the installation itself, for tests: a real server that keeps what it took."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy

from app import ports
from app.providers.mail.system_mailer import SystemMailer
from tests.providers.mail.mailservers import Post, Servers


@contextmanager
def house_mail() -> Iterator[Post]:
    post = Post()
    servers = Servers(post)
    url = f"smtp://ines:an%20app%20password@127.0.0.1:{servers.smtp_port}"
    ports.alert_mail.connect(SystemMailer(url, "Overture <overture@acme.example>", "https://o.example"))
    try:
        yield post
    finally:
        ports.alert_mail.disconnect()
        servers.close()


def read(post: Post) -> list[tuple[str, str, str]]:
    parsed = [(recipient, message_from_bytes(raw, policy=policy.default)) for _, recipient, raw in post.taken]
    return [(recipient, one["subject"], one.get_content()) for recipient, one in parsed]


def link_in(text: str) -> str:
    (found,) = re.findall(r"https?://[^/\s]+(/\S+)", text)
    return str(found)
