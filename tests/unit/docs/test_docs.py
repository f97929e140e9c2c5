"""What the documents say is true as far as a machine can tell: links, verbs, command lines."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from proxar.cli.app import VERBS
from proxar.cli.main import app

ROOT = Path(__file__).parents[3]

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
INDENTED = "    "
SHELL_OPERATORS = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<", "2>&1"})


def tracked() -> list[Path]:
    """Every file that is, or would be, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    paths = sorted(ROOT / name for name in listed.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


FILES = tracked()
DOCUMENTS = [path for path in FILES if path.suffix == ".md"]


def named(path: Path) -> str:
    """The name of a file in a test's id."""
    return str(path.relative_to(ROOT))


def code_lines(text: str) -> Iterator[str]:
    """The lines of fenced and indented code, without their indent and prompt."""
    fenced = False
    for line in text.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith(INDENTED):
            yield line.strip().removeprefix("$ ")


def prose(text: str) -> str:
    """The text without fenced code, where a bracket is no link."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_between_documents_resolve(document: Path) -> None:
    """To a file of the repository, and to a heading in it."""
    for target in LINK.findall(prose(document.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), f"{named(document)} links to {target}"
        if anchor:
            assert anchor in anchors(file.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_make_verb_exists(document: Path) -> None:
    """A reader types it as it stands."""
    text = document.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    verbs = set(re.findall(r"^([a-z][a-z0-9-]*):", makefile, re.MULTILINE))
    typed = [*code_lines(text), *CODE_SPAN.findall(prose(text))]

    said = {found[1] for line in typed if (found := re.match(r"make ([a-z][a-z0-9-]*)", line))}

    assert said <= verbs


def command_lines(text: str) -> Iterator[list[str]]:
    """The arguments of each `proxar` that is typed in code, up to a pipe or a redirection."""
    for line in code_lines(text):
        words = (
            shlex.split(line.removeprefix("kubectl "), comments=True) if "proxar" in line else []
        )
        if words[:1] == ["proxar"]:
            end = next((at for at, word in enumerate(words) if word in SHELL_OPERATORS), None)
            yield words[1:end]


def parse(arguments: list[str]) -> None:
    """Parse a command line with the real commands, and run nothing."""
    group = get_command(app)
    context = group.make_context("proxar", list(arguments), resilient_parsing=False)
    verb, *rest = arguments
    command = group.get_command(context, verb)  # type: ignore[attr-defined]
    assert command is not None, f"there is no verb {verb}"
    command.make_context(verb, rest, parent=context)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_command_line_parses(document: Path) -> None:
    """Verb, options and number of arguments are those of the command line that ships."""
    for arguments in command_lines(document.read_text(encoding="utf-8")):
        try:
            parse(arguments)
        except typer.TyperException as error:
            pytest.fail(f"{shlex.join(['proxar', *arguments])}: {error.format_message()}")


def test_a_command_line_that_is_wrong_does_not_parse() -> None:
    """The test above would otherwise pass on anything."""
    for wrong in (["diff", "--agianst", "pinned"], ["pin"], ["snapshot", "--nothing"]):
        with pytest.raises(typer.TyperException):
            parse(wrong)
    parse(["diff", "--server", "issues-mcp", "--against", "pinned"])


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_verbs_named_in_passing_exist(document: Path) -> None:
    """In running text a command stands without its arguments."""
    for span in CODE_SPAN.findall(prose(document.read_text(encoding="utf-8"))):
        found = re.match(r"(?:kubectl )?proxar ([a-z]+)\b", span)
        assert found is None or found[1] in VERBS, span


def test_no_file_names_a_package_index_or_a_place_on_one_machine() -> None:
    """Whoever clones has other mirrors and other folders. In parts, or this file would be one."""
    hosts = ["pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org"]
    hosts += [f"{name}.golang" + ".org" for name in ("proxy", "sum")]
    folders = ["root/", "home/[a-z]", "Users/[A-Za-z]", "work/"]
    pattern = re.compile(
        "|".join([*map(re.escape, hosts), *(rf"(?<![\w./-])/{folder}" for folder in folders)])
    )
    found = [
        f"{named(path)}:{number}: {line.strip()[:120]}"
        for path in FILES
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]

    assert found == []
