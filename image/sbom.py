"""`python -m image.sbom ROOT REPORT...`: write the bill of materials of an assembled image into it.

CycloneDX 1.6. It tells what is in the folder, not what was asked for: each Python distribution that
is installed there, with the hash of the wheel that it came from (pip's reports know it), and each
Debian package that a file was copied from.
"""

import json
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import AttachedText, HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, License
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from image import debian

DOCUMENT = Path("usr/share/doc/proxar/sbom.cdx.json")
"""Where it is in the image; the documentation says so."""

OURS = "proxar-operator"

Hashes = Mapping[str, str]
"""SHA-256 of its wheel, by the normalized name of a distribution."""


def main(root: Path, reports: list[Path]) -> None:
    """Write the document to its place below `root`."""
    hashes: dict[str, str] = {}
    for report in reports:
        hashes |= read_hashes(report.read_text(encoding="utf-8"))
    libraries = [str(path) for path in root.glob("opt/proxar/lib/python*/site-packages")]
    pythons = {
        component.name: component
        for component in (python_component(each, hashes) for each in distributions(path=libraries))
    }
    packages = debian.read(root)
    components = [
        *pythons.values(),
        *debian_components(packages, read_release(root)),
        *own_python(packages),
    ]
    ours = pythons[OURS]
    bom = Bom(components=[each for each in components if each is not ours])
    bom.metadata.component = ours
    bom.register_dependency(ours, bom.components)
    target = root / DOCUMENT
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(JsonV1Dot6(bom).output_as_string(indent=2) + "\n", encoding="utf-8")


def read_hashes(report: str) -> dict[str, str]:
    """Read a report that pip wrote of an installation."""
    return {
        normal(each["metadata"]["name"]): each["download_info"]["archive_info"]["hashes"]["sha256"]
        for each in json.loads(report)["install"]
    }


def normal(name: str) -> str:
    """The normalized name of a distribution, as package URLs have it."""
    return name.lower().replace("_", "-").replace(".", "-")


def python_component(distribution: Distribution, hashes: Hashes) -> Component:
    """Describe one installed distribution.

    Raises:
        KeyError: No report tells where it came from.
    """
    name = normal(distribution.name)
    return Component(
        type=ComponentType.APPLICATION if name == OURS else ComponentType.LIBRARY,
        name=name,
        version=distribution.version,
        bom_ref=f"pypi:{name}",
        purl=PackageURL("pypi", None, name, distribution.version),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=hashes[name])],
        licenses=[licence_of(distribution)],
    )


def licence_of(distribution: Distribution) -> License:
    """What the metadata say, newest kind of field first.

    Older fields hold anything: an identifier, a name, the whole text.
    """
    metadata = distribution.metadata
    assert isinstance(metadata, Message)
    stated = metadata.get("License-Expression") or metadata.get("License")
    if stated and "\n" in stated:
        return DisjunctiveLicense(name="see the text", text=AttachedText(content=stated))
    if not stated:
        classified = [
            each.rpartition(" :: ")[2]
            for each in metadata.get_all("Classifier", [])
            if each.startswith("License ::")
        ]
        stated = " or ".join(classified) or "not stated"
    return LicenseFactory().make_from_string(stated)


def read_release(root: Path) -> Mapping[str, str]:
    """The fields of /etc/os-release."""
    lines = (root / "usr/lib/os-release").read_text(encoding="utf-8").splitlines()
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}


def debian_components(
    packages: list[debian.Package], release: Mapping[str, str]
) -> Iterator[Component]:
    """Describe the Debian packages; their licences are texts, in /usr/share/doc."""
    distro = f"{release['ID']}-{release['VERSION_ID']}"
    for package in packages:
        yield Component(
            type=ComponentType.LIBRARY,
            name=package.name,
            version=package.version,
            bom_ref=f"deb:{package.name}",
            purl=PackageURL(
                *("deb", release["ID"], package.name, package.version),
                qualifiers={"arch": package.architecture, "distro": distro},
            ),
        )


def own_python(packages: list[debian.Package]) -> Iterator[Component]:
    """Describe a Python that no Debian package brought, as in the base images named `python`."""
    version = sysconfig.get_python_version()
    if not any(package.name.startswith(f"python{version}") for package in packages):
        full = ".".join(map(str, sys.version_info[:3]))
        yield Component(
            type=ComponentType.PLATFORM,
            name="cpython",
            version=full,
            bom_ref="generic:cpython",
            purl=PackageURL("generic", None, "cpython", full),
            cpe=f"cpe:2.3:a:python:python:{full}:*:*:*:*:*:*:*",
            licenses=[LicenseFactory().make_from_string("PSF-2.0")],
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])
