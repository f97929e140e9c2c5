"""A shell for every test of the command line."""

import pytest

from tests.unit.cli.terminal import Shell, shell


@pytest.fixture
def proxar(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Run one command line in this process; no kubeconfig or cluster of the machine is seen."""
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/nonexistent")
    return shell(capsysbinary, monkeypatch)
