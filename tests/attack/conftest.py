"""The browser and the filled workspace of the end-to-end tests."""

from tests.e2e.conftest import browser_context_args, browser_type_launch_args, full

__all__ = ["browser_context_args", "browser_type_launch_args", "full"]
