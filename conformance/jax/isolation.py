# SPDX-License-Identifier: Apache-2.0
"""Tests of a file in processes of their own: a crash or a hang is one test's verdict, and the rest goes on."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
START_SECONDS = 300  # To import a test file, and with it JAX.
KILL_SECONDS = 5     # Between the request for a traceback and the end.


class Worker:
    """One process, its events and its output."""

    def __init__(self, file: Path, names: list[str], environment: dict[str, str]):
        reading, writing = os.pipe()
        self._output = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), str(file), str(writing)], env=environment,
            stdin=subprocess.PIPE, stdout=self._output, stderr=subprocess.STDOUT,
            pass_fds=[writing], cwd=file.parent.parent, start_new_session=True)
        os.close(writing)
        self._events = reading
        self._pending = b""
        try:
            self._process.stdin.write("\n".join(names).encode())
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # Its end is seen by whoever reads the events.

    def next(self, seconds: float) -> dict | None:
        """The next event; None at the end of the process; TimeoutError."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._events], [], [], left)[0]:
                raise TimeoutError
            data = os.read(self._events, 1 << 16)
            if not data:
                return None
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        return json.loads(line)

    def end(self, abort: bool = False) -> tuple[int, str]:
        """Exit status and the end of the output; no process of the session is left."""
        if abort:
            self._process.send_signal(signal.SIGABRT)  # The traceback of every thread.
        try:
            self._process.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        status = self._process.wait()
        os.close(self._events)
        self._output.seek(0, os.SEEK_END)
        size = self._output.tell()
        self._output.seek(max(0, size - 4000))
        output = self._output.read().decode(errors="replace")
        self._output.close()
        return status, output


def list_tests(file: Path, environment: dict[str, str]) -> list[str]:
    """The names of a file's tests, Class.method; RuntimeError says why there are none."""
    worker = Worker(file, ["?"], environment)
    try:
        event = worker.next(START_SECONDS)
    except TimeoutError:
        raise RuntimeError(f"{file.name} was not read in {START_SECONDS} s\n{worker.end(True)[1]}") from None
    status, output = worker.end()
    if event is None:
        raise RuntimeError(f"{file.name} cannot be read (exit status {status})\n{output}")
    return event["list"]


def death(status: int) -> str:
    if status < 0:
        try:
            return f"died of {signal.Signals(-status).name}"
        except ValueError:
            pass
    return f"ended with status {status}"


def run_tests(file: Path, names: list[str], environment: dict[str, str], seconds: float) -> dict[str, dict]:
    """A verdict for every name: pass, fail, skip, missing, crash or hang."""
    results: dict[str, dict] = {}
    left = list(names)
    while left:
        worker = Worker(file, left, environment)
        current, fixtures, done = None, [], False
        hung = False
        while True:
            try:
                event = worker.next(seconds if current else START_SECONDS)
            except TimeoutError:
                hung = True
                break
            if event is None:
                break
            if "start" in event:
                current = event["start"]
            elif "end" in event:
                results[event["end"]] = {k: event[k] for k in ("verdict", "seconds", "message")}
                current = None
            elif "fixture" in event:
                fixtures.append(f"{event['fixture']}: {event['message']}")
            else:
                done = True
        status, output = worker.end(abort=hung)
        rest = [name for name in left if name not in results]
        if done:  # A fixture failed or skipped: its tests never began.
            message = "\n".join(fixtures) or "the test did not run"
            skipped = fixtures and not any("Traceback" in f for f in fixtures)
            for name in rest:
                results[name] = {"verdict": "skip" if skipped else "fail", "seconds": 0, "message": message}
            rest = []
        elif hung or current or len(rest) == len(left):
            # Without a test under way it died between tests, or before the first.
            victim = current or rest[0] if rest else None
            if victim:
                results[victim] = {
                    "verdict": "hang" if hung else "crash", "seconds": seconds if hung else 0,
                    "message": (f"no end in {seconds:g} s" if hung else death(status)) + "\n" + output}
                rest = [name for name in rest if name != victim]
        left = rest
    return results
