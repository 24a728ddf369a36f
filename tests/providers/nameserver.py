"""A DNS server on loopback, which answers from a table and counts what it was asked."""

import socketserver
import threading
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

Records = dict[tuple[str, str], list[str]]


class Question(socketserver.BaseRequestHandler):
    server: Any

    def handle(self) -> None:
        """From the table; a name that is not in it does not exist."""
        packet, socket = self.request
        asked = dns.message.from_wire(packet)
        answer = dns.message.make_response(asked)
        answer.flags |= dns.flags.RA
        [question] = asked.question
        name, kind = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
        self.server.asked.append((name, kind))
        if self.server.silent:
            return
        if found := self.server.records.get((name, kind)):
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *found))
        elif not any(known == name for known, _ in self.server.records):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        socket.sendto(answer.to_wire(), self.client_address)


class Nameserver(socketserver.ThreadingUDPServer):
    daemon_threads = True

    def __init__(self, records: Records) -> None:
        super().__init__(("127.0.0.1", 0), Question)
        self.records, self.asked, self.silent = records, list[tuple[str, str]](), False
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        self.shutdown()
        self.server_close()
