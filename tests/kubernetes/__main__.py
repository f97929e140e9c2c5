"""The commands behind ``make cluster``, ``make node`` and a build that no test should wait for.

python -m tests.kubernetes up              a control plane to play with, until Ctrl-C
python -m tests.kubernetes node            the same with a node on which pods run
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
from tests.kubernetes.node.enter import entered
from tests.kubernetes.node.node import CTR_IMPORT, Node
from tests.kubernetes.node.packages import IMAGES, NODE
from tests.kubernetes.node.packages import install as install_packages

FOLDER = Path(__file__).parents[2] / ".cluster"


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.kubernetes")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("up", help="start a control plane with Proxar's CRD and RBAC")
    commands.add_parser("node", help="start a control plane and a node on which pods run")
    build_parser = commands.add_parser("build", help="build the programs and start nothing")
    build_parser.add_argument("--node", action="store_true", help="also what a node needs")
    options = parser.parse_args(arguments)
    try:
        if options.command == "up":
            up()
        elif options.command == "node":
            node_up()
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
        install_packages(NODE | IMAGES)
        print(build(kubernetes_program(node=True)))
    print(build(helm_program()))


def up() -> None:
    """Run a control plane with the CRD and the chart's RBAC until Ctrl-C or SIGTERM."""
    # Here, because it is about Proxar and this package is not.
    from tests.support.install import install  # noqa: PLC0415

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both end it in the same way
    with ControlPlane(FOLDER) as cluster:
        operator = install(cluster)
        wrapper = _write_wrapper(cluster, "kubectl", *cluster.assets.command("kubectl"))
        progress.say(f"Kubernetes is up at {cluster.url}; Ctrl-C ends it. In another terminal:")
        print(f"  export KUBECONFIG={shlex.quote(str(cluster.kubeconfig))}")
        print(f"  {shlex.quote(str(wrapper))} get all --all-namespaces")
        print(
            f"  # with the operator's rights: KUBECONFIG={shlex.quote(str(operator))}", flush=True
        )
        _wait(cluster)


def node_up() -> None:
    """Run a control plane and a node until Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Node(FOLDER / "node") as node:
        kubectl = _write_wrapper(node, "kubectl", *node.assets.command("kubectl"))
        helm = _write_wrapper(node, "helm", str(build(helm_program())))
        load = _write_wrapper(node, "load-image", *entered(node.namespaces.init, CTR_IMPORT))
        progress.say(f"a node is up at {node.url}; Ctrl-C ends it. In another terminal:")
        print(f"  {shlex.quote(str(kubectl))} get pods --all-namespaces")
        print(f"  {shlex.quote(str(helm))} list --all-namespaces")
        print(f"  {shlex.quote(str(load))} /full/path/IMAGE.tar   # OCI archive; pods cannot pull")
        print(f"  export KUBECONFIG={shlex.quote(str(node.kubeconfig))}   # for any other client")
        print(f"  # logs: {shlex.quote(str(node.folder))}/*.log", flush=True)
        _wait(node)


def _wait(cluster: ControlPlane) -> None:
    try:
        cluster.wait()
    except KeyboardInterrupt:
        progress.say("stopping")


def _write_wrapper(cluster: ControlPlane, name: str, *command: str) -> Path:
    """Write a command that speaks to the cluster wherever KUBECONFIG points."""
    wrapper = cluster.folder / name
    kubeconfig = shlex.quote(str(cluster.kubeconfig))
    wrapper.unlink(missing_ok=True)
    wrapper.write_text(
        f'#!/bin/sh\nKUBECONFIG={kubeconfig} exec {shlex.join(command)} "$@"\n', encoding="utf-8"
    )
    wrapper.chmod(0o755)
    return wrapper


if __name__ == "__main__":
    sys.exit(main())
