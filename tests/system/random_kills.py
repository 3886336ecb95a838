#!/usr/bin/env python3
"""Kills and stops of processes at random moments: ipuds, host programs, the rbufd and other host programs of the same
Poplar program, while programs run on IPUs of their own and on clusters.

Of each round is checked that

- a run that could go on ends with the results of an undisturbed run, to the last bit;
- every other run ends with an error that names what was lost, within the time that docs/reliability.md promises;
- nothing is left: no process, no socket, no other file.

Those times are promised for a machine that has a core to give. What a busy one adds is measured beside each round and
is not counted: see Machine.

Program, transport, victim, signal and moment are drawn from the seed and the number of the round, so one round can be
repeated: --seed S --first N --rounds 1.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LEASE = 1.0  # [s] of clusters
OWN_LEASE = 3.0  # [s] of a program and the IPUs that it starts itself
GRACE = 2.0  # [s] that an error may come later than the lease
FROZEN = 2.0  # [s] that a program which ends gives an ipud of its own that does not
AT_ONCE = 2.0  # [s] for what takes milliseconds
LOOPBACK = f"127.{1 + os.getpid() % 250}.{os.getpid() // 250 % 250}.1"  # ports there are taken by no other process
MARK = "COPSE_TEST_KILLED_ROUND"  # in the environment of every process of a round
REPLICAS = 4


class Machine(threading.Thread):
    """Knows how much later things happen here than on a machine that does nothing else: it sleeps and works for a moment,
    again and again, and adds up by how much that took too long.

    What a failure sets going are a few such moments, one after another, in several processes: heartbeats, a timer, a
    message, the end of a process. Each may be as late, so what is measured counts DELAYS times.
    """
    ASLEEP, AT_WORK = 0.02, 0.0005  # [s]
    DELAYS = 4

    def __init__(self):
        super().__init__(daemon=True)
        self.before, self.begun = 0.0, time.monotonic()  # lateness of all turns before this one; its begin
        self.start()

    def run(self):
        while True:
            time.sleep(self.ASLEEP)
            worked = time.thread_time()
            while time.thread_time() - worked < self.AT_WORK:
                pass
            self.before, self.begun = self.late(), time.monotonic()

    def late(self):
        """Returns the time since the start of this thread [s]."""
        return self.before + max(0.0, time.monotonic() - self.begun - self.ASLEEP - self.AT_WORK)


Moment = collections.namedtuple("Moment", "time late")


class Wrong(Exception):
    """Something that must not be."""


def until(holds, seconds):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def children(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def name_of(pid):
    """What it calls itself in messages: "ipu 3"."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return words[words.index(b"--name") + 1].decode() if b"--name" in words else ""


class Process:
    """One process of a round, with its output."""

    def __init__(self, round_, words, **variables):
        self.path = round_.folder / f"output{len(round_.processes)}"
        self.words = [str(word) for word in words]
        with self.path.open("wb") as output:
            self.popen = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                          cwd=round_.bin, env={**round_.environment, **variables})
        self.pid, self.ended_at = self.popen.pid, None
        self.round = round_
        round_.processes.append(self)

    def text(self):
        return self.path.read_text(errors="replace")

    def runs(self):
        if self.ended_at is None and self.popen.poll() is not None:
            self.ended_at = self.round.now()
        return self.ended_at is None

    def end(self):
        """Waits for its end. Returns the exit code."""
        timeout = self.round.options.timeout
        if not until(lambda: not self.runs(), timeout):
            raise Wrong(f"{self.words[0]} (pid {self.pid}) has not ended within {timeout} s:\n{self.text()}")
        return self.popen.returncode

    def wait_for(self, pattern):
        """Waits for a line. Returns whether it came before the end."""
        found = lambda: re.search(pattern, self.text(), re.MULTILINE)
        until(lambda: found() or not self.runs(), self.round.options.timeout)
        return found()


class Victim:
    """A process that is to be killed or stopped, and its name in messages."""

    def __init__(self, round_, what, pid, name=None):
        self.round, self.what, self.pid, self.name = round_, what, pid, name
        self.hit_at = None

    def send(self, number):
        self.hit_at = self.round.now()
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            self.pid = None  # it was too late

    def go_on(self):
        if self.pid is not None and alive(self.pid):
            os.kill(self.pid, signal.SIGCONT)


