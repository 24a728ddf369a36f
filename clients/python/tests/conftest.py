"""The core is generated before a test imports the client."""

from tools import clients

clients.python(clients.published())
