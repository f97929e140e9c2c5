"""The looks at one endpoint of a world, one after the other, as `looking` remembers them."""

from dataclasses import dataclass, field
from datetime import timedelta

from proxar.contract import ToolList
from proxar.controller.flapping import window
from proxar.controller.observation import Known
from proxar.controller.plan import Plan
from proxar.controller.sightings import Sightings, weigh
from tests.unit.controller.world import World, fetched

__all__ = ["Eyes"]


@dataclass
class Eyes:
    """Looks at a world's only endpoint, once an interval."""

    world: World
    sightings: Sightings = field(default_factory=Sightings)
    wait: timedelta = timedelta(minutes=1)

    def look(self, tools: ToolList) -> Plan:
        """The next look gives this list."""
        self.world.wait(self.wait)
        spec = self.world.server.spec
        found, self.sightings = weigh(
            fetched(tools),
            self.known,
            self.sightings,
            confirmations=spec.drift_policy.confirmations,
            span=window(spec.interval),
            now=self.world.now,
        )
        return self.world.look(found, flapping=self.flapping)

    @property
    def flapping(self) -> dict[str, tuple[str, ...]]:
        """As `looking` tells it of its endpoint."""
        hashes = self.sightings.trail.flapping
        return {self.world.server.spec.endpoint.name: hashes} if hashes else {}

    @property
    def known(self) -> Known:
        """The last list that counted."""
        snapshot = self.world.status.snapshot
        if snapshot is None or snapshot.hash is None:
            return Known()
        tools = self.world.stored[snapshot.hash]
        assert isinstance(tools, ToolList)
        return Known(snapshot.hash, tuple(tool.name for tool in tools.tools))
