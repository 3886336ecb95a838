"""copse-slurm: the IPUs of a Slurm job. Every node of the job runs the ipuds of its share, over TCP with keys of the job's own.

The nodes meet in a directory that all of them see. Each writes the ports that it has free; the first one makes the cluster
file and the keys; then each starts its ipuds. That is done either within a job (`copse-slurm run`), without an administrator,
or by prolog and epilog."""
import argparse
import contextlib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from .cluster_status import cluster_status
from .errors import LaunchError, UsageError
from .hosts import expand_hosts
from .tools import tool

GRES = "ipu"
MEET = 60  # longest wait for the other nodes of a job [s]
END = 5  # longest wait for ipuds that were asked to end; they take two [s]
LOOK = 0.1  # between two looks into the directory [s]
LEASE_MS = 3000


def say(text):
    print(f"copse-slurm: {text}", file=sys.stderr, flush=True)


class Job:
    """A Slurm job: its nodes, and how many IPUs it has on each."""

    def __init__(self, number):
        self.number = number
        done = subprocess.run(["scontrol", "show", "job", "-d", number], capture_output=True, text=True, timeout=MEET, check=False)
        if done.returncode:
            raise LaunchError(f"scontrol show job {number}: {done.stderr.strip()}")
        self.ipus = {}
        for nodes, gres in re.findall(r"^\s+Nodes=(\S+) .*GRES=(\S*)", done.stdout, re.M):
            count = sum(int(number) for number in re.findall(rf"{GRES}(?::\w+)?\(CNT:(\d+)\)", gres)) or \
                sum(int(number) for number in re.findall(rf"{GRES}(?::[a-z]\w*)?:(\d+)\(IDX", gres))
            for node in expand_hosts(nodes):
                self.ipus[node] = count
        self.nodes = list(self.ipus)
        if not sum(self.ipus.values()):
            raise LaunchError(f"job {number} has no IPUs; ask for them with --gres={GRES}:N, the number on each node")
        self.user = int(re.search(r"UserId=\S*\((\d+)\)", done.stdout).group(1))
        self.addresses = {}
        shown = subprocess.run(["scontrol", "show", "node", ",".join(self.nodes)], capture_output=True, text=True, timeout=MEET, check=False)
        for node, address in re.findall(r"NodeName=(\S+).*?NodeAddr=(\S+)", shown.stdout, re.S):
            self.addresses[node] = address


