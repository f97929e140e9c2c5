"""Schemas that lead back to themselves, against a fixpoint that is computed another way."""

from random import Random

import pytest

from proxar.contract import JSON
from proxar.contract.containment import Contained, Document, Engine, Refuted

LEAVES: list[JSON] = [{"type": "integer"}, {"type": "number"}, {"type": ["number", "string"]}]
"""Each is within the next."""

Node = tuple[int, tuple[int, ...], tuple[bool, ...]]
"""Which leaf a node has, which nodes its members are, and which of those may be null instead."""


def _graph(random: Random, size: int) -> list[Node]:
    return [
        (
            random.choice((0, 0, 0, 1, 2)),
            tuple(random.randrange(size) for _ in range(3)),
            tuple(random.random() < 0.3 for _ in range(3)),
        )
        for _ in range(size)
    ]


def _edited(random: Random, graph: list[Node]) -> list[Node]:
    """The same graph with a leaf, a member or a null changed."""
    graph = list(graph)
    for _ in range(random.choice((0, 1, 1, 2))):
        place = random.randrange(len(graph))
        leaf, members, nulls = graph[place]
        match random.randrange(3):
            case 0:
                leaf = random.randrange(3)
            case 1:
                members = (random.randrange(len(graph)), *members[1:])
            case _:
                nulls = (not nulls[0], *nulls[1:])
        graph[place] = (leaf, members, nulls)
    return graph


def _document(graph: list[Node]) -> dict[str, JSON]:
    nodes: dict[str, JSON] = {}
    for index, (leaf, members, nulls) in enumerate(graph):
        properties: dict[str, JSON] = {"leaf": LEAVES[leaf]}
        for name, member, may_be_null in zip("abc", members, nulls, strict=True):
            node: JSON = {"$ref": f"#/$defs/n{member}"}
            properties[name] = {"anyOf": [{"type": "null"}, node]} if may_be_null else node
        nodes[f"n{index}"] = {"type": "object", "properties": properties}
    return {"$defs": nodes}


def _within(one: list[Node], other: list[Node]) -> set[tuple[int, int]]:
    """The pairs of nodes of which the first is within the second: the largest such relation."""
    pairs = {(here, there) for here in range(len(one)) for there in range(len(other))}
    while True:
        kept = {
            (here, there)
            for here, there in pairs
            if one[here][0] <= other[there][0]
            and all(
                (member, its) in pairs and null <= its_null
                for member, its, null, its_null in zip(
                    one[here][1], other[there][1], one[here][2], other[there][2], strict=True
                )
            )
        }
        if kept == pairs:
            return pairs
        pairs = kept


@pytest.mark.parametrize("seed", range(120))
def test_agrees_with_a_fixpoint_whatever_was_asked_before(seed: int) -> None:
    """One engine answers all pairs of nodes in any order, so what it remembers has to be true."""
    random = Random(seed)
    before = _graph(random, random.choice((2, 3, 4, 5)))
    after = _edited(random, before)
    documents = _document(before), _document(after)
    expected = _within(before, after)
    engine = Engine(steps=random.choice((60, 100, 150, 250, 20_000)))
    sources = Document(documents[0]), Document(documents[1])
    pairs = [(here, there) for here in range(len(before)) for there in range(len(after))]

    for here, there in random.sample(pairs, len(pairs)):
        nodes = tuple(
            document["$defs"][f"n{index}"]  # type: ignore[index, call-overload]
            for document, index in zip(documents, (here, there), strict=True)
        )
        answer = engine.decide_parts(sources, nodes)  # type: ignore[arg-type]
        if isinstance(answer, Contained):
            assert (here, there) in expected, (here, there)
        if isinstance(answer, Refuted):
            assert (here, there) not in expected, (here, there)


def test_proves_a_graph_that_is_wider_in_one_leaf() -> None:
    """Twelve nodes that all refer to each other cost no more than twelve times twelve questions."""
    narrow: list[Node] = [(0, (n, (n + 1) % 12, (n * 5) % 12), (False,) * 3) for n in range(12)]
    wide = [(1, *narrow[0][1:]), *narrow[1:]]
    documents = [{"$ref": "#/$defs/n0", **_document(graph)} for graph in (narrow, wide)]
    engine = Engine()

    assert engine.decide(documents[0], documents[1]) == Contained()
    assert isinstance(engine.decide(documents[1], documents[0]), Refuted)
