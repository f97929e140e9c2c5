"""Starting costs what it must: nothing is imported that no verb uses."""

import gc
import subprocess
import sys
from contextlib import suppress

import pytest

from proxar.cli.imports import cheaply

OPERATOR = """
import sys
from proxar.cli.app import Verbs
from proxar.cli.imports import cheaply
Verbs()["operator"]
with cheaply():
    import proxar.controller.operator
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_the_operator_imports_no_library_for_terminals() -> None:
    """httpx would, for a command line of its own."""
    done = subprocess.run(
        [sys.executable, "-c", OPERATOR], capture_output=True, text=True, check=True
    )

    imported = set(done.stdout.split())
    assert {"httpx", "kopf", "aiohttp"} <= imported
    assert imported & {"rich", "pygments", "markdown_it"} == set()


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_is_collected_afterwards_as_before(collecting: bool) -> None:
    """Also when an import fails."""
    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        with suppress(ModuleNotFoundError), cheaply():
            assert not gc.isenabled()
            raise ModuleNotFoundError
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()
        gc.unfreeze()