class Node:
    """One node's share of a job."""

    def __init__(self, job, directory, name):
        if name not in job.ipus:
            raise LaunchError(f"node {name} is not in job {job.number}")
        self.job, self.directory, self.name = job, directory, name
        self.file = os.path.join(directory, "cluster.json")
        self.processes = {}  # by the number of the IPU in the cluster

    def start(self, topology, user=None):
        """Starts the ipuds, as the user if one is given, once all nodes are there."""
        with contextlib.ExitStack() as sockets:
            self._publish(sockets)
            self._meet(topology, user)
        first = 0
        for node in self.job.nodes:
            if node == self.name:
                break
            first += self.job.ipus[node]
        for ipu in range(first, first + self.job.ipus[self.name]):
            with open(os.path.join(self.directory, f"ipu-{ipu}.log"), "ab") as log:
                self.processes[ipu] = subprocess.Popen(
                    [tool("ipud"), "--cluster", self.file, "--ipu", str(ipu)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True, **({"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}))

    def _publish(self, sockets):
        """Writes which ports are free here: three for each IPU."""
        ports = []
        for _ in range(3 * self.job.ipus[self.name]):
            one = sockets.enter_context(socket.socket())
            one.bind(("", 0))
            ports.append(one.getsockname()[1])
        _write(os.path.join(self.directory, f"{self.name}.ports"), json.dumps(ports))

    def _meet(self, topology, user):
        if self.name == self.job.nodes[0]:
            endpoints = []
            for node in self.job.nodes:
                ports = json.loads(_read(os.path.join(self.directory, f"{node}.ports"), f"node {node}"))
                host = self.job.addresses.get(node, node)
                for i in range(0, len(ports), 3):
                    endpoints.append({use: f"tcp://{host}:{ports[i + j]}" for j, use in enumerate(("control", "link", "sync"))})
            draft = os.path.join(self.directory, "draft.json")
            _write(draft, json.dumps({"topology": topology, "leaseMs": LEASE_MS, "keys": "keys", "ipus": endpoints}, indent=1))
            done = subprocess.run([tool("copse"), "keys", "--cluster", draft], capture_output=True, text=True, timeout=MEET, check=False)
            if done.returncode:
                raise LaunchError(done.stderr.strip().replace("draft.json", "cluster.json"))
            if user:
                keys = os.path.join(self.directory, "keys")
                for path in [self.directory, draft, keys] + [os.path.join(keys, name) for name in os.listdir(keys)]:
                    os.chown(path, user.pw_uid, user.pw_gid)
            os.replace(draft, self.file)
        _read(self.file, f"node {self.job.nodes[0]}")

    def ended(self):
        """Returns which ipud has ended, and how; None: all run."""
        for ipu, process in self.processes.items():
            if process.poll() is not None:
                return f"ipu {ipu} on node {self.name} has ended ({_how(process.returncode)}); see {self.directory}/ipu-{ipu}.log"
        return None

    def end(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + END
        for process in self.processes.values():
            try:
                process.wait(max(0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _how(code):
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _write(path, text):
    """Writes a file whole or not at all, because others wait for it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def _read(path, whose):
    deadline = time.monotonic() + MEET
    while True:
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            if time.monotonic() > deadline:
                raise LaunchError(f"{whose} has not written {path} within {MEET} s; is that directory on a file system of all "
                                  "nodes?") from None
            time.sleep(LOOK)


def main(arguments=None):
    p = argparse.ArgumentParser(prog="copse-slurm", allow_abbrev=False, description="Gives a Slurm job its IPUs.")
    verbs = p.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("run", allow_abbrev=False, help="within a job: start its IPUs, run a program on them, end them")
    one.add_argument("--directory", help="directory that all nodes see (.copse-job-ID below the present one)")
    one.add_argument("--topology", choices=["mesh", "torus"], default="mesh")
    one.add_argument("program", nargs=argparse.REMAINDER)
    one = verbs.add_parser("node", allow_abbrev=False, help="what run starts on each node")
    one.add_argument("--directory", required=True)
    one.add_argument("--topology", default="mesh")
    for name, text in (("prolog", "as root: start the ipuds of this node's share, for Prolog of slurm.conf"),
                       ("epilog", "as root: end them, for Epilog"), ("task-prolog", "print COPSE_CLUSTER, for TaskProlog")):
        one = verbs.add_parser(name, allow_abbrev=False, help=text)
        one.add_argument("--directory", required=True, help="directory of all jobs, which all nodes see")
        if name == "prolog":
            one.add_argument("--topology", choices=["mesh", "torus"], default="mesh")
    options = p.parse_args(arguments)
    try:
        return {"run": run, "node": node, "prolog": prolog, "epilog": epilog, "task-prolog": task_prolog}[options.verb](options)
    except UsageError as error:
        say(error)
        return 2
    except (LaunchError, OSError, subprocess.TimeoutExpired) as error:
        say(error)
        return 1


def job_number():
    number = os.environ.get("SLURM_JOB_ID", "")
    if not number.isdigit():
        raise UsageError("this is no Slurm job: call it in a script of sbatch, or after salloc or srun")
    return number


# Within a job.

def run(options):
    """Runs a program on the IPUs of the job. Returns its exit code."""
    if not options.program:
        raise UsageError("name the program to run")
    job = Job(job_number())
    directory = os.path.abspath(options.directory or f".copse-job-{job.number}")
    os.makedirs(directory, mode=0o700)
    command = ["srun", "--overlap", "--nodes", str(len(job.nodes)), "--ntasks-per-node=1", "--kill-on-bad-exit=1", f"--gres={GRES}:0",
               sys.executable, os.path.realpath(sys.argv[0]), "node", "--directory", directory, "--topology", options.topology]
    step = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        file = os.path.join(directory, "cluster.json")
        _await_ready(step, file)
        environment = {**os.environ, "COPSE_CLUSTER": file}
        return _supervise(step, subprocess.Popen(options.program, env=environment))
    finally:
        _write(os.path.join(directory, "done"), "")
        try:
            step.wait(END + 5)
            shutil.rmtree(directory, ignore_errors=True)
        except subprocess.TimeoutExpired:
            step.terminate()


def _await_ready(step, file):
    deadline = time.monotonic() + MEET
    while True:
        if step.poll() is not None:
            raise LaunchError("the IPUs of the job did not start; the reason is above")
        if os.path.exists(file):
            silent = [ipu for ipu, one in cluster_status(file).items() if not one.answers]
            if not silent:
                return
        if time.monotonic() > deadline:
            raise LaunchError(f"ipu {silent[0] if os.path.exists(file) else 0} is not ready within {MEET} s")
        time.sleep(LOOK)


def _supervise(step, program):
    """Waits for the program. Signals go on to it, so that it and then the IPUs end in order."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: program.send_signal(number))
    lost = False
    while True:
        try:
            code = program.wait(0.5)
            return code if code >= 0 else 128 - code
        except subprocess.TimeoutExpired:
            if not lost and step.poll() is not None:
                say("IPUs of the job have ended before the program; it will fail")
                lost = True


def node(options):
    name = os.environ.get("SLURMD_NODENAME", "")
    here = Node(Job(job_number()), options.directory, name)
    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    try:
        here.start(options.topology)
        done = os.path.join(options.directory, "done")
        while not asked and not os.path.exists(done):
            ended = here.ended()
            if ended:
                raise LaunchError(ended)
            time.sleep(LOOK)
    finally:
        here.end()
    return 0


# By prolog and epilog.

def _job_directory(options):
    return os.path.join(options.directory, f"job-{job_number()}")


def prolog(options):
    """Starts the IPUs of a job. Does nothing for jobs without IPUs."""
    try:
        job = Job(job_number())
    except LaunchError as error:
        if "has no IPUs" in str(error):
            return 0
        raise
    user, directory = pwd.getpwuid(job.user), _job_directory(options)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    here = Node(job, directory, os.environ["SLURMD_NODENAME"])
    here.start(options.topology, user)
    _write(os.path.join(directory, f"{here.name}.pids"), json.dumps([process.pid for process in here.processes.values()]))
    time.sleep(2 * LOOK)
    ended = here.ended()
    if ended:
        raise LaunchError(ended)
    return 0


def epilog(options):
    """Ends the ipuds of this node, whatever has become of the job. The last node removes the directory."""
    directory, name = _job_directory(options), os.environ["SLURMD_NODENAME"]
    try:
        with open(os.path.join(directory, f"{name}.pids"), encoding="utf-8") as file:
            pids = [pid for pid in json.load(file) if _is_ipud(pid, directory)]
    except FileNotFoundError:
        return 0
    for number, wait in ((signal.SIGTERM, END), (signal.SIGKILL, END)):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        deadline = time.monotonic() + wait
        while any(_is_ipud(pid, directory) for pid in pids) and time.monotonic() < deadline:
            time.sleep(LOOK)
    os.unlink(os.path.join(directory, f"{name}.pids"))
    if not any(entry.endswith(".pids") for entry in os.listdir(directory)):
        shutil.rmtree(directory, ignore_errors=True)
    return 0


def _is_ipud(pid, directory):
    """Numbers of processes are used again: only an ipud of this job counts."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            zombie = file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return False
    return not zombie and os.path.join(directory, "cluster.json").encode() in words


def task_prolog(options):
    file = os.path.join(_job_directory(options), "cluster.json")
    if os.path.exists(file):
        print(f"export COPSE_CLUSTER={file}")
    return 0
