"""Code that the tests of this folder share. Tests are called with the build's folder as their one argument."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SKIPPED = 77  # what ctest takes for "skipped"
BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "build/release"
BIN = BUILD / "bin"
sys.path.insert(0, str(BUILD / "lib/python3/dist-packages"))
LONG = 120  # of one command, on a machine that does other things, too [s]


def require(*programs):
    """Skips the test, with the reason, where a program is not installed."""
    for program in programs:
        if not shutil.which(program):
            raise unittest.SkipTest(f"{program} is not installed")


def require_yaml():
    """Skips the test where Debian's Python, which copse ipujob runs under, has no YAML."""
    if not os.access("/usr/bin/python3", os.X_OK) or subprocess.run(["/usr/bin/python3", "-c", "import yaml"], stderr=subprocess.DEVNULL,
                                                                    timeout=LONG, check=False).returncode:
        raise unittest.SkipTest("python3-yaml is not installed")


def require_mpi_backend():
    require("mpirun")
    if not (BUILD / "lib/libpopdist_mpi.so").exists():
        raise unittest.SkipTest("PopDist's MPI backend was not built, as libopenmpi-dev is not installed")


def environment(**variables):
    """Returns this process's environment without the variables that lead to IPUs, and with more variables. Commands find this
    Python before scripts that look for one, which take longer than the commands."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("COPSE_", "IPUOF_", "POPDIST_", "POPLAR_", "VIPU_CLI_", "OMPI_", "SLURM_")) or name == "COPSE_CACHE_DIR"}
    kept["PATH"] = f"{os.path.dirname(sys.executable)}:{kept.get('PATH', '')}"
    return {**kept, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **variables}


def run(program, *words, timeout=LONG, **variables):
    """A command of the build, to its end: code, stdout, stderr."""
    with Running(program, *words, **variables) as running:
        try:
            code = running.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{running.process.args} has not ended within {timeout} s:\n{running.out}{running.err}") from None
        return subprocess.CompletedProcess(running.process.args, code, running.out, running.err)


class Running:
    """A program that a test has started; its group is ended with it."""

    def __init__(self, program, *words, **variables):
        self.output = tempfile.TemporaryFile("w+")
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([str(BIN / program), *map(str, words)], stdout=self.output, stderr=self.errors,
                                        stdin=subprocess.DEVNULL, start_new_session=True, env=environment(**variables))

    def text(self, file):
        return os.pread(file.fileno(), 1 << 20, 0).decode(errors="replace")

    @property
    def out(self):
        return self.text(self.output)

    @property
    def err(self):
        return self.text(self.errors)

    def wait_for(self, text, timeout=LONG):
        deadline = time.monotonic() + timeout
        while text not in self.out:
            if self.process.poll() is not None and text not in self.out:
                raise AssertionError(f"it ended ({self.process.returncode}) without '{text}':\n{self.out}{self.err}")
            if time.monotonic() > deadline:
                raise AssertionError(f"no '{text}' within {timeout} s:\n{self.out}{self.err}")
            time.sleep(0.02)

    def wait(self, timeout=LONG):
        return self.process.wait(timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.output.close()
        self.errors.close()


class LocalCluster:
    """A cluster of copse up, in a folder of its own."""

    def __init__(self, ipus, *words):
        self.folder = tempfile.mkdtemp(prefix="copse-launch-")
        self.directory = os.path.join(self.folder, "c")
        self.file = os.path.join(self.directory, "cluster.json")
        up = run("copse", "up", "--ipus", ipus, "--directory", self.directory, *words)
        if up.returncode:
            raise AssertionError(up.stderr)

    def pid(self, ipu):
        return json.loads(run("copse", "status", "--json", "--cluster", self.file).stdout)["ipus"][ipu]["pid"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run("copse", "down", "--directory", self.directory)
        shutil.rmtree(self.folder, ignore_errors=True)


def main(*requirements):
    """Runs the tests of the calling program; it ends as skipped where one of the requirements raises SkipTest."""
    try:
        for requirement in requirements:
            requirement()
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}", flush=True)
        sys.exit(SKIPPED)
    program = unittest.main(argv=sys.argv[:1] + sys.argv[2:], exit=False, verbosity=2)
    sys.exit(0 if program.result.wasSuccessful() else 1)
