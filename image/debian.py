"""Which Debian packages the copied files come from, and what is owed to them."""

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from image.place import place

__all__ = ["Package", "describe", "owners", "read"]

DATABASE = Path("/var/lib/dpkg/info")

DESCRIPTIONS = Path("var/lib/dpkg/status.d")
"""Where scanners look in images without dpkg: one file a package, a convention of distroless."""


@dataclass(frozen=True, slots=True)
class Package:
    """One Debian package that files were copied from."""

    name: str
    version: str
    architecture: str


def owners(paths: Iterable[Path]) -> set[str]:
    """The names of the packages that own the files; what no package owns is left out."""
    owner_of: dict[Path, str] = {}
    resolved: dict[Path, Path] = {}
    for file in DATABASE.glob("*.list"):
        name = file.stem  # such as libc6:amd64
        for line in file.read_text(encoding="utf-8").splitlines():
            path = Path(line)
            # Packages may still name /lib/x, which is /usr/lib/x.
            if path.parent not in resolved:
                resolved[path.parent] = path.parent.resolve()
            owner_of[resolved[path.parent] / path.name] = name
    return {owner_of[path] for path in paths if path in owner_of}


def describe(packages: Iterable[str], root: Path) -> None:
    """Put beside the files what their packages say of themselves: version and licence."""
    folder = root / DESCRIPTIONS
    folder.mkdir(parents=True)
    for package in sorted(packages):
        name = package.partition(":")[0]
        answer = subprocess.run(
            ["dpkg-query", "--status", package], capture_output=True, text=True, check=True
        )
        (folder / name).write_text(answer.stdout, encoding="utf-8")
        licence = Path("/usr/share/doc") / name / "copyright"
        if licence.exists():
            place(licence, root)


def read(root: Path) -> list[Package]:
    """The packages that `describe` described, by name."""
    return [_parse(file) for file in sorted((root / DESCRIPTIONS).iterdir())]


def _parse(file: Path) -> Package:
    fields = dict(
        line.split(": ", 1)
        for line in file.read_text(encoding="utf-8").splitlines()
        if not line.startswith(" ") and ": " in line
    )
    return Package(fields["Package"], fields["Version"], fields["Architecture"])
