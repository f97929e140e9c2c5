"""What the bill of materials says of one distribution."""

import json
import sysconfig
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest

from image.debian import Package
from image.sbom import licence_of, normal, own_python, python_component, read_hashes


@pytest.fixture
def distribution(tmp_path: Path, request: pytest.FixtureRequest) -> Distribution:
    """An installed distribution with the metadata lines that the test names."""
    folder = tmp_path / "thing-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: thing\nVersion: 1.0\n{request.param}\n", encoding="utf-8"
    )
    [found] = distributions(path=[str(tmp_path)])
    return found


def metadata(*lines: str) -> str:
    """The parameter of the fixture above."""
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("distribution", "licence"),
    [
        (metadata("License-Expression: MIT OR Apache-2.0"), "MIT OR Apache-2.0"),
        (metadata("License-Expression: MIT", "License: something else"), "MIT"),
        (metadata("License: BSD-3-Clause"), "BSD-3-Clause"),
        (metadata("License: New BSD, mostly"), "New BSD, mostly"),
        (metadata("Classifier: License :: OSI Approved :: MIT License"), "MIT License"),
        (metadata("License: Copyright: me", " All rights"), "see the text"),
        (metadata("Classifier: Typing :: Typed"), "not stated"),
    ],
    indirect=["distribution"],
)
def test_a_licence_is_read_from_whatever_field_has_it(
    distribution: Distribution, licence: str
) -> None:
    """The newest kind of field first; what is no identifier stays a name."""
    found = licence_of(distribution)

    said = [getattr(found, name, None) for name in ("value", "id", "name")]
    assert [each for each in said if each] == [licence]


@pytest.mark.parametrize("distribution", [metadata("License: MIT")], indirect=True)
def test_what_no_report_knows_is_an_error(distribution: Distribution) -> None:
    """A distribution that came from elsewhere has no business in the image."""
    assert python_component(distribution, {"thing": "ab" * 32}).version == "1.0"
    with pytest.raises(KeyError, match="thing"):
        python_component(distribution, {})


def test_hashes_are_those_of_the_wheels_that_pip_installed() -> None:
    """From its installation report."""
    archive = {"archive_info": {"hashes": {"sha256": "ab" * 32}}}
    item = {"metadata": {"name": "Typing_Extensions"}, "download_info": archive}

    assert read_hashes(json.dumps({"install": [item]})) == {"typing-extensions": "ab" * 32}


def test_names_are_those_of_package_urls() -> None:
    """However a project writes its own."""
    assert [normal(name) for name in ("PyYAML", "a_b.c", "x")] == ["pyyaml", "a-b-c", "x"]


def test_a_python_that_no_package_brought_is_listed_by_itself() -> None:
    """In the public base image it was compiled into /usr/local."""
    version = sysconfig.get_python_version()

    [component] = own_python([Package("zlib1g", "1:1.3", "amd64")])

    assert component.cpe
    assert component.cpe.startswith(f"cpe:2.3:a:python:python:{version}.")
    assert list(own_python([Package(f"python{version}-minimal", "1", "amd64")])) == []
