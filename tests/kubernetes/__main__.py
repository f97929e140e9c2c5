"""The commands behind ``make cluster`` and behind a first build that nobody wants in a test run.

python -m tests.kubernetes up              a control plane to play with, until Ctrl-C
python -m tests.kubernetes build [--node]  build what is not built yet, and start nothing
"""

import argparse
import os
import shlex
import signal
import sys
from pathlib import Path

from tests.kubernetes import progress
from tests.kubernetes.binary import (
    ASSETS_VARIABLE,
    build,
    find_assets,
    helm_program,
    kubernetes_program,
)
from tests.kubernetes.controlplane import ControlPlane
from tests.kubernetes.errors import ClusterError

FOLDER = Path(__file__).parents[2] / ".cluster"


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.kubernetes")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("up", help="start a control plane with Proxar's CRD and RBAC")
    build_parser = commands.add_parser("build", help="build the programs and start nothing")
    build_parser.add_argument("--node", action="store_true", help="also what a node needs")
    options = parser.parse_args(arguments)
    try:
        if options.command == "up":
            up()
        else:
            build_all(node=options.node)
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def build_all(*, node: bool) -> None:
    """Build everything that the tests use, and print where it is."""
    if os.environ.get(ASSETS_VARIABLE):
        find_assets()  # says what is missing
        print(os.environ[ASSETS_VARIABLE])
    else:
        print(build(kubernetes_program()))
    if node:
        print(build(kubernetes_program(node=True)))
    print(build(helm_program()))


def up() -> None:
    """Run a control plane with the CRD and the chart's RBAC until Ctrl-C or SIGTERM."""
    # Here, because it is about Proxar and this package is not.
    from tests.support.install import install  # noqa: PLC0415

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both end it in the same way
    with ControlPlane(FOLDER) as cluster:
        operator = install(cluster)
        wrapper = _write_kubectl(cluster)
        progress.say(f"Kubernetes is up at {cluster.url}; Ctrl-C ends it. In another terminal:")
        print(f"  export KUBECONFIG={shlex.quote(str(cluster.kubeconfig))}")
        print(f"  {shlex.quote(str(wrapper))} get all --all-namespaces")
        print(
            f"  # with the operator's rights: KUBECONFIG={shlex.quote(str(operator))}", flush=True
        )
        try:
            cluster.wait()
        except KeyboardInterrupt:
            progress.say("stopping")


def _write_kubectl(cluster: ControlPlane) -> Path:
    """Write a kubectl of the cluster's own version that speaks to it wherever KUBECONFIG points."""
    wrapper = FOLDER / "kubectl"
    command = shlex.join(cluster.assets.command("kubectl"))
    kubeconfig = shlex.quote(str(cluster.kubeconfig))
    wrapper.write_text(
        f'#!/bin/sh\nKUBECONFIG={kubeconfig} exec {command} "$@"\n', encoding="utf-8"
    )
    wrapper.chmod(0o755)
    return wrapper


if __name__ == "__main__":
    sys.exit(main())
