"""What the people of the sandbox network do."""


class SandboxNetwork:
    """The network as a sender sees it."""

    quarantine = 120
