"""What the operator is told at its start."""

import dataclasses

import pytest

from proxar.controller.settings import OperatorSettings


def test_the_defaults_are_those_of_a_pod() -> None:
    """Its own ServiceAccount, every namespace, nothing let through the egress guard."""
    settings = OperatorSettings()

    assert settings.kubeconfig is None
    assert settings.namespaces == ()
    assert settings.allow_egress == ()


def test_they_cannot_change_while_it_runs() -> None:
    """Handed on in parts, so nobody can tell others something new."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        OperatorSettings().workers = 1  # type: ignore[misc]
