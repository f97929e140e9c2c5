"""Write every file that follows from another one: `python -m tests.support.generate [--check]`.

To add a generated file, add a line to `GENERATED`. A page that is partly written by hand marks the
rest; see `fill`.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from tests.support import (
    cli_reference,
    fetch_faults_reference,
    mcpserver_reference,
    metrics_reference,
    rules_reference,
)
from tests.support.install import CRD, ROOT

__all__ = ["GENERATED", "fill", "main", "stale"]

Sections: TypeAlias = Callable[[], Mapping[str, str]]


def _crd() -> str:
    return CRD.read_text(encoding="utf-8")


def _page(path: str, sections: Sections) -> tuple[str, Callable[[], str]]:
    return path, lambda: fill(ROOT / path, sections())


GENERATED: tuple[tuple[str, Callable[[], str]], ...] = (
    ("charts/proxar/files/mcpservers.proxar.dev.yaml", _crd),
    _page("docs/reference/cli.md", cli_reference.sections),
    _page("docs/reference/fetch-faults.md", fetch_faults_reference.sections),
    _page("docs/reference/mcpserver.md", mcpserver_reference.sections),
    _page("docs/reference/metrics.md", metrics_reference.sections),
    _page("docs/reference/rules.md", rules_reference.sections),
)
"""Each file, from the root of the repository, and what it must hold."""


def fill(page: Path, sections: Mapping[str, str]) -> str:
    """Return a page with its generated sections renewed; the text around them stays.

    A section stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->`.
    """
    text = page.read_text(encoding="utf-8")
    for name, content in sections.items():
        begin, end = f"<!-- generated: {name} -->", f"<!-- end of {name} -->"
        section = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        renewed = f"{begin}\n\n{content.strip()}\n\n{end}"
        text, count = section.subn(renewed.replace("\\", r"\\"), text)
        if count != 1:
            raise ValueError(f"{page} has {count} sections {begin} … {end}; it needs one")
    return text


def stale() -> list[str]:
    """Return the generated files that do not hold what they must."""
    return [path for path, render in GENERATED if _now(ROOT / path) != render()]


def _now(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def main(arguments: list[str] | None = None) -> int:
    """Write what is stale, or only name it."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.generate", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if one is stale"
    )
    check = parser.parse_args(arguments).check
    outdated = stale()
    for path in outdated:
        print(f"{'stale' if check else 'written'}: {path}")
        if not check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(dict(GENERATED)[path](), encoding="utf-8")
    if check and outdated:
        print("run `make generate`", file=sys.stderr)
    return int(check and bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
