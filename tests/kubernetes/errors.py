"""The one error of this package."""

__all__ = ["ClusterError"]


class ClusterError(Exception):
    """A real Kubernetes could not be had; the message says what failed and what to do."""
