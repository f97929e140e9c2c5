"""The hash of a tool list as docs/reference/hash.md describes it, written from that page alone.

Nothing of Proxar is imported. It recurses, so it is for documents of ordinary depth, and it takes
the joined array of tools only.
"""

import json
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from hashlib import sha256
from typing import Any

SCHEMAS = """additionalItems additionalProperties allOf anyOf contains contentSchema else if items
    not oneOf prefixItems propertyNames then unevaluatedItems unevaluatedProperties""".split()  # noqa: SIM905
NAMED = "$defs definitions dependentSchemas patternProperties properties".split()  # noqa: SIM905 - as the page has them
SCHEMA = dict.fromkeys(SCHEMAS, "schema") | dict.fromkeys(NAMED, "named schemas")
SCHEMA |= dict.fromkeys(("enum", "required", "type"), "set")
SCHEMA |= {"dependentRequired": "named sets", "dependencies": "dependencies"}
TOOL = {"inputSchema": "schema", "outputSchema": "schema"}
KNOWN = {"tool": TOOL, "schema": SCHEMA, "dependency": SCHEMA}
OTHER = {"named schemas": "schema", "named sets": "set", "dependencies": "dependency"}
ESCAPES = {i: f"\\u{i:04x}" for i in range(32)} | {ord(c): "\\" + c for c in '"\\'}
ESCAPES |= dict(zip(b"\b\f\n\r\t", (f"\\{c}" for c in "bfnrt"), strict=True))
EXACT = Context(prec=2_000, Emax=MAX_EMAX, Emin=MIN_EMIN)


def hash_of(tools: bytes) -> str:
    """Return the hash of a JSON array of tools."""
    return "sha256:" + sha256(canonical(tools)).hexdigest()


def canonical(tools: bytes) -> bytes:
    """Return the bytes that are hashed."""
    text = tools.decode("utf-8-sig")
    read = json.loads(text, parse_int=Decimal, parse_float=Decimal, parse_constant=Decimal)
    return b"[" + b",".join(text for _, text in sorted(map(_named, read))) + b"]"


def _named(tool: Any) -> tuple[str, bytes]:
    name = tool.get("name") if isinstance(tool, dict) else None
    text = _write(tool, "tool").encode("utf-8", "backslashreplace")
    return (name if isinstance(name, str) else ""), text


def _write(value: Any, at: str) -> str:
    if isinstance(value, dict):
        known, other = KNOWN.get(at, {}), OTHER.get(at, "data")
        members = (
            f"{_write(k, at)}:{_write(value[k], known.get(k, other))}" for k in sorted(value)
        )
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        is_set = at in ("set", "dependency")
        texts = [_write(item, "data" if is_set else at) for item in value]
        return "[" + ",".join(sorted(set(texts)) if is_set else texts) + "]"
    if isinstance(value, str):
        return '"' + value.translate(ESCAPES) + '"'
    return _number(value) if isinstance(value, Decimal) else json.dumps(value)


def _number(value: Decimal) -> str:
    sign, digits, exponent = value.normalize(EXACT).as_tuple()
    n = len(digits) + int(exponent)
    if not value or -6 < n <= 21:
        return f"{value.normalize(EXACT):f}" if value else "0"
    first, *rest = map(str, digits)
    return "-" * sign + first + ("." + "".join(rest) if rest else "") + f"e{n - 1}"
