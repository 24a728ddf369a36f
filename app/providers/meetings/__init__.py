"""Services at which meetings are booked: their signed calls."""

from app.providers.meetings.cal import CalCom
from app.providers.meetings.calendly import Calendly

__all__ = ["CalCom", "Calendly"]
