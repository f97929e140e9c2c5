"""MCPServer v1alpha1 as it is read from the API server, or the clear reason why it cannot be."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from proxar.api.spec import Spec
from proxar.api.status import Status
from proxar.api.value import Time, Value

__all__ = ["InvalidObject", "MCPServer", "Metadata", "parse_mcpserver"]


class InvalidObject(ValueError):  # noqa: N818 - it names what was read
    """A stored MCPServer that this version cannot work with.

    `field` is the path of the first bad field, such as `spec.interval`, and `message` what is wrong
    with it. `metadata` is there unless itself bad, so that the fault can be reported on the object.
    """

    def __init__(self, field: str, message: str, metadata: "Metadata | None" = None) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message
        self.metadata = metadata


class Metadata(Value):
    """Who the object is."""

    name: str
    namespace: str
    uid: str
    generation: int = 0
    resource_version: str = ""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    managed_fields: tuple[Mapping[str, Any], ...] = ()
    """Who set which field, as the API server keeps it."""
    deletion_timestamp: Time | None = None


class MCPServer(Value):
    """One object, as it was read from the API server."""

    metadata: Metadata
    spec: Spec
    status: Status = Status()

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.metadata.namespace, self.metadata.name


def parse_mcpserver(raw: Mapping[str, Any]) -> MCPServer:
    """Read an object as the API server delivers it.

    Raises:
        InvalidObject: A field is missing or has a value that this version cannot work with.
    """
    try:
        return MCPServer.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = _path(first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidObject(field, message, _metadata_of(raw)) from error


def _metadata_of(raw: Mapping[str, Any]) -> Metadata | None:
    try:
        return Metadata.model_validate(raw.get("metadata"))
    except ValidationError:
        return None


def _path(location: tuple[int | str, ...]) -> str:
    """Spell a location as Kubernetes does: `spec.endpoints[0].url`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.removeprefix(".") or "the object"