class Cluster:
    """Daemons of a cluster file, over a transport."""

    def __init__(self, round_, ipus, transport):
        self.round, self.transport, self.daemons = round_, transport, {}
        self.folder = round_.folder / "cluster"
        self.folder.mkdir(mode=0o700)
        self.file = self.folder / "cluster.json"
        kind = "tcp" if transport in ("tcp", "keys") else transport
        sockets = []

        def place(name, scheme):
            if scheme != "tcp":
                return f"{scheme}://{self.folder}/{name}"
            sockets.append(socket.socket())
            sockets[-1].bind((LOOPBACK, 0))
            return f"tcp://{LOOPBACK}:{sockets[-1].getsockname()[1]}"

        other = "tcp" if kind == "tcp" else "ipc"
        cluster = {"topology": "torus", "leaseMs": int(LEASE * 1000),
                   "ipus": [{"control": place(f"{i}c", other), "link": place(f"{i}l", kind), "sync": place(f"{i}s", other)}
                            for i in range(ipus)],
                   "rbufd": {"endpoint": place("r", other), "directory": str(self.folder / "rows")}}
        if transport == "keys":
            cluster["keys"] = "keys"
        self.file.write_text(json.dumps(cluster))
        for one in sockets:
            one.close()
        if transport == "keys":
            subprocess.run([round_.bin / "copse", "keys", "--cluster", self.file], check=True, stdout=subprocess.DEVNULL)
        for name in [f"ipu {i}" for i in range(ipus)] + ["rbufd"]:
            self.launch(name)
        for name in self.daemons:
            self.await_ready(name)

    def launch(self, name):
        words = [self.round.bin / "rbufd", "--cluster", self.file] if name == "rbufd" else \
                [self.round.bin / "ipud", "--cluster", self.file, "--ipu", name.split()[1], "--log-level", "off"]
        self.daemons[name] = Process(self.round, words)

    def await_ready(self, name):
        if not self.daemons[name].wait_for(r"^\{"):
            raise Wrong(f"{name} did not get ready: {self.daemons[name].text()}")

    def start(self, name):
        self.launch(name)
        self.await_ready(name)

    def free_again(self, since):
        """Checks that all IPUs are free within the lease and the interval of a heartbeat after the death of their holder."""
        def free():
            status = subprocess.run([self.round.bin / "copse", "status", "--json", "--cluster", self.file],
                                    env=self.round.environment, capture_output=True, text=True)
            try:
                return all(ipu["state"] == "free" for ipu in json.loads(status.stdout)["ipus"])
            except (ValueError, KeyError):
                return False
        if not until(free, self.round.options.timeout):
            raise Wrong("IPUs of a host program that has ended are not free again")
        self.round.took("free again", since, self.round.now(), LEASE + GRACE)

    def end(self):
        for daemon in self.daemons.values():
            if daemon.runs():
                daemon.popen.terminate()
        for name, daemon in self.daemons.items():
            code = daemon.end()
            if code not in (0, -signal.SIGTERM):
                raise Wrong(f"{name} ended with {code}: {daemon.text()}")


class Programs:
    """Commands, and what is compared of their results."""

    def __init__(self, folder, programs, data):
        self.bin, self.programs, self.data, self.undisturbed = folder, programs, data, {}

    def command(self, name, round_):
        if name == "digits":
            return [self.bin / "digits", "--replicas", REPLICAS, "--epochs", self.epochs, "--data", self.data]
        if name == "checkpoint":
            return [self.bin / "digits", "--replicas", REPLICAS, "--epochs", self.epochs, "--data", self.data, "--checkpoint"]
        if name == "stencil":
            return [self.bin / "stencil", "--replicas", REPLICAS, "--rows", 64, "--columns", 64, "--steps", self.steps]
        return [self.programs / "cluster_replica_program", 0, REPLICAS, REPLICAS, 1, f"runs={self.runs}"]

    def share(self, first, number):
        return [self.programs / "cluster_replica_program", first, number, REPLICAS, 1, f"runs={self.runs}"]

    epochs, steps, runs = 8, 400, 40

    @staticmethod
    def result(text):
        """Returns the lines that do not depend on time."""
        kept = re.compile(r"weights \(SHA-256\)|replica \d+: |mean temperature|hottest|off the host's|.* cycles per step")
        return sorted(line for line in text.splitlines() if kept.match(line))


