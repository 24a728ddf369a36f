"""CRMs: adapters of `ports.Crm`."""

from app.providers.crm import hubspot, pipedrive
from app.providers.crm.hubspot import HubSpot
from app.providers.crm.pipedrive import Pipedrive

__all__ = ["HubSpot", "Pipedrive", "hubspot", "pipedrive"]
