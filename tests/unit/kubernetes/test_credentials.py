import json
import stat
from pathlib import Path

from tests.kubernetes.credentials import kubeconfig, new_signing_key, new_token, write_secret


def test_keys_and_tokens_are_new_each_time() -> None:
    assert len({new_signing_key() for _ in range(3)}) == 3
    assert len({new_token() for _ in range(3)}) == 3


def test_a_secret_is_private_also_where_the_file_was_not(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o644)

    write_secret(path, "new")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text(encoding="utf-8") == "new"


def test_a_kubeconfig_has_one_context_and_it_is_the_current_one() -> None:
    config = json.loads(kubeconfig({"server": "https://127.0.0.1:1"}, "t", "team-a"))

    (context,) = config["contexts"]
    assert config["current-context"] == context["name"]
    assert context["context"]["namespace"] == "team-a"
    assert config["users"][0]["user"] == {"token": "t"}
