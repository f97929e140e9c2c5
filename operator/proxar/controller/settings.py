"""What the operator is told at its start; parsed once by `proxar.cli`, then handed on in parts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from proxar.fetch.target import Limits

__all__ = ["OperatorSettings"]


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """Everything that `proxar operator` can be given."""

    kubeconfig: Path | None = None
    """`None`: the pod's own ServiceAccount, never a kubeconfig that happens to lie around."""
    context: str | None = None
    namespaces: tuple[str, ...] = ()
    """Where MCPServers are watched; empty is everywhere."""
    metrics_address: str = "0.0.0.0:8080"
    health_address: str = "0.0.0.0:8081"
    allow_egress: tuple[str, ...] = ()
    """CIDRs or host names that the egress guard lets through."""
    service_cidrs: tuple[str, ...] = ()
    """The cluster's Service ranges; empty: read from the API (Kubernetes 1.33 or later)."""
    service_egress_namespaces: tuple[str, ...] = ()
    """Namespaces whose MCPServers may name a url in the Service ranges: other tenants' Services."""
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    workers: int = 16
    """Servers that are looked at at the same time."""
    per_host: int = 4
    """Of them, those that ask the same host."""
    log_format: Literal["json", "text"] = "text"
    log_level: str = "info"
