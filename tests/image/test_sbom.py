"""The bill of materials in the image lists what is in the image."""

import importlib.resources
import json
import re
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.image.archive import Archive, Files, resolve
from tests.image.container import Image

ROOT = Path(__file__).parents[2]
DOCUMENT = "usr/share/doc/proxar/sbom.cdx.json"
INFO = re.compile(r"var/lib/dpkg/info/([a-z0-9+.-]+)(?::[a-z0-9]+)?\.list")

Components = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def document(image: Image) -> str:
    """The document, as it is in the image."""
    return (image.root / DOCUMENT).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pythons(document: str) -> Components:
    """The Python distributions that it lists, Proxar included, by name."""
    bom = json.loads(document)
    listed = [*bom["components"], bom["metadata"]["component"]]
    return {each["name"]: each for each in listed if each["purl"].startswith("pkg:pypi/")}


def test_it_is_cyclonedx(document: str) -> None:
    """Scanners take it as it stands: it keeps to the schema, which the library carries along."""
    schemas = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in importlib.resources.files("cyclonedx.schema._res").iterdir()
        if path.name.endswith(".schema.json")
    }
    by_address = [
        (f"http://cyclonedx.org/schema/{name}", schema)
        for name, schema in schemas.items()
        if name.startswith(("jsf-", "spdx."))
    ]
    validator = jsonschema_rs.Draft7Validator(
        schemas["bom-1.6.SNAPSHOT.schema.json"], registry=jsonschema_rs.Registry(by_address)
    )

    assert [str(fault) for fault in validator.iter_errors(json.loads(document))] == []


def test_it_lists_every_python_distribution_and_no_other(image: Image, pythons: Components) -> None:
    """With the versions that are installed."""
    [library] = image.root.glob("opt/proxar/lib/python*/site-packages")
    installed = {
        re.sub(r"[-_.]+", "-", each.name).lower(): each.version
        for each in distributions(path=[str(library)])
    }

    assert {name: each["version"] for name, each in pythons.items()} == installed


def test_what_is_installed_is_what_was_locked(pythons: Components) -> None:
    """Each from a wheel whose hash the lock file names."""
    locked = locked_hashes((ROOT / "requirements/operator.txt").read_text(encoding="utf-8"))

    dependencies = {name for name in pythons if name != "proxar-operator"}

    # Two that are locked are for other systems.
    assert dependencies <= locked.keys()
    assert {"aiohttp", "kopf", "kubernetes", "pydantic"} <= dependencies
    for name in dependencies:
        [hash_] = pythons[name]["hashes"]
        assert hash_["alg"] == "SHA-256"
        assert hash_["content"] in locked[name], name


def locked_hashes(lock: str) -> dict[str, set[str]]:
    """The hashes of each requirement of a lock file."""
    hashes: dict[str, set[str]] = {}
    name = ""
    for line in lock.splitlines():
        if found := re.match(r"([a-z0-9-]+)(?:\[[^\]]*\])?==", line):
            name = found[1]
        hashes.setdefault(name, set()).update(re.findall(r"sha256:([0-9a-f]{64})", line))
    return hashes


def test_every_component_states_a_licence(pythons: Components) -> None:
    """Those of Debian packages are texts, in /usr/share/doc."""
    assert {name for name, each in pythons.items() if not each.get("licenses")} == set()
    assert "not stated" not in json.dumps(pythons)


def test_it_lists_every_debian_package_that_a_file_is_from(
    base: Archive, files: Files, document: str
) -> None:
    """No library without a version for whoever looks for vulnerabilities.

    Who owns a file is asked of the base image's own records, by another way than the assembly's.
    """
    listed = {
        each["name"]: each["version"]
        for each in json.loads(document)["components"]
        if each["purl"].startswith("pkg:deb/")
    }
    libraries = {
        path.rpartition("/")[2]
        for path, member in files.items()
        if member.isfile() and re.search(r"usr/lib/[^/]+-linux-[^/]+/[^/]+\.so", path)
    }
    assert {"libc.so.6"} <= libraries

    owner = owners(base, libraries)

    assert libraries - owner.keys() == set()
    assert {owner[library] for library in libraries} <= listed.keys()
    described = {
        path.rpartition("/")[2] for path in files if path.startswith("var/lib/dpkg/status.d/")
    }
    assert described == listed.keys()
    licences = {f"usr/share/doc/{name}/copyright" for name in listed}
    assert {path for path in licences if resolve(files, path) not in files} == set()


def owners(base: Archive, libraries: set[str]) -> dict[str, str]:
    """The package of each library, by the name of its file."""
    found = {}
    for record, content in base.read(INFO).items():
        match = INFO.fullmatch(record)
        assert match
        for line in content.decode().splitlines():
            name = line.rpartition("/")[2]
            if name in libraries and re.search(r"/lib/[^/]+-linux-[^/]+/[^/]+$", line):
                found[name] = match[1]
    return found
