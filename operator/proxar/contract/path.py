"""Where in a tool something is: a path for people and an RFC 6901 pointer for machines."""

import re
from functools import lru_cache
from typing import NamedTuple

from proxar.contract.wording import quoted

__all__ = ["Place"]

PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)


class Place(NamedTuple):
    """A position inside one tool: member names and array indexes from the tool's root."""

    tool: str
    parts: tuple[str | int, ...] = ()

    def at(self, *parts: str | int) -> "Place":
        """Return the position so much further down."""
        return Place(self.tool, self.parts + parts) if parts else self

    @property
    def path(self) -> str:
        """`search_issues.inputSchema.properties["a.b"].anyOf[0]`."""
        return "".join([_step(part) for part in (self.tool, *self.parts)]).removeprefix(".")

    @property
    def pointer(self) -> str:
        """`/inputSchema/properties/a.b/anyOf/0`, inside the tool."""
        pointer = "".join([f"/{part}" for part in self.parts])
        if "~" not in pointer and pointer.count("/") == len(self.parts):
            return pointer
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in self.parts)


@lru_cache(maxsize=4_096)  # most are keywords, or names that many tools have
def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    if (part.isidentifier() and part.isascii()) or PLAIN_NAME.fullmatch(part):
        return f".{part}"
    return f"[{quoted(part)}]"
