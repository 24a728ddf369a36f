"""CRMs: adapters of `ports.Crm`."""

from app.providers.crm import hubspot
from app.providers.crm.hubspot import HubSpot

__all__ = ["HubSpot", "hubspot"]
