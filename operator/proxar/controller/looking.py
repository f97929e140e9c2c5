"""Looking at the endpoints of a server: all at once, each with a memory of its own.

The shell around `sightings`: it fetches and remembers. What the looks mean for the status is for
`plan`.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from proxar.api import BaselineSource, ConditionType, Endpoint, HistoryEntry, MCPServer, Status
from proxar.contract import ToolList
from proxar.controller.consistency import flapping_of
from proxar.controller.evidence import Other
from proxar.controller.flapping import Run, Trail, recalled, window
from proxar.controller.observation import Fault, Held, Known, Look
from proxar.controller.plan import MAX_RETRY_AFTER
from proxar.controller.shelf import Shelf
from proxar.controller.sightings import Sightings, weigh
from proxar.controller.targets import target_of
from proxar.controller.tools import Tools
from proxar.errors import FetchError, KubernetesError
from proxar.fetch import Era, Fetched, Reason

__all__ = ["Looker", "Looks"]

log = logging.getLogger(__name__)

Key = tuple[str, str]

SHORT = timedelta(seconds=20)
NEW_CONNECTION_EACH = 5
"""Looks, where the interval is so short that a connection is kept alive from one to the next.
Behind a Service it leads to one replica for ever, and another one that differs would never be
noticed."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What one round of looks gave."""

    found: Look | Held | Fault | None
    """Of the reference endpoint; `None` while suspended."""
    others: Mapping[str, Other] = field(default_factory=dict)
    eras: Mapping[str, Era] = field(default_factory=dict)
    """Of the endpoints that were reached."""
    flapping: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Memory:
    """What is known of one endpoint besides the API server's copy. Losing it costs time, never
    truth."""

    target: str
    era: Era | None = None
    sightings: Sightings = field(default_factory=Sightings)
    known: Known = field(default_factory=Known)
    """The last list that counted; of the reference endpoint, status knows it."""
    looks: int = 0
    patience: tuple[datetime, Fault] | None = None
    """Until when the server asked not to be asked again, and how it said so."""


class Looker:
    """Looks at servers, and remembers between two looks what status does not hold."""

    def __init__(self, tools: Tools, shelf: Shelf) -> None:
        self._tools = tools
        self._shelf = shelf
        self._memories: dict[Key, tuple[str, dict[str, Memory]]] = {}

    def forget(self, key: Key) -> None:
        """The object is gone."""
        self._memories.pop(key, None)

    async def look(self, server: MCPServer, now: Callable[[], datetime], *, asked: bool) -> Looks:
        """Look at every endpoint once.

        Args:
            now: The clock, in whole seconds.
            asked: Somebody waits for this look, so a server that asked for patience is asked all
                the same.

        Raises:
            KubernetesError: What the reference endpoint stands for could not be read.
        """
        if server.spec.suspend:
            return Looks(None)
        memories = self._recall(server, now())
        reference, *rest = server.spec.endpoints
        async with asyncio.TaskGroup() as group:
            looks = [
                group.create_task(self._other(server, each, memories[each.name], now, asked=asked))
                for each in rest
            ]
            # No task: most servers have no other endpoint.
            found = await self._caught(
                server, reference, memories[reference.name], now, asked=asked
            )
        if isinstance(found, KubernetesError):
            raise found
        flapping = {
            each.name: memories[each.name].sightings.trail.flapping
            for each in server.spec.endpoints
            if memories[each.name].sightings.trail.flapping
        }
        others = {each.name: task.result() for each, task in zip(rest, looks, strict=True)}
        eras = {
            each.name: era
            for each in server.spec.endpoints
            if (era := memories[each.name].era) is not None
        }
        return Looks(found, others, eras, flapping)

    def _recall(self, server: MCPServer, now: datetime) -> dict[str, Memory]:
        """The memory of each endpoint; what is told of a former target is forgotten."""
        uid, memories = self._memories.get(server.key, ("", {}))
        if uid != server.metadata.uid:
            memories = {}
        recalled_: dict[str, Memory] = {}
        for endpoint in server.spec.endpoints:
            is_reference = endpoint is server.spec.endpoint
            digest = server.spec.target_digest if is_reference else server.spec.digest_of(endpoint)
            memory = memories.get(endpoint.name)
            if memory is None:
                memory = _from_status(server, endpoint, digest, now)
            elif memory.target != digest:
                memory = Memory(digest)
            recalled_[endpoint.name] = memory
        self._memories[server.key] = server.metadata.uid, recalled_
        return recalled_

    async def _caught(
        self,
        server: MCPServer,
        endpoint: Endpoint,
        memory: Memory,
        now: Callable[[], datetime],
        *,
        asked: bool,
    ) -> Look | Held | Fault | KubernetesError:
        """One look; an error comes back as a value, so that no other look is cut short by it."""
        try:
            return await self._one(server, endpoint, memory, now, asked=asked)
        except KubernetesError as error:
            return error

    async def _other(
        self,
        server: MCPServer,
        endpoint: Endpoint,
        memory: Memory,
        now: Callable[[], datetime],
        *,
        asked: bool,
    ) -> Other:
        found = await self._caught(server, endpoint, memory, now, asked=asked)
        if isinstance(found, KubernetesError):
            # The API server's bad hour says nothing of this endpoint.
            log.warning("%s/%s: endpoint %s: %s", *server.key, endpoint.name, found)
            return Other(None, self._remembered(memory.known))
        if isinstance(found, Look) and found.may_count:
            tools = found.fetched.tools
            memory.known = Known(tools.hash, tuple(tool.name for tool in tools.tools))
            self._shelf.lists.put(tools)
            return Other(found, tools)
        return Other(found, self._remembered(memory.known))

    def _remembered(self, known: Known) -> ToolList | None:
        return self._shelf.lists.get(known.hash) if known.hash is not None else None

    async def _one(
        self,
        server: MCPServer,
        endpoint: Endpoint,
        memory: Memory,
        now: Callable[[], datetime],
        *,
        asked: bool,
    ) -> Look | Held | Fault:
        """Fetch once and decide whether the list counts."""
        if memory.patience is not None and not asked:
            until, fault = memory.patience
            left = (until - now()).total_seconds()
            if left > 0:
                return replace(fault, retry_after=left)
        memory.patience = None
        fetched = await self._fetch(server, endpoint, memory)
        if isinstance(fetched, Fault):
            if fetched.retry_after is not None:
                wish = min(timedelta(seconds=fetched.retry_after), MAX_RETRY_AFTER)
                memory.patience = now() + wish, fetched
            return fetched
        memory.era = fetched.era
        known, snapshot = memory.known, server.status.snapshot
        is_that_of_status = snapshot is not None and known == Known(snapshot.hash)
        if endpoint is server.spec.endpoint or is_that_of_status:
            known = await self._shelf.known(server, fetched.tools)
        found, memory.sightings = weigh(
            fetched,
            known,
            memory.sightings,
            confirmations=server.spec.drift_policy.confirmations,
            span=window(server.spec.interval),
            now=now(),
        )
        return found

    async def _fetch(
        self, server: MCPServer, endpoint: Endpoint, memory: Memory
    ) -> Fetched | Fault:
        metrics, started = self._tools.metrics, self._tools.monotonic()
        try:
            try:
                target = await target_of(self._tools.client, server, endpoint)
            except KubernetesError as error:
                raise _forbidden(server, endpoint, error) from error
            # What is held back has to be seen over another connection, which may lead to another
            # replica.
            memory.looks += 1
            again = memory.sightings.pending is not None
            stays = server.spec.interval <= SHORT and memory.looks % NEW_CONNECTION_EACH == 0
            fresh = again or stays
            fetched = await self._tools.fetcher.fetch(target, era=memory.era, fresh=fresh)
        except FetchError as error:
            metrics.polls.labels(error.reason).inc()
            return Fault(error.reason, error.message, error.retry_after)
        finally:
            took = self._tools.monotonic() - started
            metrics.poll_seconds.observe(took)
            if endpoint is server.spec.endpoint:
                self._tools.board.polled(server.key, took)
        metrics.polls.labels("Fetched").inc()
        return fetched


