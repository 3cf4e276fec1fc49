"""Preparing many documents at once, in worker processes: finding sections and tokenizing is work for a processor.

Each process runs `prepare` on one job after the other. Parsers run in a further process below each, so a file that crashes
one costs that file alone.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import BinaryIO

from ..concurrency.child import SelfWatch, run
from ..concurrency.messages import receive, send
from ..concurrency.processes import ProcessNotStarted, Watchdog, WorkerPool, WorkerProcess
from ..errors import DamagedSource, MissingExtra, SourceError, SourceLimit
from ..store.records import Prepared
from .jobs import Job
from .prepare import prepare

SECONDS = 900.0
"""Time for one document after it was read; reading has limits of its own, and with OCR takes seconds per page."""

_JOBS_PER_WORKER = 2
"""Jobs that are started or waiting for the writer, for each worker: more would only take memory."""

Outcome = Prepared | SourceError | MissingExtra


def prepare_all(jobs: Iterable[Job], workers: int) -> Iterator[tuple[Job, Outcome]]:
    """Yields each job with its outcome, in the order of the jobs, which are taken as they are needed.

    At most `_JOBS_PER_WORKER` outcomes for each worker wait for the caller.

    Args:
        workers: Processes that work at the same time. With one, or where no process can be started, this process works.
    """
    if workers < 2:
        for job in jobs:
            yield job, _prepare_here(job)
        return
    pool = WorkerPool(_Preparer, workers)
    pending: deque[tuple[Job, Future[Outcome]]] = deque()
    threads = ThreadPoolExecutor(workers, thread_name_prefix="thumbindex-prepare")
    try:
        for job in jobs:
            pending.append((job, threads.submit(_prepare_apart, job, pool)))
            if len(pending) >= _JOBS_PER_WORKER * workers:
                first, outcome = pending.popleft()
                yield first, outcome.result()
        while pending:
            first, outcome = pending.popleft()
            yield first, outcome.result()
    finally:
        # Also when the caller stops half-way or is interrupted: nothing is waited for.
        threads.shutdown(wait=False, cancel_futures=True)
        pool.end()
        threads.shutdown()


def _prepare_here(job: Job, on_read: Callable[[], None] = lambda: None) -> Outcome:
    try:
        return prepare(job, on_read)
    except (SourceError, MissingExtra) as error:
        return error


def _prepare_apart(job: Job, pool: WorkerPool[_Preparer]) -> Outcome:
    try:
        with pool.worker() as process:
            return process.prepare(job)
    except ProcessNotStarted:
        # As in a frozen program: the threads do the work, one at a time as Python lets them.
        return _prepare_here(job)


class _Preparer(WorkerProcess):
    """A process that prepares documents."""

    def __init__(self) -> None:
        super().__init__("thumbindex.ingest.workers")

    def prepare(self, job: Job) -> Outcome:
        """Returns the outcome of a job; the process may be dead afterwards."""
        # A pickle, which could run code, is safe here: our own code at both ends, and no parser of foreign files.
        answer = self.ask({}, pickle.dumps(job))
        is_late = False
        if answer is not None and answer[0]["read"]:
            with Watchdog(self, SECONDS) as watchdog:
                answer = self.receive()
            is_late = watchdog.exceeded is not None
        if answer is not None:
            outcome: Outcome = pickle.loads(answer[1])
            return outcome
        self.end()
        if is_late:
            what = f"indexing it took more than {SECONDS:.0f} seconds and was stopped."
            return SourceLimit(job.given_source, what, "Split it, or save it again in a viewer.")
        what = f"the process that indexed it ended (status {self.status})."
        return DamagedSource(job.given_source, what, "Add it alone; if that fails too, split it or save it again.")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Prepares documents until the stream ends; answers once when a document has been read, then with its outcome."""
    SelfWatch()
    while (message := receive(requests)) is not None:
        try:
            outcome: Outcome = _prepare_here(pickle.loads(message[1]), lambda: send(answers, {"read": True}))
        except BrokenPipeError:
            raise
        except Exception as error:  # a defect of ours must name the file and not stop the others
            job: Job = pickle.loads(message[1])
            what = f"indexing it failed ({type(error).__name__}: {error})."
            outcome = DamagedSource(job.given_source, what, "Please report this with the file.")
        send(answers, {"read": False}, pickle.dumps(outcome, protocol=pickle.HIGHEST_PROTOCOL))


def main() -> None:
    """Serves until the parent closes the stream of requests; see `concurrency.child.run`."""
    run(serve)
