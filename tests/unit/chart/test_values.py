"""The chart's values are explained, and nothing but them is taken."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.support.install import ROOT

CHART = ROOT / "charts" / "proxar"
TEXT = (CHART / "values.yaml").read_text("utf-8")
VALUES: dict[str, Any] = yaml.safe_load(TEXT)
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text("utf-8"))


def objects(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Walk the objects of the schema that have named keys."""
    if "properties" in schema:
        yield path, schema
        for name, child in schema["properties"].items():
            yield from objects(child, f"{path}.{name}".lstrip("."))


def default_at(path: str) -> dict[str, Any]:
    """Return the part of values.yaml at a path such as `image`."""
    found = VALUES
    for name in path.split(".") if path else []:
        found = found[name]
    return found


@pytest.mark.parametrize("path", [path for path, _ in objects(SCHEMA) if path])
def test_schema_and_values_have_the_same_keys(path: str) -> None:
    """A key of one is in the other, in the same order, and no other is taken."""
    part = dict(objects(SCHEMA))[path]

    assert part["additionalProperties"] is False
    assert list(part["properties"]) == list(default_at(path))


def test_the_first_level_is_the_same_too() -> None:
    """But for `global`, which helm adds itself where the chart is a dependency."""
    assert SCHEMA["additionalProperties"] is False
    assert [name for name in SCHEMA["properties"] if name != "global"] == list(VALUES)


def test_every_key_has_a_comment_above_it() -> None:
    """The reader of values.yaml needs no other page. What Kubernetes defines is left to it."""
    lines = TEXT.splitlines()
    resources = lines.index("resources:")
    kubernetes = range(resources + 1, resources + 6)
    bare = [
        line
        for number, line in enumerate(lines)
        if re.match(r"\s*\w+:", line)
        and number not in kubernetes
        and not lines[number - 1].lstrip().startswith("#")
    ]

    assert bare == []


def test_the_chart_is_of_this_version() -> None:
    """The image that it pulls by default is that of this source."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    package = (ROOT / "operator" / "proxar" / "__init__.py").read_text("utf-8")

    assert f'__version__ = "{chart["appVersion"]}"' in package
