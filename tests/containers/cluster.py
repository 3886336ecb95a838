"""A cluster of containers for tests: what deploy/cluster.sh starts, under a name of its own."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # what ctest takes for "skipped"
BASE_IMAGE = "debian:bookworm-slim"
BASE_IMAGE_TIMEOUT = 700  # of pulling or making it [s]


def call(*command, check=True, timeout=120, **options):
    """Returns standard output of a command. An error ends the test with the command's message."""
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=timeout, **options)
    except subprocess.TimeoutExpired:
        skip_if_docker_is_stuck()
        raise AssertionError(f"{' '.join(map(str, command))}: no end within {timeout} s") from None
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def skip_if_docker_is_stuck():
    """An engine that answers nothing at all, not even what it is, tells nothing about Copse. Nor can it clean up."""
    try:
        subprocess.run(["docker", "info"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30)
    except subprocess.TimeoutExpired:
        print("the Docker engine has stopped answering: restart it; what this test started is still there", flush=True)
        os._exit(SKIPPED)


def skip(reason):
    """Ends the test as skipped, unless $COPSE_TEST_REQUIRE_DOCKER says that tests with containers must run."""
    required = os.environ.get("COPSE_TEST_REQUIRE_DOCKER")
    print(f"{'this must run here, but' if required else 'skipped:'} {reason}", flush=True)
    sys.exit(1 if required else SKIPPED)


def require_docker():
    missing = [tool for tool in ("docker", "docker-compose") if not shutil.which(tool)]
    if missing:
        skip(f"{' and '.join(missing)} not installed")
    try:
        call("docker", "info")
    except AssertionError as error:
        skip(f"no Docker engine answers: {str(error).splitlines()[0]}")


def require_base_image():
    """Requires the image that ours begin with, from which containers must reach a mirror of Debian's packages."""
    require_docker()
    made = subprocess.run(["timeout", str(BASE_IMAGE_TIMEOUT), str(SOURCE / "deploy/base-image.sh")],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(made.stdout, end="", flush=True)
    if made.returncode == 124:
        skip(f"the image {BASE_IMAGE} was not there within {BASE_IMAGE_TIMEOUT} s: the network is slow")
    if made.returncode != 0:
        skip(f"there is no image {BASE_IMAGE}")
    try:
        call("docker", "run", "--rm", BASE_IMAGE, "apt-get", "-o", "APT::Update::Error-Mode=any", "update", "-qq")
    except AssertionError as error:
        skip(f"containers reach no mirror of Debian's packages\n{error}")


def require_images():
    require_docker()
    for image in ("copse/ipud", "copse/rbufd", "copse/host", "copse/launch"):
        if not call("docker", "images", "--quiet", image):
            skip(f"there is no image {image}: deploy/images.sh has not run, or could not")


class Program:
    """A host program in a container, whose output is read line by line, each with its time."""

    def __init__(self, cluster, command, environment):
        self.process = subprocess.Popen([str(SOURCE / "deploy/cluster.sh"), "run", *map(str, command)],
                                        env={**cluster.environment, **environment}, cwd=cluster.folder, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = []  # (time, text)
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append((time.monotonic(), line.rstrip()))
                self.changed.notify_all()
        with self.changed:
            self.lines.append((time.monotonic(), None))
            self.changed.notify_all()

    def text(self):
        with self.changed:
            return "\n".join(text for _, text in self.lines if text is not None)

    def wait_for(self, pattern, timeout, after=0.0):
        """Returns the first line that matches and arrived after the time `after`: (time, match)."""
        deadline = time.monotonic() + timeout
        seen = 0
        with self.changed:
            while True:
                for at, text in self.lines[seen:]:
                    if text is None:
                        raise AssertionError(f"the program ended without '{pattern}':\n{self.text()}")
                    match = re.search(pattern, text)
                    if match and at >= after:
                        return at, match
                seen = len(self.lines)
                rest = deadline - time.monotonic()
                if rest <= 0 or not self.changed.wait(rest) and time.monotonic() >= deadline:
                    raise AssertionError(f"no '{pattern}' within {timeout} s:\n{self.text()}")

    def end(self, timeout):
        """Its exit code; a program that does not end in time is an error."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end within {timeout} s:\n{self.text()}")
        self.reader.join(10)
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)


class Cluster:
    """Up within `with`, and gone with all it made after it."""

    def __init__(self, ipus, project):
        self.ipus = ipus
        self.project = f"{project}-{os.getpid()}"  # of this test alone: another build may be tested, too
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="copse-containers-"))
        self.environment = {**os.environ, "COPSE_PROJECT": self.project,
                            "COPSE_CLUSTER_DIR": str(self.folder / "cluster")}

    def script(self, *arguments, timeout=120):
        return call(SOURCE / "deploy/cluster.sh", *arguments, timeout=timeout, env=self.environment, cwd=self.folder)

    def up(self):
        self.script("up", "--ipus", self.ipus)

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # takes it down, too
        begin = time.monotonic()
        try:
            self.up()
        except BaseException:
            self.__exit__()
            raise
        self.seconds_up = time.monotonic() - begin
        return self

    def __exit__(self, _=None, error=None, __=None):
        if error:  # which an error of `down` would hide
            print(f"{type(error).__name__}: {error}", flush=True)
        self.script("down", "--rows", timeout=300)  # one node after another, on a busy machine
        shutil.rmtree(self.folder, ignore_errors=True)

    def take_digits(self):
        """Copies what the program digits reads into the folder of the cluster, which programs see."""
        for name in ("digits.csv", "codelets.cpp"):
            shutil.copy(SOURCE / "examples/digits" / name, self.folder)

    def container(self, service):
        name = call("docker", "ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={self.project}",
                    "--filter", f"label=com.docker.compose.service={service}").strip()
        assert name, f"there is no container of {service}"
        return name

    def process(self, service):
        """Its process id on this machine."""
        return call("docker", "inspect", "--format", "{{.State.Pid}}", self.container(service)).strip()

    def network(self, name):
        return f"{self.project}_{name}"

    def status(self):
        return json.loads(self.script("status", "--json"))

    def wait_until_free(self):
        """Waits for the lease: a program that could not say that it ends holds its IPUs until then."""
        deadline = time.monotonic() + 20
        while any(ipu["holder"] for ipu in self.status()["ipus"]):
            assert time.monotonic() < deadline, "IPUs of a program that has ended are not free again"

    def start(self, *command, **environment):
        return Program(self, command, environment)
