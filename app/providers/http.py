"""The one HTTP client: public addresses only, pinned resolution, caps on time and size."""


class HttpCourier:
    """Carries webhooks."""

    def __init__(self, allow_private: bool = False) -> None:
        self.allow_private = allow_private
