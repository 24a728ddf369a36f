"""What serves every workspace and is chosen in the settings: the model that writes, and mail of alerts."""

from app import ports
from app.core.db import end_read
from app.core.errors import Conflict


def model() -> ports.Model | None:
    """The model that writes; None where the built-in writer does."""
    return ports.model() if ports.model.connected else None


def check_model() -> str:
    """A sentence about what the model answered. Calls out; a ProviderError says why it is of no use now."""
    chosen = model()
    if chosen is None:
        raise Conflict("No model is set.", recovery="Set OVERTURE_MODEL_URL and OVERTURE_MODEL_NAME.")
    end_read()
    return chosen.check()


def has_mail() -> bool:
    """Whether the installation can send e-mails of its own, such as alerts."""
    return ports.alert_mail.connected
