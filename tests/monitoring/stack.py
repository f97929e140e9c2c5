"""A running Prometheus and Alertmanager with what this repository ships, and who is notified."""

import json
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from tests.kubernetes.launch import tied
from tests.monitoring import scaled
from tests.monitoring.programs import command
from tests.support.install import ROOT
from tests.support.operatorprocess import eventually, free_address

__all__ = ["Monitoring", "Notification"]

RULES = ROOT / "charts" / "proxar" / "files" / "alerts.yaml"
ALERTMANAGER = ROOT / "examples" / "alertmanager.yaml"

READY_SECONDS = 30.0

GROUP_WAIT = "2s"
GROUP_INTERVAL = "4s"
"""Of Alertmanager; the rules are evaluated each second."""


@dataclass(frozen=True, slots=True)
class Notification:
    """One POST of Alertmanager to one receiver."""

    receiver: str
    body: dict[str, Any]

    @property
    def server(self) -> str:
        """The name of the MCPServer that it is about; empty for the operator."""
        return str(self.body["groupLabels"].get("name", ""))

    def alerts(self, status: str) -> list[dict[str, Any]]:
        """Its alerts that are `firing` or `resolved`."""
        return [alert for alert in self.body["alerts"] if alert["status"] == status]

    def __str__(self) -> str:
        """One line for whoever has to find out what went wrong."""
        alerts = [
            f"{alert['status']} {alert['labels']['alertname']}"
            f"({alert['labels'].get('transition', '')}) {alert['startsAt']} {alert['endsAt']}"
            for alert in self.body["alerts"]
        ]
        return f"{self.receiver}: {self.server}: {'; '.join(alerts)}"

    def names(self, status: str) -> list[str]:
        """The names of those."""
        return sorted(alert["labels"]["alertname"] for alert in self.alerts(status))


class Monitoring:
    """Both programs for as long as the context lasts; they listen on loopback only.

    Args:
        divisor: By how much the time of the rules is sped up.
        targets: addresses of operators; one that does not answer is scraped in vain, as a pod is
            that is gone.
    """

    def __init__(self, folder: Path, targets: Sequence[str], *, divisor: int) -> None:
        self.notifications: list[Notification] = []
        """All of them, in order."""
        self._folder = folder
        self._divisor = divisor
        self._targets = list(targets)
        self._prometheus, self._alertmanager = free_address(), free_address()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with self._stack:
            receiver = self._receive()
            self._start_alertmanager(receiver)
            self._start_prometheus()
            self._stack = self._stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The samples of an instant vector."""
        return self._ask("query", query=expression)

    def query_range(self, expression: str, *, start: float, end: float) -> list[dict[str, Any]]:
        """The series of a range, a sample a second."""
        return self._ask("query_range", query=expression, start=start, end=end, step=1)

    def inhibited(self, server: str) -> list[str]:
        """The alerts of a server that Alertmanager knows of and holds back."""
        url = f"http://{self._alertmanager}/api/v2/alerts?active=false&inhibited=true"
        with urllib.request.urlopen(url, timeout=10) as answer:
            labels = [alert["labels"] for alert in json.load(answer)]
        return sorted(found["alertname"] for found in labels if found.get("name") == server)

    def about(self, server: str) -> list[Notification]:
        """The notifications of one server, in order."""
        return [item for item in list(self.notifications) if item.server == server]

    def _ask(self, what: str, **parameters: object) -> list[dict[str, Any]]:
        url = f"http://{self._prometheus}/api/v1/{what}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return list(json.load(answer)["data"]["result"])
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def _receive(self) -> str:
        notifications = self.notifications

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                notifications.append(Notification(self.path.strip("/"), body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self._stack.callback(server.server_close)
        self._stack.callback(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    def _start_alertmanager(self, receiver: str) -> None:
        config = scaled.alertmanager_config(
            yaml.safe_load(ALERTMANAGER.read_text("utf-8")),
            url=receiver,
            group_wait=GROUP_WAIT,
            group_interval=GROUP_INTERVAL,
        )
        file = self._write("alertmanager.yaml", yaml.safe_dump(config))
        self._run(
            "alertmanager",
            self._alertmanager,
            f"--config.file={file}",
            f"--storage.path={self._folder / 'alertmanager'}",
            "--cluster.listen-address=",
        )

    def _start_prometheus(self) -> None:
        rules = self._write("rules.yaml", scaled.rules(RULES.read_text("utf-8"), self._divisor))
        config = {
            "global": {
                "scrape_interval": "1s",
                "scrape_timeout": "1s",
                "evaluation_interval": "1s",
            },
            "rule_files": [str(rules)],
            "alerting": {"alertmanagers": [_static([self._alertmanager])]},
            "scrape_configs": [
                {"job_name": "proxar", "honor_labels": True} | _static(self._targets)
            ],
        }
        file = self._write("prometheus.yaml", yaml.safe_dump(config))
        self._run(
            "prometheus",
            self._prometheus,
            f"--config.file={file}",
            f"--storage.tsdb.path={self._folder / 'prometheus'}",
        )

    def _write(self, name: str, text: str) -> Path:
        path = self._folder / name
        path.write_text(text, "utf-8")
        return path

    def _run(self, name: str, address: str, *arguments: str) -> None:
        log = self._folder / f"{name}.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                tied([*command(name), f"--web.listen-address={address}", *arguments]),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._folder,
            )
        self._stack.callback(process.wait, 10)
        self._stack.callback(process.kill)
        eventually(lambda: _is_ready(address), READY_SECONDS, f"{name} is ready; its log is {log}")


def _static(targets: list[str]) -> dict[str, Any]:
    return {"static_configs": [{"targets": targets}]}


def _is_ready(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://{address}/-/ready", timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
