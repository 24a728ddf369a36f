"""Every network the engine is measured and disturbed with is one that it could have."""

import pytest

from app.ports import Sender
from tests.bench.engine_stock import Nothing
from tests.chaos.slow_network import SlowNetwork

PORT = {*Sender.__annotations__, *vars(Sender)}


@pytest.mark.parametrize("network", [Nothing, SlowNetwork])
def test_a_network_of_the_trials_has_all_that_the_port_asks_for(network: type) -> None:
    assert {name for name in PORT if not name.startswith("_")} <= {*dir(network)}
