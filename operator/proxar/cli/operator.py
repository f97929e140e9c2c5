"""`proxar operator`: run the operator, in the cluster or with a kubeconfig that is named."""

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from proxar.cli import options
from proxar.cli.cluster import needs_operator_extra
from proxar.cli.imports import cheaply
from proxar.controller.settings import OperatorSettings
from proxar.errors import UsageError
from proxar.fetch.target import Limits

__all__ = ["operator"]

DEFAULTS = OperatorSettings()
LOG_FORMATS = ("json", "text")
LOG_LEVELS = ("debug", "info", "warning", "error")
MOST_WORKERS = 256
LIMITS = DEFAULTS.limits
LEAST_BYTES = 1 << 10
MOST_BYTES = 64 << 20
"""The longest list that can be stored."""
MOST_TOOLS = 100_000
MOST_PAGES = 10_000
NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def operator(
    kubeconfig: Annotated[
        str | None,
        typer.Option(
            "--kubeconfig",
            metavar="FILE",
            help="Run outside a cluster; else the pod's ServiceAccount.",
        ),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option("--context", metavar="NAME", help="With --kubeconfig: its context."),
    ] = None,
    namespace: Annotated[
        list[str] | None,
        typer.Option(
            "--namespace",
            "-n",
            metavar="NAME",
            help="Watch only there; repeatable. Else everywhere.",
        ),
    ] = None,
    metrics_address: Annotated[
        str,
        typer.Option("--metrics-address", metavar="HOST:PORT", help="Where /metrics is served."),
    ] = DEFAULTS.metrics_address,
    health_address: Annotated[
        str,
        typer.Option(
            "--health-address", metavar="HOST:PORT", help="Where /livez and /readyz are served."
        ),
    ] = DEFAULTS.health_address,
    allow_egress: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-egress",
            metavar="CIDR|HOST",
            help="Let the egress guard pass this; repeatable.",
        ),
    ] = None,
    service_cidr: Annotated[
        list[str] | None,
        typer.Option(
            "--service-cidr",
            metavar="CIDR",
            help="A Service range; repeatable. Else read from the API.",
        ),
    ] = None,
    allow_service_egress_from: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-service-egress-from",
            metavar="NAMESPACE",
            help="Let a url of its servers lead into the Service ranges; repeatable.",
        ),
    ] = None,
    max_list_bytes: Annotated[
        str,
        typer.Option(
            "--max-list-bytes", metavar="BYTES", help="Of one tool list in all, decompressed."
        ),
    ] = str(LIMITS.size_bytes),
    max_values: Annotated[
        str,
        typer.Option(
            "--max-values",
            metavar="NUMBER",
            help="JSON values in one tool list; they bound its memory.",
        ),
    ] = str(LIMITS.values),
    max_tools: Annotated[
        str,
        typer.Option("--max-tools", metavar="NUMBER", help="Tools in one list."),
    ] = str(LIMITS.tools),
    max_pages: Annotated[
        str,
        typer.Option("--max-pages", metavar="NUMBER", help="Pages of one list."),
    ] = str(LIMITS.pages),
    max_depth: Annotated[
        str,
        typer.Option(
            "--max-depth", metavar="NUMBER", help="Levels of nesting in one answer; at most 1000."
        ),
    ] = str(LIMITS.depth),
    workers: Annotated[
        str,
        typer.Option(
            "--workers", metavar="NUMBER", help="Servers that are looked at at the same time."
        ),
    ] = str(DEFAULTS.workers),
    per_host: Annotated[
        str,
        typer.Option("--per-host", metavar="NUMBER", help="Of them, those that ask the same host."),
    ] = str(DEFAULTS.per_host),
    log_format: Annotated[
        str, typer.Option("--log-format", metavar="FORMAT", help="json or text.")
    ] = DEFAULTS.log_format,
    log_level: Annotated[
        str, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
    ] = DEFAULTS.log_level,
) -> int:
    """Run the operator until it is told to stop."""
    settings = replace(
        DEFAULTS,
        kubeconfig=_kubeconfig(kubeconfig, context),
        context=context,
        namespaces=tuple(namespace or ()),
        metrics_address=_address("--metrics-address", metrics_address),
        health_address=_address("--health-address", health_address),
        allow_egress=tuple(allow_egress or ()),
        service_cidrs=tuple(_cidr(each) for each in service_cidr or ()),
        service_egress_namespaces=tuple(
            _namespace("--allow-service-egress-from", each)
            for each in allow_service_egress_from or ()
        ),
        limits=Limits(
            size_bytes=options.number(
                "--max-list-bytes", max_list_bytes, least=LEAST_BYTES, most=MOST_BYTES
            ),
            values=options.number("--max-values", max_values, least=1, most=MOST_BYTES),
            tools=options.number("--max-tools", max_tools, least=1, most=MOST_TOOLS),
            pages=options.number("--max-pages", max_pages, least=1, most=MOST_PAGES),
            depth=options.number("--max-depth", max_depth, least=1, most=LIMITS.depth),
        ),
        workers=options.number("--workers", workers, least=1, most=MOST_WORKERS),
        per_host=options.number("--per-host", per_host, least=1, most=MOST_WORKERS),
        log_format=cast(
            "Literal['json', 'text']", options.chosen("--log-format", log_format, LOG_FORMATS)
        ),
        log_level=options.chosen("--log-level", log_level, LOG_LEVELS),
    )
    with needs_operator_extra():
        with cheaply():
            from proxar.controller.operator import run

        return run(settings)


def _kubeconfig(path: str | None, context: str | None) -> Path | None:
    """Never the current context by accident: a kubeconfig is named, or this is a pod."""
    if path is not None:
        if not Path(path).is_file():
            raise UsageError(f"--kubeconfig {path}: no such file")
        return Path(path)
    if context is not None:
        raise UsageError(
            f"--context {context}: name its file with --kubeconfig too; no kubeconfig is taken "
            "by itself"
        )
    if "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise UsageError(
            "--kubeconfig: this is not a pod, so name the kubeconfig to use; none is taken by "
            "itself"
        )
    return None


def _address(option: str, value: str) -> str:
    host, colon, port = value.rpartition(":")
    if not colon or not host:
        raise UsageError(f"{option} {value}: write HOST:PORT, as in 0.0.0.0:8080")
    options.number(f"{option} {value}: the port", port, least=0, most=65535)
    return value


def _namespace(option: str, value: str) -> str:
    if NAMESPACE.fullmatch(value):
        return value
    raise UsageError(f"{option} {value}: not the name of a namespace; one name each time")


def _cidr(value: str) -> str:
    from ipaddress import ip_network

    try:
        ip_network(value)
    except ValueError as error:
        raise UsageError(f"--service-cidr {value}: {error}") from error
    return value
