import os
import sys

import pytest

from tests.kubernetes.node.possible import obstacle


def test_another_system_cannot_run_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what it needs and what this is."""
    monkeypatch.setattr(sys, "platform", "darwin")

    assert obstacle() == "it needs Linux, and this is darwin"


def test_another_user_cannot_run_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what it needs and who this is."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert obstacle() == "it needs root, and this is user 1000"
