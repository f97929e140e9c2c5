"""Who made an object what it is."""

from typing import Any

import pytest

from proxar.api import Metadata
from proxar.api.managers import git_owner, is_out_of_band, owners_of_pin, pin_manager


def read(metadata: dict[str, Any]) -> Metadata:
    """Metadata as the API server delivers it."""
    return Metadata.model_validate({"name": "issues", "namespace": "team", "uid": "1", **metadata})


def pinned_by(manager: str) -> dict[str, Any]:
    """An entry of managedFields: this manager set the pin."""
    return {"manager": manager, "fieldsV1": {"f:spec": {"f:pinnedHash": {}}}}


@pytest.mark.parametrize(
    ("metadata", "owner"),
    [
        ({}, None),
        ({"labels": {"app.kubernetes.io/instance": "helm"}}, None),
        ({"managedFields": [{"manager": "kubectl-client-side-apply"}]}, None),
        ({"managedFields": [{"manager": "kustomize-controller"}]}, "Flux, as kustomize-controller"),
        ({"managedFields": [{"manager": "helm-controller"}]}, "Flux, as helm-controller"),
        (
            {"managedFields": [{"manager": "kubectl"}, {"manager": "argocd-controller"}]},
            "Argo CD, as argocd-controller",
        ),
        ({"labels": {"kustomize.toolkit.fluxcd.io/name": "apps"}}, "Flux Kustomization apps"),
        ({"annotations": {"argocd.argoproj.io/tracking-id": "a:b/c"}}, "Argo CD a:b/c"),
    ],
)
def test_names_who_applies_from_git(metadata: dict[str, Any], owner: str | None) -> None:
    """By the marks and the field managers of Flux and Argo CD."""
    assert git_owner(read(metadata)) == owner


def test_names_the_owners_of_the_pin() -> None:
    """Those of other fields do not matter for a conflict."""
    metadata = read(
        {
            "managedFields": [
                {"manager": "flux", "fieldsV1": {"f:spec": {"f:interval": {}}}},
                pinned_by("edit"),
                {"manager": "proxar", "subresource": "status", "fieldsV1": {"f:status": {}}},
                {"manager": "odd"},
            ]
        }
    )

    assert owners_of_pin(metadata) == ["edit"]


FLUX = {"kustomize.toolkit.fluxcd.io/name": "apps"}


@pytest.mark.parametrize(
    ("labels", "managers", "named", "out_of_band"),
    [
        (FLUX, [], None, False),
        (FLUX, ["kubectl-patch"], "kubectl-patch", True),
        (FLUX, ["kustomize-controller"], "kustomize-controller", False),
        # Both set the same value: then Git has it.
        (FLUX, ["kubectl-patch", "kustomize-controller"], "kustomize-controller", False),
        # Nobody owns it but people.
        ({}, ["kubectl-patch"], "kubectl-patch", False),
    ],
)
def test_a_pin_is_out_of_band_where_git_owns_the_rest(
    labels: dict[str, str], managers: list[str], named: str | None, out_of_band: bool
) -> None:
    """What Git applied is not by hand, and without Git nothing is."""
    fields = [
        {"manager": "kustomize-controller", "fieldsV1": {"f:spec": {"f:endpoints": {}}}},
        *map(pinned_by, managers),
    ]
    metadata = read({"labels": labels, "managedFields": fields if labels else fields[1:]})

    assert (pin_manager(metadata), is_out_of_band(metadata)) == (named, out_of_band)
