"""Taking away `$ref` and `allOf` where that changes nothing: several schemas that all apply become
one.

Two schemas may become one only if no keyword of the one can see a neighbour in the other:
`additionalProperties` sees the `properties` beside it and not those next door. What cannot be
joined stays behind as `allOf`.
"""

from decimal import Decimal

from proxar.contract.canonical import canonical_text, canonical_texts, is_same
from proxar.contract.document import Document
from proxar.contract.keywords import ANNOTATIONS, SCHEMA_ROLES, Role
from proxar.contract.value import JSON, MISSING
from proxar.contract.vocabulary import is_well_formed

__all__ = ["Budget", "BudgetSpent", "Chain", "flatten"]

Chain = tuple[str, ...]
"""The references that were followed to get to a schema."""

MAX_CHAIN = 24
"""References followed in a row without meeting anything but another reference or an in-place
keyword.
"""

MEMBERS_PER_STEP = 256
ITEMS_PER_STEP = 32
"""What was joined already and is copied, or written out as text, to join more."""

LOCAL = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$id",
        "$schema",
        "$vocabulary",
        "definitions",
    }
)
"""Keywords that belong to the place where they stand and do not move."""

LARGER_WINS = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
SMALLER_WINS = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})

INSEPARABLE = (
    frozenset({"if", "then", "else"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"items", "prefixItems", "additionalItems"}),
)
"""Keywords that mean something together, so that they must not meet others of their family."""


class BudgetSpent(Exception):  # noqa: N818 - a signal between our own functions
    """The comparison of one schema took too many steps to go on."""


class Budget:
    """Steps that one comparison may take, so that no schema can keep us busy."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Take a step, or one that counts for several."""
        self.left -= steps
        if self.left < 0:
            raise BudgetSpent


def flatten(
    document: Document, schema: JSON, chain: Chain, budget: Budget
) -> tuple[dict[str, JSON], Chain]:
    """Return the schema as one object without `$ref`, and without `allOf` where possible, and all
    references followed.
    """
    budget.spend()
    if not isinstance(schema, dict):
        return ({} if schema is True else {"not": {}} if schema is False else {"": schema}), chain
    if "$ref" not in schema and "allOf" not in schema:
        return schema, chain
    own = dict(schema)
    if "$ref" in own and document.has_old_references:
        own = {"$ref": own["$ref"]}
    members: JSON = own.pop("allOf") if is_well_formed("allOf", own.get("allOf")) else []
    followed = chain
    reference = own.get("$ref")
    if isinstance(reference, str) and reference not in chain and len(chain) < MAX_CHAIN:
        target = document.resolve(reference)
        if target is not MISSING:
            del own["$ref"]
            flat, followed = flatten(document, target, (*chain, reference), budget)
            own = _place(own, flat, {"$ref": reference}, budget)
    for member in members if isinstance(members, list) else []:
        flat, followed = flatten(document, member, followed, budget)
        own = _place(own, flat, member, budget)
    return own, followed


def _place(
    own: dict[str, JSON], flat: dict[str, JSON], source: JSON, budget: Budget
) -> dict[str, JSON]:
    """Join a flat member to its owner, or leave its source behind as one that applies as well."""
    moved = {name: value for name, value in flat.items() if name not in LOCAL}
    joined = _join(own, moved, budget)
    if joined is not None:
        return joined
    rest = own.get("allOf")
    budget.spend(_steps_to_join(rest))
    return own | {"allOf": [*(rest if isinstance(rest, list) else []), source]}


def _join(own: dict[str, JSON], other: dict[str, JSON], budget: Budget) -> dict[str, JSON] | None:
    if not _may_meet(own, other):
        return None
    joined = dict(own)
    for keyword, value in other.items():
        if keyword not in joined:
            joined[keyword] = value
        elif keyword not in ANNOTATIONS and keyword in KNOWN:
            budget.spend(_steps_to_join(joined[keyword]))
            both = _conjunction(keyword, joined[keyword], value)
            if both is None:
                return None
            joined[keyword] = both
    return joined


def _steps_to_join(so_far: JSON) -> int:
    """What it costs to add to what was joined already."""
    if isinstance(so_far, dict):
        return len(so_far) // MEMBERS_PER_STEP
    return len(so_far) // ITEMS_PER_STEP if isinstance(so_far, list) else 0


KNOWN = (
    frozenset(SCHEMA_ROLES)
    | LARGER_WINS
    | SMALLER_WINS
    | {
        "$dynamicRef",
        "$recursiveRef",
        "$ref",
        "const",
        "contentEncoding",
        "contentMediaType",
        "format",
        "maxContains",
        "minContains",
        "multipleOf",
        "pattern",
        "uniqueItems",
    }
)
"""Keywords that assert something; of all others the outermost is kept."""


def _may_meet(own: dict[str, JSON], other: dict[str, JSON]) -> bool:
    if any(
        not own.keys().isdisjoint(family) and not other.keys().isdisjoint(family)
        for family in INSEPARABLE
    ):
        return False
    if "unevaluatedProperties" in other or "unevaluatedItems" in other:
        return False  # they see what is inside their own schema only
    return _sees_the_same(own, other) and _sees_the_same(other, own)


def _sees_the_same(one: dict[str, JSON], other: dict[str, JSON]) -> bool:
    """Whether the `additionalProperties` of one would not meet new neighbours."""
    if one.get("additionalProperties", True) is True:
        return True
    if "patternProperties" in other:
        return False
    mine, theirs = one.get("properties", {}), other.get("properties", {})
    return isinstance(mine, dict) and isinstance(theirs, dict) and theirs.keys() <= mine.keys()


def _conjunction(keyword: str, one: JSON, other: JSON) -> JSON:
    """One value of the keyword that asserts what both do; `None` if there is none that we know."""
    if _are_written_alike(keyword, one, other):
        return one
    if not (is_well_formed(keyword, one) and is_well_formed(keyword, other)):
        return None
    match one, other:
        case int() | Decimal(), int() | Decimal() if keyword in LARGER_WINS:
            return max(one, other)
        case int() | Decimal(), int() | Decimal() if keyword in SMALLER_WINS:
            return min(one, other)
        case list(), list() if keyword == "required":
            return list(dict.fromkeys([*one, *other]))
        case list(), list() if keyword == "enum":
            texts = set(canonical_texts(other))
            mine = zip(canonical_texts(one), one, strict=True)
            return [value for text, value in mine if text in texts]
        case dict(), dict() if keyword in {"properties", "patternProperties"}:
            if not all(is_same(one[name], other[name]) for name in one.keys() & other.keys()):
                return None
            return one | other
    return None


def _are_written_alike(keyword: str, one: JSON, other: JSON) -> bool:
    """Whether two values of a keyword have one text. Most that have not are quick to tell apart,
    and one side is all that was joined so far.
    """
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() != other.keys():
        return False
    role = SCHEMA_ROLES.get(keyword, Role.DATA)
    return canonical_text([one], role) == canonical_text([other], role)
