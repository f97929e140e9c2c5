"""Questions to which it is enough to know whether one schema is within another."""

import pytest

from proxar.contract import JSON
from proxar.contract.containment import Contained, Document, Engine, Unproved
from tests.support.schemas import SchemaMaker


@pytest.mark.parametrize("is_lenient", [False, True])
def test_a_brief_answer_is_the_long_one_without_its_value(is_lenient: bool) -> None:
    """Whatever is proved with a search for values is proved without, and nothing else."""
    for seed in range(250):
        pair = SchemaMaker(seed).pair()
        documents = Document(pair[0]), Document(pair[1])
        whole = Engine().decide_parts(documents, pair, is_lenient=is_lenient)

        brief = Engine().decide_parts(documents, pair, is_lenient=is_lenient, is_brief=True)

        assert isinstance(brief, Contained) == isinstance(whole, Contained), seed
        assert isinstance(brief, Contained | Unproved), seed


def test_anything_is_not_within_something() -> None:
    """A schema that says nothing leaves an empty goal, which every value satisfies."""
    engine = Engine()
    anything: JSON = {"type": "array", "items": {}}
    documents = Document(anything), Document({"type": "array", "items": {"type": "string"}})
    pair = documents[0].source.root, documents[1].source.root

    for is_brief in (True, False):
        assert not isinstance(engine.decide_parts(documents, pair, is_brief=is_brief), Contained)
    assert isinstance(engine.decide_parts(documents[::-1], pair[::-1], is_brief=True), Contained)
