from pathlib import Path

from tests.servers.programs import PORT, Program


def test_the_port_is_put_into_arguments_and_variables() -> None:
    program = Program("weather", ("/opt/weather", f"--port={PORT}"), {"PORT": PORT})

    command = program.command(4711, Path("/run/weather"))

    assert command[1:] == [
        "-i",
        "HOME=/run/weather",
        "TMPDIR=/run/weather",
        "PORT=4711",
        "/opt/weather",
        "--port=4711",
    ]
