"""Every value inside a tool with its role, one by one and without recursion: a tool may be a
thousand levels deep.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from proxar.contract.keywords import MEMBER_ROLES, Role
from proxar.contract.path import Place
from proxar.contract.value import JSON

__all__ = ["Node", "nodes", "schemas_in"]

NO_SCHEMAS: Final = frozenset({Role.DATA, Role.SET, Role.NAMED_SETS})


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A value, and the way up from it."""

    value: JSON
    role: Role
    key: str | int
    """Its name or index in its parent; the tool's name at the top."""
    parent: "Node | None"
    depth: int

    def steps(self) -> list[str | int]:
        """Return names and indexes from the top, the tool's name left out."""
        found: list[str | int] = []
        node = self
        while node.parent is not None:
            found.append(node.key)
            node = node.parent
        return found[::-1]

    def place(self, tool: str) -> Place:
        """Return where it is in a tool."""
        return Place(tool, tuple(self.steps()))

    @property
    def is_schema(self) -> bool:
        """Whether this is one schema, and not a list of some."""
        return self.role is Role.SCHEMA and not isinstance(self.value, list)


def nodes(value: JSON, role: Role, *, closed: Collection[Role] = ()) -> Iterator[Node]:
    """Yield a value and everything in it, each before what it holds, in the order of the text.

    Args:
        closed: Roles of what is yielded and not gone into.
    """
    stack = [Node(value, role, "", None, 0)]
    while stack:
        node = stack.pop()
        yield node
        if node.role in closed:
            continue
        if isinstance(node.value, dict):
            known, other = MEMBER_ROLES[node.role]
            stack.extend(
                Node(member, known.get(name, other), name, node, node.depth + 1)
                for name, member in reversed(node.value.items())
            )
        elif isinstance(node.value, list):
            role = node.role if node.role is Role.SCHEMA else Role.DATA
            stack.extend(
                Node(item, role, index, node, node.depth + 1)
                for index, item in reversed(list(enumerate(node.value)))
            )


def schemas_in(root: JSON) -> list[Node]:
    """Return a schema and all schemas in it."""
    return [node for node in nodes(root, Role.SCHEMA, closed=NO_SCHEMAS) if node.is_schema]
