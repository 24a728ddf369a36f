"""A registry for one adapter, and the count of what its calls fail with."""

from functools import partial
from typing import Any, Generic, TypeVar, cast

from app.core.metrics import PROVIDER_FAILURES
from app.ports.failures import ProviderError

A = TypeVar("A")


class _Counted:
    """An adapter whose failed calls are counted under its name; its attributes are the adapter's."""

    def __init__(self, adapter: Any, name: str) -> None:
        self._adapter, self._name = adapter, name

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._adapter, name)
        return partial(self._call, value) if callable(value) else value

    def _call(self, method: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return method(*arguments, **options)
        except ProviderError as failure:
            PROVIDER_FAILURES.labels(self._name, type(failure).__name__).inc()
            raise


def counted(adapter: A, name: str) -> A:
    """Return the adapter with its failed calls counted for the metrics.

    It has the adapter's attributes by name, too: since Python 3.12 `isinstance` with a protocol asks for those.
    """
    public = [each for each in dir(adapter) if not each.startswith("_")]
    kind = type("Counted", (_Counted,), {each: _delegate(each) for each in public})
    return cast(A, kind(adapter, name))


def _delegate(name: str) -> property:
    return property(lambda self: _Counted.__getattr__(self, name))


class Port(Generic[A]):
    """Holds the adapter of one protocol: `writer.connect(adapter)` once, `writer()` wherever it is needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.adapter: A | None = None  # as it was connected, with nothing around it
        self._counted: A | None = None

    def connect(self, adapter: A) -> None:
        """Connect the adapter."""
        self.adapter, self._counted = adapter, counted(adapter, self.name)

    def disconnect(self) -> None:
        """Disconnect the adapter."""
        self.adapter = self._counted = None

    @property
    def connected(self) -> bool:
        """Return whether there is an adapter."""
        return self._counted is not None

    def __call__(self) -> A:
        """Return the adapter; raise RuntimeError when none is connected."""
        if self._counted is None:
            raise RuntimeError(f"Nothing is connected to the port {self.name}.")
        return self._counted
