#!/usr/bin/env python3
"""Faults of nodes, on real containers: digits trains with checkpoints while a node is killed, frozen, cut off or slowed
down, and must end with the weights of an undisturbed training.

What lasts shorter than the deadlines must not be noticed; what lasts longer must be named by its IPU and be recovered
from by the same host program. Which node, when and how is drawn from the seed.
"""
import argparse
import contextlib
import json
import os
import random
import re
import subprocess
import time

import cluster as containers
from cluster import call

EPOCHS = 24
IPUS = 4
DEADLINE = 3.0  # [s] of hosts, IPUs and links, by default
TIMEOUT = 60.0  # [s] in which a test gives up


class Run:
    """One training with one fault."""

    def __init__(self, cluster, digits, number, random):
        self.cluster, self.digits, self.number = cluster, digits, number
        self.victim = random.randrange(IPUS)
        self.epoch = random.randrange(3, EPOCHS // 2)
        self.network = random.choice(["links", "hosts"])
        self.service = f"ipu{self.victim}"
        self.container = cluster.container(self.service)
        self.results = cluster.folder / f"results{number}.json"
        self.measured = {}

    def start(self, *more):
        return self.cluster.start(self.digits, "--replicas", IPUS, "--epochs", EPOCHS, "--json", self.results, "--data",
                                  self.cluster.folder, *more, COPSE_RBUFD_NAME=f"run{self.number}")

    def begin(self):
        """Trains up to the epoch in which the fault comes."""
        self.program = self.start("--checkpoint")
        self.program.wait_for(rf"epoch +{self.epoch}/", TIMEOUT)

    def recoveries_after(self, seconds):
        """Returns how many recoveries a fault of this length may need: any number, if the machine was too busy to make it a
        short one."""
        self.measured["fault_s"] = seconds
        return 0 if seconds < 0.6 * DEADLINE else None

    def end(self, recoveries):
        """Returns the weights. `recoveries`: how many the training must have needed, or None."""
        code = self.program.end(TIMEOUT)
        assert code == 0, f"exit code {code}:\n{self.program.text()}"
        results = json.loads(self.results.read_text())
        assert recoveries in (None, results["recoveries"]), \
            f"{results['recoveries']} recoveries instead of {recoveries}:\n{self.program.text()}"
        return results["weights_sha256"]

    def named(self, since):
        """Waits for the failure, which must name the victim."""
        at, match = self.program.wait_for(r"^failed: (.*)", TIMEOUT)
        self.measured["named_s"] = at - since
        text = match.group(1)
        assert f"ipu {self.victim}" in text, f"not named: {text}"

    def recovered(self, since):
        at, _ = self.program.wait_for("^going on after epoch", TIMEOUT, since)
        self.measured["recovered_s"] = at - since

    def disconnect(self):
        call("docker", "network", "disconnect", self.cluster.network(self.network), self.container)

    def connect(self):
        call("docker", "network", "connect", "--alias", self.service, "--alias", f"{self.service}.{self.network}",
             self.cluster.network(self.network), self.container)

    def mend(self):
        """Removes traces of a fault that went wrong, which must not spoil the next run."""
        for repair in (["docker", "unpause", self.container], ["docker", "restart", self.container]):
            call(*repair, check=False)
        with contextlib.suppress(AssertionError):
            self.connect()

    def in_network(self, *command):
        return call("nsenter", "--target", self.cluster.process(self.service), "--net", *command)


def kill(run):
    run.begin()
    since = time.monotonic()
    call("docker", "kill", run.container)
    run.named(since)
    since = time.monotonic()
    call("docker", "start", run.container)
    run.recovered(since)
    return run.end(recoveries=1)


def restart(run):
    run.begin()
    since = time.monotonic()
    call("docker", "restart", "--time", "5", run.container)
    run.named(since)
    run.recovered(since)
    return run.end(recoveries=1)


def pause(run):
    run.begin()
    since = time.monotonic()
    call("docker", "pause", run.container)
    time.sleep(0.2 * DEADLINE)
    call("docker", "unpause", run.container)
    return run.end(run.recoveries_after(time.monotonic() - since))


def freeze(run):
    run.begin()
    since = time.monotonic()
    call("docker", "pause", run.container)
    try:
        run.named(since)
    finally:
        since = time.monotonic()
        call("docker", "unpause", run.container)
    run.recovered(since)
    return run.end(recoveries=1)


def cut(run):
    run.begin()
    since = time.monotonic()
    run.disconnect()
    time.sleep(0.1 * DEADLINE)
    run.connect()
    return run.end(run.recoveries_after(time.monotonic() - since))


def cut_off(run):
    run.begin()
    since = time.monotonic()
    run.disconnect()
    try:
        run.named(since)
    finally:
        since = time.monotonic()
        run.connect()
    run.recovered(since)
    return run.end(recoveries=1)


def lossy(run):
    """Every fiftieth packet to the node is lost: by netem, or by a filter where the kernel has none."""
    run.begin()
    rule = ["INPUT", "--match", "statistic", "--mode", "random", "--probability", "0.02", "--jump", "DROP"]
    run.in_network("iptables", "--append", *rule)
    try:
        time.sleep(0.5 * DEADLINE)
    finally:
        run.in_network("iptables", "--delete", *rule)
    return run.end(recoveries=0)


def slow(run):
    """Packets of the node wait: 10 ms by netem, or in the queue of a slow interface where the kernel has none."""
    run.begin()
    interface = re.search(r"eth\d+", run.in_network("ip", "-o", "link")).group()  # another number after a cut
    delayed = ["tc", "qdisc", "add", "dev", interface, "root"]
    try:
        run.in_network(*delayed, "netem", "delay", "10ms", "3ms")
    except AssertionError:
        run.in_network(*delayed, "tbf", "rate", "20mbit", "burst", "20k", "latency", "200ms")
    try:
        time.sleep(0.5 * DEADLINE)
    finally:
        run.in_network("tc", "qdisc", "del", "dev", interface, "root")
    return run.end(recoveries=0)


def full_disk(run):
    """rbufd's disk is full: the program says so and ends. Then there is room again, and it trains."""
    rbufd = ["nsenter", "--target", run.cluster.process("rbufd"), "--mount", "--pid"]
    call(*rbufd, "mount", "-t", "tmpfs", "-o", "size=64k,uid=1000,mode=700", "none", "/var/lib/copse/rows")
    try:
        program = run.program = run.start("--checkpoint")
        code = program.end(TIMEOUT)
        assert code == 1 and "make room on that disk" in program.text(), f"exit code {code}:\n{program.text()}"
    finally:
        call(*rbufd, "umount", "--lazy", "/var/lib/copse/rows")
    run.number = f"{run.number}b"
    run.program = run.start("--checkpoint")
    return run.end(recoveries=0)


FAULTS = [kill, restart, pause, freeze, cut, cut_off, lossy, slow, full_disk]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="kinds of faults, by comma: " + ", ".join(f.__name__ for f in FAULTS))
    parser.add_argument("--digits", required=True, type=os.path.abspath, help="the program")
    parser.add_argument("--json", help="file for the figures of all runs")
    options = parser.parse_args()
    containers.require_images()
    faults = [fault for fault in FAULTS if not options.only or fault.__name__ in options.only.split(",")]
    draw = random.Random(options.seed)
    figures, failures = [], 0
    with containers.Cluster(IPUS, f"copsefaults{options.seed}") as cluster:
        print(f"up in {cluster.seconds_up:.1f} s", flush=True)
        cluster.take_digits()
        undisturbed = Run(cluster, options.digits, "undisturbed", draw)
        undisturbed.program = undisturbed.start()
        weights = undisturbed.end(recoveries=0)
        for number in range(options.runs):
            fault = faults[number % len(faults)] if number < len(faults) else draw.choice(faults)
            run = Run(cluster, options.digits, number, draw)
            begin = time.monotonic()
            verdict = "ok"
            try:
                cluster.wait_until_free()
                assert fault(run) == weights, "other weights than those of the undisturbed training"
            except (AssertionError, subprocess.SubprocessError) as error:
                failures += 1
                verdict = f"FAILED: {error}"
                run.mend()
            finally:
                with contextlib.suppress(AttributeError):
                    run.program.kill()
            figures.append({"fault": fault.__name__, "ipu": run.victim, "epoch": run.epoch, "network": run.network,
                            "ok": verdict == "ok", "seconds": time.monotonic() - begin, **run.measured})
            print(f"{number + 1:4}  {fault.__name__:10} ipu {run.victim} after epoch {run.epoch:2} "
                  f"({run.network})  " + "".join(f"{k} {v:.1f}  " for k, v in run.measured.items()) + verdict, flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(figures, file, indent=1)
    for key in ("named_s", "recovered_s"):
        values = sorted(figure[key] for figure in figures if key in figure)
        if values:
            print(f"{key}: median {values[len(values) // 2]:.1f}, most {values[-1]:.1f}")
    print(f"{options.runs - failures} of {options.runs} runs ended as they should")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
