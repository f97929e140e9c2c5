"""What a schema says about a value in place: through references, `allOf`, and one branch or
another.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import TypeAlias

from proxar.contract.validation import Validator
from proxar.contract.validation.budget import Budget
from proxar.contract.validation.expression import parse
from proxar.contract.validation.matching import has_match
from proxar.contract.value import JSON, MISSING
from proxar.contract.vocabulary import is_well_formed

__all__ = ["Facts", "Node", "Side"]

Node: TypeAlias = dict[str, JSON]
"""A schema, of which only the keywords beside each other are looked at."""

MOST_VARIANTS = 12
MOST_NODES = 60
DEEPEST = 12
"""References and branches that are followed without a step into the value."""

MOST_PATTERNS = 40
"""Those of names in one schema that are looked at."""

STEPS_FOR_A_NAME = 2_000


class Facts:
    """Several schemas that all apply, or that all may."""

    __slots__ = ("_names", "nodes")

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self.nodes = tuple(nodes)
        self._names: dict[str, list[str]] = {}

    def all(self, keyword: str) -> Iterator[JSON]:
        """The values of a keyword, as far as they are written as they must be."""
        for node in self.nodes:
            if keyword in node and is_well_formed(keyword, node[keyword]):
                yield node[keyword]

    def numbers(self, *keywords: str) -> list[int | Decimal]:
        """The values of keywords that hold numbers."""
        return [
            value
            for keyword in keywords
            for value in self.all(keyword)
            if isinstance(value, int | Decimal)
        ]

    def texts(self, keyword: str) -> list[str]:
        """The values of a keyword that holds a text, each once."""
        return list(dict.fromkeys(value for value in self.all(keyword) if isinstance(value, str)))

    def names(self, keyword: str) -> list[str]:
        """The names that a keyword lists, each once: in an array, or as members of an object."""
        found = self._names.get(keyword)
        if found is None:
            lists = (value for value in self.all(keyword) if isinstance(value, dict | list))
            found = list(dict.fromkeys(str(name) for names in lists for name in names))
            self._names[keyword] = found
        return found

    @property
    def types(self) -> frozenset[str] | None:
        """The types that all of them accept; `None` if none says any."""
        types: frozenset[str] | None = None
        for value in self.all("type"):
            names = frozenset(map(str, value if isinstance(value, list) else [value]))
            if "number" in names:
                names |= {"integer"}
            types = names if types is None else types & names
        return types

    @property
    def listed(self) -> list[JSON] | None:
        """The values of the shortest list; `None` without one."""
        return min(self.lists, key=len, default=None)

    @property
    def lists(self) -> list[list[JSON]]:
        """All lists of values."""
        lists = [value for value in self.all("enum") if isinstance(value, list)]
        return [*lists, *([node["const"]] for node in self.nodes if "const" in node)]

    def member(self, name: str) -> list[JSON]:
        """What is asked of a member of this name; nothing of one that may be anything."""
        found: list[JSON] = []
        is_declared = False
        for node in self.nodes:
            mine = _about_member(node, name)
            is_declared = is_declared or bool(mine)
            if not mine and "additionalProperties" in node:
                mine = [node["additionalProperties"]]
            found += mine
        if not is_declared:
            found += [node.get("unevaluatedProperties", True) for node in self.nodes]
        return [schema for schema in found if schema is not True]

    def item(self, index: int) -> list[JSON]:
        """What is asked of an item at this index."""
        return [schema for node in self.nodes for schema in _about_item(node, index)]


def _about_member(node: Node, name: str) -> list[JSON]:
    found: list[JSON] = []
    named, patterns = node.get("properties"), node.get("patternProperties")
    if isinstance(named, dict) and name in named:
        found.append(named[name])
    if isinstance(patterns, dict):
        for pattern, schema in islice(patterns.items(), MOST_PATTERNS):
            expression = parse(pattern)
            if expression and has_match(expression, name[:100], Budget(STEPS_FOR_A_NAME)):
                found.append(schema)
    return found


def _about_item(node: Node, index: int) -> list[JSON]:
    items, first = node.get("items", True), node.get("prefixItems")
    listed, rest = (
        (items, node.get("additionalItems", True)) if isinstance(items, list) else (first, items)
    )
    if isinstance(listed, list) and index < len(listed):
        return [listed[index]]
    return [] if rest is True else [rest]


class Side:
    """One of the two schemas."""

    def __init__(self, root: JSON) -> None:
        self.root = root
        self.validator = Validator(root)
        self._conjunctions: dict[tuple[int, ...], JSON] = {}
        self._known_variants: dict[int, tuple[JSON, list[Facts]]] = {}

    def conjunction(self, schemas: list[JSON]) -> JSON:
        """One schema that asks for all of several; the same one for the same ones."""
        if len(schemas) < 2:
            return schemas[0] if schemas else True
        if False in schemas:
            return False
        return self._conjunctions.setdefault(tuple(map(id, schemas)), {"allOf": list(schemas)})

    def variants(self, schema: JSON) -> list[Facts]:
        """The ways to satisfy a schema: for each, the schemas that all apply then."""
        known = self._known_variants.get(id(schema))
        if known is None:  # the schema is kept beside them, so that its id stays its own
            variants = [Facts(nodes) for nodes in self._variants(schema, 0)]
            known = self._known_variants[id(schema)] = (schema, variants)
        return known[1]

    def possible(self, schemas: Iterable[JSON]) -> Facts:
        """All that may apply in place of several schemas, in whatever branch."""
        nodes: list[Node] = []
        stack = [(schema, 0) for schema in schemas]
        while stack and len(nodes) < MOST_NODES:
            schema, depth = stack.pop(0)
            if not isinstance(schema, dict):
                continue
            nodes.append(schema)
            if depth < DEEPEST:
                branches = [part for group in self._groups(schema) for part in group]
                branches += [schema.get("not", True), *_dependents(schema)]
                stack += [(part, depth + 1) for part in branches]
        return Facts(nodes)

    def _variants(self, schema: JSON, depth: int) -> list[list[Node]]:
        if not isinstance(schema, dict):
            return [] if schema is False else [[]]
        if depth > DEEPEST:
            return [[schema]]
        groups = []
        for parts in self._groups(schema):
            ways = [way for part in parts for way in self._variants(part, depth + 1)]
            groups.append(ways[:MOST_VARIANTS] or [[]])
        first = [way for ways in groups for way in ways[0]]
        variants = [[schema, *first]]
        for index, ways in enumerate(groups):  # one group at a time, the others at their first way
            others = [way for other in (*groups[:index], *groups[index + 1 :]) for way in other[0]]
            variants += [[schema, *way, *others] for way in ways[1:]]
        return variants[:MOST_VARIANTS]

    def _groups(self, schema: Node) -> Iterator[list[JSON]]:
        """The schemas in place, of each group of which at least one applies."""
        for keyword in ("$ref", "$dynamicRef"):
            reference = schema.get(keyword)
            target = self.validator.resolve(reference) if isinstance(reference, str) else MISSING
            if target is not MISSING:
                yield [target]
        for part in _list(schema.get("allOf")):
            yield [part]
        for keyword in ("anyOf", "oneOf"):
            branches = _list(schema.get(keyword))
            if branches:
                yield branches
        if "if" in schema:
            met = self.conjunction([schema["if"], schema.get("then", True)])
            yield [met, schema.get("else", True)]


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _dependents(schema: Node) -> list[JSON]:
    found = [schema.get(keyword) for keyword in ("dependentSchemas", "dependencies")]
    return [part for each in found if isinstance(each, dict) for part in each.values()]
