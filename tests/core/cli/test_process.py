"""The command as a process: pipes, interrupts, colours, start-up."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from importlib.metadata import version

import pytest

import thumbindex as package
from thumbindex.cli.serving import waking_on_signals

COMMAND = [sys.executable, "-m", "thumbindex"]


def thumbindex(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        **{"stdin": subprocess.DEVNULL, **options},
    )


def test_a_pipe_gets_plain_text(guide):
    """Without colours, wrapping or progress, whatever the width."""
    done = thumbindex("ask", guide, "What is the fee for one night?", env={**os.environ, "COLUMNS": "20"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "   The fee for one night is 12 crowns, paid at the office.\n" in done.stdout
    assert "\x1b" not in done.stdout


def test_colours_can_be_forced_and_disabled(guide):
    """By FORCE_COLOR, and by NO_COLOR (no-color.org), which still allows bold."""
    forced = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    forced.pop("NO_COLOR", None)
    assert "\x1b[" in thumbindex("ask", guide, "one night", env=forced).stdout
    plain = thumbindex("ask", guide, "one night", env={**forced, "NO_COLOR": "1"}).stdout
    assert not any(f"\x1b[{code}" in plain for code in ("33", "36", "1;33"))


def test_an_error_is_one_line_on_standard_error(tmp_path):
    """Standard output stays empty for the program that reads it."""
    done = thumbindex("tree", tmp_path / "gone.pdf", "--json")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_terminal_without_unicode_gets_question_marks(guide):
    """Instead of a traceback."""
    done = thumbindex("ask", guide, "one night", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert "Harbour guide ? Fees" in done.stdout


def test_json_without_unicode_is_escaped(guide):
    """The value stays the same."""
    done = thumbindex("ask", guide, "one night", "--json", env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert "Harbour guide \\u203a Fees" in done.stdout


def test_the_version_is_shown(guide):
    """As `thumbindex.__version__` gives it; other names that do not exist have none."""
    assert thumbindex("--version").stdout == f"thumbindex {version('thumbindex')}\n"
    assert package.__version__ == version("thumbindex")
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        getattr(package, "no_such_name")  # noqa: B009


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX pipe")
def test_a_closed_pipe_is_quiet(tmp_path):
    """For example in `thumbindex tree report.pdf | head -1`."""
    path = tmp_path / "long.md"
    path.write_text("".join(f"# Section {number} {'long ' * 30}\n\ntext\n\n" for number in range(2000)))
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for more in ([], ["--json"]):
        process = subprocess.Popen(
            [*COMMAND, "tree", path, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=buffered
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(60) == 0


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_an_interrupt_is_quiet(tmp_path):
    """With exit code 130, as in shells; here while the command waits for a password."""
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7")
    code = """
import signal
import sys
import thumbindex.cli as cli

# Shells start background programs with interrupts ignored, which child processes inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Waiting:
    def readline(self):
        print("waiting", flush=True)
        return sys.__stdin__.readline()

sys.stdin = Waiting()
cli.main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code, "tree", path, "--password-stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline().split() == [b"waiting"]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"")


def test_help_imports_no_parser():
    """It must be quick: no PDF library, no YAML."""
    code = (
        "import sys, contextlib\nfrom thumbindex.cli import main\nsys.argv = ['thumbindex', '--help']\n"
        "with contextlib.suppress(SystemExit): main()\n"
        "print(sorted({'pypdfium2', 'yaml', 'thumbindex.sources.pool'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.endswith("[]\n")


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_a_signal_in_another_thread_wakes_the_server():
    """Its handler runs at once: without a wake-up the loop would wait for its next event."""
    handled: list[int] = []
    woken_by_timer: list[bool] = []

    async def wait_for_signal() -> None:
        loop = asyncio.get_running_loop()
        done = asyncio.Event()

        def handle(number: int, _: object) -> None:
            handled.append(number)
            loop.call_soon_threadsafe(done.set)

        previous = signal.signal(signal.SIGUSR1, handle)
        # Long after the loop began to wait; the signal is sent to the thread itself.
        sender = threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGUSR1))
        try:
            with waking_on_signals():
                sender.start()
                timer = loop.call_later(10, woken_by_timer.append, True)
                await done.wait()
                timer.cancel()
        finally:
            signal.signal(signal.SIGUSR1, previous)

    asyncio.run(wait_for_signal())
    assert handled == [signal.SIGUSR1]
    assert woken_by_timer == []
