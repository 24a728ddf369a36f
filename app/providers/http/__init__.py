"""Calls over HTTP: to other services by `HttpClient`, to webhooks by `webhook_client`, both on pinned connections."""

from app.providers.http.client import HttpClient, HttpResponse, retry_after

__all__ = ["HttpClient", "HttpResponse", "retry_after"]
