"""A step that does not show what it must ends the demo, and says so."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.demo.stage import Stage, StoryError, set_stage
from tests.kubernetes.binary import Assets
from tests.kubernetes.cluster import Cluster


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage with a kubectl that only repeats what it was told."""
    with set_stage(Cluster(tmp_path, Assets({"kubectl": ("/bin/echo",)}))) as made:
        yield made


def test_a_command_is_printed_before_what_it_writes(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a reader would type and see it; both streams, in their order."""
    output = stage.run("kubectl get pmcp && echo late >&2", shows=["^get pmcp$"])

    assert output == "get pmcp\nlate\n"
    assert capsys.readouterr().out == "$ kubectl get pmcp && echo late >&2\nget pmcp\nlate\n"


def test_commands_run_in_the_folder_that_the_reader_is_told_of(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else relative names in printed commands would be untrue."""
    stage.show_environment()
    where = stage.run("pwd && command -v kubectl")

    assert where == f"{stage.folder}\n{stage.folder}/bin/kubectl\n"
    assert f"$ cd {stage.folder}\n" in capsys.readouterr().out


def test_a_step_that_does_not_show_it_names_the_command_and_what_is_missing(stage: Stage) -> None:
    """The demo is a test too: a story that is not true must not be told."""
    with pytest.raises(StoryError) as raised:
        stage.run("echo Advisory", shows=["Breaking"])

    assert re.search(r"\$ echo Advisory\nmust show 'Breaking' and does not", str(raised.value))


@pytest.mark.parametrize(("command", "code"), [("exit 3", 0), ("true", 1)])
def test_another_exit_code_than_the_story_says_ends_it(
    stage: Stage, command: str, code: int
) -> None:
    """Exit 0 of a diff that should have found drift is as wrong as a failure."""
    with pytest.raises(StoryError, match=f"must exit {code} and exited"):
        stage.run(command, code=code)


def test_a_background_command_ends_with_the_stage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And its log is part of what a failed step says."""
    with set_stage(Cluster(tmp_path, Assets({"kubectl": ("/bin/echo",)}))) as stage:
        # Of the demo's tools the one that needs no server: it waits for one that never comes.
        stage.start("waiting", "http-get", "--wait", "60", "http://127.0.0.1:9/")
        assert (tmp_path / "waiting.pid").exists()

        with pytest.raises(StoryError, match=r"waiting\.log ends with"):
            stage.run("false")

    assert not (tmp_path / "waiting.pid").exists()
    assert "$ http-get --wait 60 http://127.0.0.1:9/ > waiting.log 2>&1 &\n" in (
        capsys.readouterr().out
    )