def _forbidden(
    server: MCPServer, endpoint: Endpoint, error: KubernetesError
) -> FetchError | KubernetesError:
    """A right that the operator lacks is for a person to grant, so the object says so; anything
    else is the API server's bad hour."""
    if error.status != 403 or endpoint.service_ref is None:
        return error
    namespace, name = server.metadata.namespace, endpoint.service_ref.name
    return FetchError(
        Reason.FORBIDDEN,
        f"the API server does not let the operator read Service {namespace}/{name}; grant its "
        f"ServiceAccount get on services in the namespace {namespace}",
    )


def _of_this_target(status: Status) -> tuple[HistoryEntry, ...]:
    """What history tells of the target that is looked at now: what came with its first list, and
    after it."""
    baseline = status.baseline
    if baseline is None or baseline.source != BaselineSource.FIRST_SEEN:
        return status.history
    since = baseline.since_time
    return tuple(
        entry
        for entry in status.history
        if since is None or entry.first_seen_time is None or entry.first_seen_time >= since
    )


def _from_status(server: MCPServer, endpoint: Endpoint, digest: str, now: datetime) -> Memory:
    """What an earlier run of the operator left in status.

    The era above all, so that a bad hour at start-up cannot change the protocol spoken.
    """
    told = {each.name: each for each in server.status.endpoints}.get(endpoint.name)
    status, span = server.status, window(server.spec.interval)
    is_reference = endpoint is server.spec.endpoint
    taken_of = status.baseline.target if status.baseline is not None else None
    if told is None or (is_reference and taken_of not in (None, digest)):
        return Memory(digest)
    flaps = flapping_of(status.condition(ConditionType.CONSISTENT))
    flapping = flaps.get(endpoint.name) or (flaps.get("", ()) if is_reference else ())
    if is_reference:
        trail, known = recalled(_of_this_target(status), flapping, now, span), Known()
    else:
        run = (Run(told.hash, now, is_first=not flapping),) if told.hash else ()
        trail, known = Trail(run, flapping=flapping if run else ()), Known(told.hash)
    era = Era.of(told.protocol_version, told.transport)
    return Memory(digest, era, Sightings(trail=trail), known)
