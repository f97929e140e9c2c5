"""The canonical text of JSON, form v1: equal contracts have equal bytes, however they were written.

Members sorted by code point, shortest escapes, exact numbers in their shortest spelling, no white
space. The arrays whose order and duplicates mean nothing (`required`, `enum`, `type`, those of
`dependentRequired`) are sorted and without duplicates where they are keywords of a schema, and
nowhere else.

The form is public: a hash is in people's Git. A changed form gets a new number; it never changes in
place.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from decimal import Decimal
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, NamedTuple, NoReturn, TypeAlias

from proxar.contract.keywords import MEMBER_ROLES, Role
from proxar.contract.number import number_text
from proxar.contract.value import JSON

__all__ = ["canonical", "canonical_text", "canonical_texts", "dump", "is_same"]

SETS = frozenset({Role.SET, Role.DEPENDENCY})
"""Roles in which an array has neither order nor duplicates."""


def canonical(value: JSON, role: Role = Role.DATA) -> bytes:
    """Return the canonical bytes; a lone surrogate is escaped, since UTF-8 has none."""
    return canonical_text(value, role).encode("utf-8", "backslashreplace")


def canonical_text(value: JSON, role: Role = Role.DATA) -> str:
    """Return the canonical text, which may hold lone surrogates as they are."""
    if not isinstance(value, dict | list):
        return _leaf(value)
    quick = _quick_text(value) if role is Role.DATA else None
    return _write(value, role, _sorted_members, COMPACT) if quick is None else quick


def _quick_text(value: JSON) -> str | None:
    """The text as Python's own encoder writes it, where that is the same; else `None`."""
    texts = _quick_texts([value])
    return texts[0] if texts else None


def _quick_texts(values: Iterable[JSON]) -> list[str] | None:
    """The same of many values."""
    try:
        texts = ["".join(ENCODER(value, 0)) for value in values]
    except (RecursionError, TypeError, ValueError):  # too deep, or a number that it cannot write
        return None
    marks = " ".join(texts).encode("utf-8", "surrogatepass").translate(MARKS)
    return None if LONG_NUMBER in marks or NOT_WHOLE in marks else texts


def _refuse(value: object) -> NoReturn:
    raise TypeError(type(value))


ENCODER = c_make_encoder(None, _refuse, encode_basestring, None, ":", ",", True, False, False)
"""Members in order, without white space; refuses `Decimal`, NaN and Infinity."""

MARKS = bytes(
    ord("0" if chr(byte).isdigit() and byte < 128 else "." if chr(byte) in ".e" else " ")
    for byte in range(256)
)
LONG_NUMBER = b"0" * 22
NOT_WHOLE = b"0."
"""Digits, and what follows them in a number that is not whole, as marks: long numbers and fractions
are written in a way of our own. A text that looks like one is written slowly, too, and no more.
"""


def is_same(one: JSON, other: JSON) -> bool:
    """Whether two values have one canonical text."""
    if one is other:
        return True
    if type(one) is str or type(other) is str:  # most are
        return one == other
    try:
        if repr(one) == repr(other):
            return True
    except RecursionError:
        pass  # the texts need no stack
    return canonical_text(one) == canonical_text(other)


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

    def lines(self, depth: int) -> tuple[str, str]:
        """What begins a line inside a container, and the line that closes it."""
        if not self.newline:
            return "", ""
        return self.newline + "  " * depth, self.newline + "  " * (depth - 1)


COMPACT = _Layout(",", ":")

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
    stack: list[tuple[_Children, str, Role]] = [(iter([("", value, role)]), "", role)]
    while stack:
        children, closer, parent_role = stack[-1]
        for prefix, child, child_role in children:
            out.append(prefix)
            if type(child) is str:  # most of a tool list, so it goes first
                out.append(encode_basestring(child))
                continue
            if child_role is Role.DATA and parent_role is not Role.DATA:  # Python may write it
                out.append(canonical_text(child))
                continue
            if isinstance(child, dict) and child:
                line, end = layout.lines(len(stack))
                members = _object(child, child_role, order(child), line, layout)
                stack.append((members, end + "}", child_role))
                break
            if isinstance(child, list) and child:
                if child_role in SETS:  # a schema's, which nobody writes indented
                    out.append(f"[{','.join(_texts_in_order(child))}]")
                    continue
                line, end = layout.lines(len(stack))
                stack.append((_array(child, child_role, line, layout), end + "]", child_role))
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


def canonical_texts(items: Collection[JSON]) -> Iterator[str]:
    """Return the canonical text of each item; quick where it can be: there may be very many."""
    types = set(map(type, items))
    text_of: Any = canonical_text
    if types == {str}:  # as they nearly always are
        text_of = encode_basestring
    elif types <= {int, Decimal}:
        text_of = number_text
    else:
        return iter(_quick_texts(items) or map(text_of, items))
    return map(text_of, items)


def _texts_in_order(items: list[JSON]) -> list[str]:
    """The texts of the items, sorted, each once; the same value has the same text."""
    return sorted(set(canonical_texts(items)))


def _leaf(value: JSON) -> str:
    """The text of a scalar or of an empty container."""
    if type(value) is int or isinstance(value, Decimal):  # no boolean
        return number_text(value)
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
    if isinstance(value, float):  # not from our reader; its shortest spelling is what was meant
        return number_text(Decimal(repr(value)))
    return number_text(value)