class Round:
    def __init__(self, number, options, programs, statistics):
        self.number, self.options, self.programs, self.statistics = number, options, programs, statistics
        self.random = random.Random(f"{options.seed}/{number}")
        self.bin = options.bin
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"copse-kills-{number}-", dir=options.folder))
        (self.folder / "tmp").mkdir()
        self.mark = f"{os.getpid()}.{number}.{options.seed}"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("COPSE_", "POPLAR_")) or name == "COPSE_CACHE_DIR"}
        self.environment |= {"TMPDIR": str(self.folder / "tmp"), MARK: self.mark, "COPSE_LOG_LEVEL": "off",
                             "XDG_RUNTIME_DIR": str(self.folder)}
        self.processes, self.kind, self.outcome, self.times = [], "", "", []

    # What is measured.

    def now(self):
        return Moment(time.monotonic(), self.options.machine.late())

    def noticeable(self, victim, seconds, lease):
        """Whether a stop of that length may count as the end of a process: one that is a part of the lease may not, but for
        what the machine adds to it."""
        return seconds + self.added(victim.hit_at, self.now()) > 0.6 * lease

    @staticmethod
    def added(since, at):
        """What the machine may have added to the time between two moments."""
        return Machine.DELAYS * (at.late - since.late)

    def took(self, what, since, at, promised):
        seconds, added = at.time - since.time, self.added(since, at)
        self.times.append((what, seconds, promised, added))
        if seconds > promised + added:
            raise Wrong(f"{what}: {seconds:.2f} s instead of at most {promised:.2f} s; the machine may have added {added:.2f} s")

    def within(self, what, holds, since, promised):
        """Waits until that holds, which has to be in time."""
        if not until(holds, self.options.timeout):
            return False
        self.took(what, since, self.now(), promised)
        return True

    def expect_result(self, name, *processes):
        results = sorted(line for process in processes for line in Programs.result(process.text()))
        if results != self.programs.undisturbed[name]:
            raise Wrong("another result than that of an undisturbed run:\n" + "\n".join(results) + "\ninstead of\n" +
                        "\n".join(self.programs.undisturbed[name]) + "\n" + processes[0].text())

    # Kinds of rounds.

    def moment(self, name):
        """Draws a moment from before the start of the program's work until a little after its end."""
        time.sleep(self.random.uniform(0, 1.1) * self.programs.seconds[name])

    def strike(self, victim):
        """Kills or stops. Returns how long it was stopped; infinite if it was killed."""
        kind = self.random.choices(["kill", "short stop", "long stop"], [6, 3, 1])[0]
        self.kind += f", {victim.what}, {kind}"
        if kind == "kill":
            victim.send(signal.SIGKILL)
            return float("inf")
        lease = OWN_LEASE if "own" in self.kind else LEASE
        seconds = self.random.uniform(0.02, 0.4) * lease if kind == "short stop" else 2.5 * lease
        victim.send(signal.SIGSTOP)
        return seconds

    def own(self):
        """Runs a program on IPUs that it starts itself."""
        name = self.random.choice(["digits", "stencil", "exchange"])
        transport = self.random.choice(["shm", "ipc", "tcp"])
        self.kind = f"own, {name}, {transport}"
        host = Process(self, self.programs.command(name, self), COPSE_TRANSPORT=transport, COPSE_IPUS=str(REPLICAS))
        self.moment(name)
        ipuds = [pid for pid in children(host.pid) if name_of(pid).startswith("ipu")]
        if ipuds and self.random.random() < 0.75:
            pid = self.random.choice(ipuds)
            victim = Victim(self, "ipud", pid, name_of(pid))
        else:
            victim = Victim(self, "host program", host.pid)
        seconds = self.strike(victim)
        if seconds < float("inf"):
            until(lambda: not host.runs(), seconds)
            victim.go_on()
        code = host.end()
        if victim.what == "host program" and seconds == float("inf"):
            self.outcome = "ended" if code == -signal.SIGKILL else "was through"
            if not self.within("end of ipuds", lambda: not any(alive(pid) for pid in ipuds), victim.hit_at, AT_ONCE):
                raise Wrong("ipuds outlive their host program")
            return
        self.judge(name, host, code, victim, seconds, OWN_LEASE)

    def judge(self, name, host, code, victim, seconds, lease):
        """Judges the end of a program that had to continue, or to name the victim."""
        if code == 0:
            self.outcome = "same result"
            self.expect_result(name, host)
        elif code > 0 and victim.hit_at and victim.name and self.noticeable(victim, seconds, lease):
            self.outcome = "error"
            if not re.search(re.escape(victim.name) + r"\b", host.text()):
                raise Wrong(f"{victim.name} is not named:\n{host.text()}")
            frozen = FROZEN if lease == OWN_LEASE and seconds < float("inf") else 0
            self.took("error", victim.hit_at, host.ended_at, lease + GRACE + frozen)
        elif code > 0 and victim.what == "host program" and self.noticeable(victim, seconds, lease):
            self.outcome = "error" # it was stopped for so long that its IPUs have given it up
        else:
            raise Wrong(f"exit code {code}:\n{host.text()}")

    def checkpoint(self):
        """Runs a training on a cluster, which continues after failures."""
        transport = self.random.choice(["shm", "ipc", "tcp", "keys"])
        self.kind = f"cluster, checkpoint, {transport}"
        cluster = Cluster(self, REPLICAS, transport)
        variables = {"COPSE_CLUSTER": str(cluster.file), "COPSE_RBUFD_NAME": "kept"}
        host = Process(self, self.programs.command("checkpoint", self), **variables)
        self.moment("digits")
        target = self.random.choices(["ipud", "rbufd", "host program"], [5, 2, 3])[0]
        if target == "host program":
            victim = Victim(self, target, host.pid)
        else:
            daemon = "rbufd" if target == "rbufd" else f"ipu {self.random.randrange(REPLICAS)}"
            victim = Victim(self, target, cluster.daemons[daemon].pid, daemon)
        seconds = self.strike(victim)
        if target == "host program" and seconds == float("inf"):
            host.end()
            cluster.free_again(victim.hit_at)
            host = Process(self, self.programs.command("checkpoint", self), **variables)
        elif seconds == float("inf"):
            time.sleep(self.random.uniform(0, 2 * LEASE))
            cluster.daemons[daemon].end()
            cluster.start(daemon)
        else:
            until(lambda: not host.runs(), seconds)
            victim.go_on()
        if host.end() == 0:
            self.outcome = "recovered" if "failed: " in host.text() or "going on" in host.text() else "same result"
            for failure in re.findall("failed: (.*)", host.text()):
                if target == "ipud" and victim.name not in failure:
                    raise Wrong(f"{victim.name} is not named: {failure}")
        else:  # the program does not try again before its first epoch, nor without an rbufd
            if target != "rbufd" and re.search("^epoch", host.text(), re.MULTILINE):
                raise Wrong(f"a training with checkpoints ended:\n{host.text()}")
            if target != "host program" and victim.name not in host.text():
                raise Wrong(f"{victim.name} is not named:\n{host.text()}")
            self.outcome = "error, then same result"
            cluster.free_again(host.ended_at)
            host = Process(self, self.programs.command("checkpoint", self), **variables)
            if host.end() != 0:
                raise Wrong(f"the next training fails:\n{host.text()}")
        self.expect_result("digits", host)
        cluster.free_again(self.now())
        cluster.end()

    def cluster(self):
        """Runs a program without checkpoints on a cluster, which the next one finds in order."""
        name = self.random.choice(["stencil", "exchange", "digits"])
        transport = self.random.choice(["shm", "ipc", "tcp", "keys"])
        self.kind = f"cluster, {name}, {transport}"
        cluster = Cluster(self, REPLICAS, transport)
        variables = {"COPSE_CLUSTER": str(cluster.file)}
        host = Process(self, self.programs.command(name, self), **variables)
        self.moment(name)
        if self.random.random() < 0.3:
            victim = Victim(self, "host program", host.pid)
        else:
            daemon = f"ipu {self.random.randrange(REPLICAS)}"
            victim = Victim(self, "ipud", cluster.daemons[daemon].pid, daemon)
        seconds = self.strike(victim)
        if seconds < float("inf"):
            until(lambda: not host.runs(), seconds)
            victim.go_on()
        code = host.end()
        if victim.what == "host program" and seconds == float("inf"):
            self.outcome = "ended"
        else:
            self.judge(name, host, code, victim, seconds, LEASE)
        if victim.what == "ipud" and seconds == float("inf"):
            cluster.daemons[daemon].end()
            cluster.start(daemon)
        cluster.free_again(self.now())
        again = Process(self, self.programs.command(name, self), **variables)
        if again.end() != 0:
            raise Wrong(f"the next program fails:\n{again.text()}")
        self.expect_result(name, again)
        cluster.end()

    def peer_hosts(self):
        """Runs several host programs with the replicas of one Poplar program."""
        transport = self.random.choice(["shm", "ipc", "tcp", "keys"])
        number = self.random.choice([1, 2])
        self.kind = f"peer hosts, {REPLICAS // number}, {transport}"
        cluster = Cluster(self, REPLICAS, transport)
        variables = {"COPSE_CLUSTER": str(cluster.file)}
        hosts = []
        for first in range(0, REPLICAS, number):
            hosts.append(Process(self, self.programs.share(first, number), **variables))
        time.sleep(self.random.uniform(0.3, 1.1) * self.programs.seconds["peer_hosts"])
        if self.random.random() < 0.4:
            struck = self.random.choice(hosts)
            victim = Victim(self, "host program", struck.pid, f"pid {struck.pid}")
        else:
            daemon = f"ipu {self.random.randrange(REPLICAS)}"
            victim, struck = Victim(self, "ipud", cluster.daemons[daemon].pid, daemon), None
        waiting = not all(re.search("^loaded", host.text(), re.MULTILINE) for host in hosts)
        seconds = self.strike(victim)
        if seconds < float("inf"):
            until(lambda: not any([host.runs() for host in hosts if host is not struck]), seconds)
            victim.go_on()
        elif victim.what == "ipud":
            time.sleep(0.1)
        until(lambda: not any([host.runs() for host in hosts]), 6 * LEASE + GRACE)  # so that the end of each is seen when it comes
        codes = []
        for host in hosts:
            if host is struck and seconds == float("inf"):
                host.end()
            elif waiting:
                # It waits for its peer hosts for as long as its options say, and is no part of what
                # is promised here.
                if host.runs():
                    host.popen.kill()
                codes.append(host.end())
            else:
                codes.append(host.end())
        others = [host for host in hosts if host is not struck]
        if all(code == 0 for code in codes) and (struck is None or seconds < float("inf")):
            self.outcome = "same result"
            self.expect_result("exchange", *hosts)
        elif waiting or any("^replica" in host.text() for host in others):
            self.outcome = "ended while loading"
        elif not self.noticeable(victim, seconds, LEASE):
            raise Wrong("a short stop was noticed:\n" + "\n".join(host.text() for host in hosts))
        else:
            self.outcome = "error"
            for host in others:
                if host.popen.returncode == 0:
                    continue  # its part was through
                if victim.name not in host.text():
                    raise Wrong(f"{victim.name} is not named:\n{host.text()}")
                self.took("error of peer hosts", victim.hit_at, host.ended_at, LEASE + GRACE)
        if victim.what == "ipud" and seconds == float("inf"):
            cluster.daemons[daemon].end()
            cluster.start(daemon)
        cluster.free_again(self.now())
        cluster.end()

    # What is left.

    def left(self):
        """Processes of this round that still run."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                environment = pathlib.Path(f"/proc/{entry}/environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={self.mark}".encode() in environment.split(b"\0") and alive(int(entry)):
                found.append(int(entry))
        return found

    def check_nothing_is_left(self):
        if not self.within("nothing left", lambda: not self.left(), self.now(), FROZEN + AT_ONCE):
            raise Wrong("processes are left: " + ", ".join(
                f"{pid} ({pathlib.Path(f'/proc/{pid}/cmdline').read_bytes()!r})" for pid in self.left()))
        expected = {"cluster.json", "rows", "keys"}
        in_cluster = {entry.name for entry in (self.folder / "cluster").iterdir()} if (self.folder / "cluster").exists() else set()
        if in_cluster - expected:
            raise Wrong(f"files are left in the cluster's folder: {in_cluster - expected}")
        files = [entry.name for entry in (self.folder / "tmp").iterdir()]
        if files:
            raise Wrong(f"files are left in TMPDIR: {files}")

    def run(self):
        kind = self.random.choices([self.own, self.checkpoint, self.cluster, self.peer_hosts], [4, 2, 2, 3])[0]
        begun = time.monotonic()
        try:
            kind()
            self.check_nothing_is_left()
        except Exception as error:
            print(f"round {self.number} of seed {self.options.seed} ({self.kind}): {error}\n  in {self.folder}; again with "
                  f"--seed {self.options.seed} --first {self.number} --rounds 1", flush=True)
            self.outcome = "WRONG"
            self.clean_up()
            self.note(begun)
            return False
        self.note(begun)
        shutil.rmtree(self.folder, ignore_errors=True)
        return True

    def clean_up(self):
        for process in self.processes:
            if process.popen.poll() is None:
                process.popen.kill()
                process.popen.wait()
        for pid in self.left():
            os.kill(pid, signal.SIGKILL)

    def note(self, begun):
        self.statistics.append({"round": self.number, "kind": self.kind, "outcome": self.outcome,
                                "seconds": round(time.monotonic() - begun, 2), "times": self.times})
        if self.options.verbose:
            times = "".join(f", {what} {seconds:.2f} s" for what, seconds, *_ in self.times)
            print(f"round {self.number}: {self.kind}: {self.outcome}{times}", flush=True)


def undisturbed(options, programs):
    """Returns results, and how long programs take, on this machine."""
    programs.seconds = {}
    for name in ["digits", "stencil", "exchange"]:
        for turn in range(2):  # the first one fills the caches
            plain = Round(f"undisturbed-{name}-{turn}", options, programs, [])
            begun = time.monotonic()
            process = Process(plain, programs.command(name, plain), COPSE_IPUS=str(REPLICAS))
            if process.end() != 0:
                sys.exit(f"{name} fails undisturbed:\n{process.text()}")
            programs.seconds[name] = time.monotonic() - begun
            programs.undisturbed[name] = Programs.result(process.text())
            if not programs.undisturbed[name]:
                sys.exit(f"{name} prints no result:\n{process.text()}")
            plain.check_nothing_is_left()
            shutil.rmtree(plain.folder)
    programs.seconds["peer_hosts"] = 1.5 * programs.seconds["exchange"]


def summary(statistics, options):
    by_kind = collections.Counter()
    worst = {}
    for one in statistics:
        place = one["kind"].split(", ")
        by_kind[(place[0], place[-2] if len(place) > 2 else "", place[-1], one["outcome"])] += 1
        for what, seconds, promised, added in one["times"]:
            if seconds > worst.get(what, (0,))[0]:
                worst[what] = (seconds, promised, added)
    print(f"{len(statistics)} rounds, seed {options.seed}")
    for kind, count in sorted(by_kind.items()):
        print(f"{count:6d}  {', '.join(kind)}")
    for what, (seconds, promised, added) in worst.items():
        print(f"worst {what}: {seconds:.2f} s, promised {promised:.2f} s, of the machine up to {added:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of ipud, digits, ...")
    parser.add_argument("--programs", type=pathlib.Path, help="folder of cluster_replica_program; default: that of --bin")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder of digits.csv")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no round after that time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600, help="seconds in which the driver gives up, whatever else the machine does")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=pathlib.Path, help="write all rounds to this file")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    options.machine = Machine()
    programs = Programs(options.bin, (options.programs or options.bin).resolve(), options.data.resolve())
    undisturbed(options, programs)
    statistics, wrong, begun = [], 0, time.monotonic()
    for number in range(options.first, options.first + options.rounds):
        if time.monotonic() - begun > options.seconds:
            break
        wrong += not Round(number, options, programs, statistics).run()
        if options.json:
            options.json.write_text(json.dumps(statistics, indent=1))
    summary(statistics, options)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
