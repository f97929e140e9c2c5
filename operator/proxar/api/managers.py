"""Who made an object what it is: its field managers, and the marks of what applies from Git."""

from proxar.api.mcpserver import Metadata

__all__ = ["git_owner", "is_out_of_band", "owners_of_pin", "pin_manager"]

MANAGERS = {
    "kustomize-controller": "Flux",
    "helm-controller": "Flux",
    "argocd-controller": "Argo CD",
    "argocd-application-controller": "Argo CD",
}
"""Field managers of what applies from Git."""

MARKS = {
    "kustomize.toolkit.fluxcd.io/name": "Flux Kustomization",
    "helm.toolkit.fluxcd.io/name": "Flux HelmRelease",
    "argocd.argoproj.io/instance": "Argo CD Application",
    "argocd.argoproj.io/tracking-id": "Argo CD",
}
"""Labels and annotations that they leave. Argo CD's default label is left out: every Helm chart
sets that one.
"""


def git_owner(metadata: Metadata) -> str | None:
    """Who applies this object from Git, in words; `None` when nobody seems to."""
    marks = {**metadata.labels, **metadata.annotations}
    for key, owner in MARKS.items():
        if key in marks:
            return f"{owner} {marks[key]}"
    managers = (str(entry.get("manager")) for entry in metadata.managed_fields)
    return next((f"{MANAGERS[name]}, as {name}" for name in managers if name in MANAGERS), None)


def owners_of_pin(metadata: Metadata) -> list[str]:
    """The field managers that own spec.pinnedHash."""
    return [
        str(entry.get("manager"))
        for entry in metadata.managed_fields
        if "f:pinnedHash" in ((entry.get("fieldsV1") or {}).get("f:spec") or {})
    ]


def pin_manager(metadata: Metadata) -> str | None:
    """The field manager that status names: what applies from Git, if it is among the owners."""
    owners = owners_of_pin(metadata)
    return next((name for name in owners if name in MANAGERS), owners[0] if owners else None)


def is_out_of_band(metadata: Metadata) -> bool:
    """Whether Git owns the object, and somebody else its pin."""
    manager = pin_manager(metadata)
    return manager is not None and manager not in MANAGERS and git_owner(metadata) is not None
