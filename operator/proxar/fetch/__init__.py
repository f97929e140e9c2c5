"""Reads the tool list of an MCP server, completely or not at all.

Here belong: eras and transports of the protocol, pages, limits, the egress guard, and the
translation of every fault into a `Reason`. Not here: what a list means, whether a missing tool is
drift, when to ask again. Nothing of Kubernetes is known, no secret is read, and no type of an HTTP
library crosses the border. Imports are costly (aiohttp, httpx): import late.
"""

from proxar.errors import FetchError
from proxar.fetch.egress import EgressPolicy
from proxar.fetch.fetcher import Fetcher
from proxar.fetch.listen import NotOffered
from proxar.fetch.reasons import Reason
from proxar.fetch.target import Era, Fetched, Limits, Target, Transport

__all__ = [
    "EgressPolicy",
    "Era",
    "FetchError",
    "Fetched",
    "Fetcher",
    "Limits",
    "NotOffered",
    "Reason",
    "Target",
    "Transport",
]
