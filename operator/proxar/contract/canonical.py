"""The canonical text of JSON, form v1: equal contracts have equal bytes, however they were written.

Members sorted by code point, shortest escapes, exact numbers in their shortest spelling, no white
space. The arrays whose order and duplicates mean nothing (`required`, `enum`, `type`, those of
`dependentRequired`) are sorted and without duplicates where they are keywords of a schema, and
nowhere else.

The form is public: a hash is in people's Git. A changed form gets a new number; it never changes in
place.
"""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from json.encoder import encode_basestring
from typing import NamedTuple, TypeAlias

from proxar.contract.keywords import MEMBER_ROLES, Role
from proxar.contract.number import number_text
from proxar.contract.value import JSON

__all__ = ["canonical", "canonical_text", "dump"]

SETS = frozenset({Role.SET, Role.DEPENDENCY})
"""Roles in which an array has neither order nor duplicates."""


def canonical(value: JSON, role: Role = Role.DATA) -> bytes:
    """Return the canonical bytes; a lone surrogate is escaped, since UTF-8 has none."""
    return canonical_text(value, role).encode("utf-8", "backslashreplace")


def canonical_text(value: JSON, role: Role = Role.DATA) -> str:
    """Return the canonical text, which may hold lone surrogates as they are."""
    if not isinstance(value, dict | list):
        return _leaf(value)
    return _write(value, role, _sorted_members, _Layout(",", ":"))


def dump(value: JSON, *, indent: bool = False) -> str:
    """Return JSON for people or machines: members in their own order, numbers and escapes as in the
    canonical form.
    """
    layout = _Layout(",", ": ", "\n") if indent else _Layout(",", ":")
    text = _write(value, Role.DATA, _members, layout)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _Layout(NamedTuple):
    comma: str
    colon: str
    newline: str = ""

    def line(self, depth: int) -> str:
        return self.newline + "  " * depth if self.newline else ""


_Children: TypeAlias = Iterator[tuple[str, JSON, Role]]
"""What a container holds: the text before a child, the child, its role."""

_Members: TypeAlias = Callable[[dict[str, JSON]], Iterable[str]]


def _sorted_members(members: dict[str, JSON]) -> Iterable[str]:
    return sorted(members)


def _members(members: dict[str, JSON]) -> Iterable[str]:
    return members


def _write(value: JSON, role: Role, order: _Members, layout: _Layout) -> str:
    """Write with a stack of iterators instead of recursion: a document may be a thousand levels
    deep.
    """
    out: list[str] = []
    stack: list[tuple[_Children, str]] = [(iter([("", value, role)]), "")]
    while stack:
        children, closer = stack[-1]
        for prefix, child, child_role in children:
            out.append(prefix)
            if type(child) is str:  # most of a tool list, so it goes first
                out.append(encode_basestring(child))
                continue
            if isinstance(child, dict) and child:
                line = layout.line(len(stack))
                stack.append(
                    (
                        _object(child, child_role, order(child), line, layout),
                        f"{layout.line(len(stack) - 1)}}}",
                    )
                )
                break
            if isinstance(child, list) and child:
                if child_role in SETS:  # a schema's, which nobody writes indented
                    out.append(f"[{','.join(_texts_in_order(child))}]")
                    continue
                stack.append(
                    (
                        _array(child, child_role, layout.line(len(stack)), layout),
                        f"{layout.line(len(stack) - 1)}]",
                    )
                )
                break
            out.append(_leaf(child))
        else:
            out.append(closer)
            stack.pop()
    return "".join(out)


def _object(
    members: dict[str, JSON], role: Role, names: Iterable[str], line: str, layout: _Layout
) -> _Children:
    known, other = MEMBER_ROLES[role]
    before = "{" + line
    for name in names:
        yield (
            f"{before}{encode_basestring(name)}{layout.colon}",
            members[name],
            known.get(name, other),
        )
        before = layout.comma + line


def _array(items: list[JSON], role: Role, line: str, layout: _Layout) -> _Children:
    before = "[" + line
    for item in items:
        yield before, item, role
        before = layout.comma + line


def _texts_in_order(items: list[JSON]) -> list[str]:
    """The texts of the items, sorted, each once; the same value has the same text."""
    return sorted(set(map(canonical_text, items)))


def _leaf(value: JSON) -> str:
    """The text of a scalar or of an empty container."""
    if isinstance(value, str):
        return str(encode_basestring(value))
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    if isinstance(
        value, float
    ):  # not from our reader; its shortest spelling is what its author meant
        return number_text(Decimal(repr(value)))
    return number_text(value)
