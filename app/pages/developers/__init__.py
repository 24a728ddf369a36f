"""API keys, webhooks, request log and API reference."""
