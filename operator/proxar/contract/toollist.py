"""A tool list as one value: read from what servers and files hold, identified by its hash, written
as a lock file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Self

from proxar.contract.canonical import canonical, canonical_text, dump
from proxar.contract.keywords import Role
from proxar.contract.reader import read
from proxar.contract.value import JSON, ContractError

__all__ = ["LOCK_FILE_VERSION", "Tool", "ToolList", "parse"]

LOCK_FILE_VERSION = "proxar.dev/v1"


@dataclass(frozen=True, slots=True)
class Tool:
    """One entry of a tool list.

    An entry that is no object or has no name that is a string (`is_named` false) is kept and hashed
    like any other, so that it hides nothing. It goes by its place in the list, `#3`, and nothing
    about its schemas can be proved.
    """

    name: str
    definition: JSON
    """What the server sent, unchanged."""
    canonical: bytes
    is_named: bool = True

    @classmethod
    def of(cls, definition: JSON, position: int) -> Self:
        """Make the tool of an entry; `position` counts from one."""
        name = definition.get("name") if isinstance(definition, dict) else None
        text = canonical(definition, Role.TOOL)
        if isinstance(name, str):
            return cls(name, definition, text)
        return cls(f"#{position}", definition, text, is_named=False)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ToolList:
    """All tools that a server reported in one look; equal hashes mean equal contracts."""

    tools: tuple[Tool, ...]
    """In the server's order."""
    hash: str
    """`sha256:` and 64 lower-case hexadecimal digits, of the canonical text in form v1."""
    protocol_version: str | None = None
    """From a lock file. Kept beside the list and not hashed."""

    @classmethod
    def of(cls, items: Sequence[JSON], *, protocol_version: str | None = None) -> Self:
        """Make a list of the joined `tools` of all pages; a half-read list would look like removed
        tools.
        """
        tools = tuple(Tool.of(item, position) for position, item in enumerate(items, start=1))
        digest = sha256(_canonical_array(tools)).hexdigest()
        return cls(tools, f"sha256:{digest}", protocol_version)

    def canonical(self) -> bytes:
        """Return what is hashed: the tools sorted by name and text, as one array."""
        return _canonical_array(self.tools)

    def lock_file(self, *, server: JSON, protocol_version: str | None) -> bytes:
        """Return the file that people keep in Git. `parse` reads it back with the same hash.

        The same contract always gives the same bytes: the tools are written in canonical form,
        indented.
        """
        document: dict[str, JSON] = {
            "apiVersion": LOCK_FILE_VERSION,
            "server": server,
            "protocolVersion": protocol_version,
            "hash": self.hash,
            "tools": read(self.canonical()),
        }
        return (dump(document, indent=True) + "\n").encode("utf-8")


def _canonical_array(tools: Sequence[Tool]) -> bytes:
    ordered = sorted(tools, key=lambda tool: (tool.name if tool.is_named else "", tool.canonical))
    return b"[" + b",".join(tool.canonical for tool in ordered) + b"]"


def parse(data: bytes) -> ToolList:
    """Read a tools/list result, a whole JSON-RPC answer that holds one, a bare array of tools, or a
    lock file.

    Raises:
        ContractError: `MalformedResponse` or `TooLarge` from the reader; `ProtocolError` when the
        JSON is something else.
    """
    return _tool_list(read(data))


def _tool_list(document: JSON) -> ToolList:
    if isinstance(document, list):
        return ToolList.of(document)
    if not isinstance(document, dict):
        raise _not_a_list(f"found {_kind(document)}")
    if "tools" not in document:
        if "error" in document:
            raise ContractError("ProtocolError", _describe_error(document["error"]))
        if isinstance(document.get("result"), dict):
            return _of_result(document["result"], "result.tools")
        members = ", ".join(sorted(document)[:8])
        raise _not_a_list(
            f"found an object with {f'the members {members}' if members else 'no members'}"[:300]
        )
    return _of_result(document, "tools")


def _of_result(result: JSON, where: str) -> ToolList:
    if not isinstance(result, dict) or "tools" not in result:
        raise _not_a_list(f"{where} is missing")
    tools = result["tools"]
    if not isinstance(tools, list):
        raise _not_a_list(f"{where} is {_kind(tools)} and not an array")
    if "apiVersion" not in result:
        return ToolList.of(tools)
    return _of_lock_file(result, tools)


def _of_lock_file(document: dict[str, JSON], tools: list[JSON]) -> ToolList:
    version = document["apiVersion"]
    if version != LOCK_FILE_VERSION:
        raise _not_a_list(
            f"apiVersion is {canonical_text(version)[:80]} and not {LOCK_FILE_VERSION}"
        )
    protocol_version = document.get("protocolVersion")
    tool_list = ToolList.of(
        tools, protocol_version=protocol_version if isinstance(protocol_version, str) else None
    )
    claimed = document.get("hash", tool_list.hash)
    if claimed != tool_list.hash:
        raise ContractError(
            "ProtocolError",
            f"the lock file says {canonical_text(claimed)[:80]} but its tools have the hash "
            f"{tool_list.hash}, so it was edited or cut; take the snapshot again, or remove the "
            "hash to compare the tools as they stand",
        )
    return tool_list


def _not_a_list(found: str) -> ContractError:
    return ContractError("ProtocolError", f"not a tool list: {found}")


def _describe_error(error: JSON) -> str:
    """What a JSON-RPC error says, on one bounded line."""
    if not isinstance(error, dict):
        return f"the answer is an error of no known shape: {_kind(error)}"
    code, message = error.get("code"), error.get("message")
    said = canonical_text(message)[:200] if isinstance(message, str) else "without a message"
    return f"the server answered with the error {canonical_text(code)[:20]}: {said}"


def _kind(value: JSON) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case list():
            return "an array"
        case dict():
            return "an object"
        case _:
            return "a number"
