#!/usr/bin/env python3
"""A pod of four IPU-Link domains in containers. Each domain has a network, and each path between the gateways of two
domains has one: a packet to another domain passes gateways, or does not arrive."""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import time
import urllib.request

import cluster as containers
from cluster import call

IPUS = 8
DOMAIN = 2  # IPUs of a domain
EPOCHS = 16
TIMEOUT = 120.0  # [s] in which a test gives up

RUNGS = [(ipu, ipu + 1) for ipu in range(0, IPUS, DOMAIN)]  # the IPU-Links of such small domains
GATEWAYS = [(ipu, (ipu + DOMAIN) % IPUS) for ipu in range(IPUS)]  # the domains are in a loop


def neighbours(ipu):
    return {other for link in RUNGS + GATEWAYS if ipu in link for other in link} - {ipu}


def path(one, other):
    """Returns the name of the network between the gateways of two IPUs."""
    return f"gateways{one}-{other}"


class Pod(containers.Cluster):
    """A cluster whose IPU-Links have other networks than deploy/docker-compose.yml gives them. The network `links` stays, for
    sync points."""

    def up(self):
        self.pod = self.folder / "pod.json"
        known = {"ipus": (IPUS, "IPUs"), "ipusPerMachine": (DOMAIN, "IPUs"), "ipusPerDomain": (DOMAIN, "IPUs"), "hosts": (1, "hosts")}
        self.pod.write_text(json.dumps({"name": "small", "like": "pod128", **{
            key: {"value": value, "unit": unit, "source": "this test"} for key, (value, unit) in known.items()}}))
        self.script("files", "--ipus", IPUS, "--pod", self.pod)
        for file in (self.folder / "cluster").glob("*/cluster.json"):
            cluster = json.loads(file.read_text())
            for number, ipu in enumerate(cluster["ipus"]):
                ipu["link"] = f"tcp://{self.link_name(number)}:7001"
            file.write_text(json.dumps(cluster))
        user = "1000:1000" if os.getuid() == 0 else f"{os.getuid()}:{os.getgid()}"
        call("docker-compose", "--file", self.folder / "cluster/docker-compose.yml", "--file", self.write_networks(), "up", "--detach",
             timeout=300, env={**self.environment, "COMPOSE_PROJECT_NAME": self.project, "COPSE_DAEMON_USER": user})
        self.wait_until_ready()

    @staticmethod
    def link_name(ipu):
        """The name under which only the networks of its links know an IPU."""
        return f"ipu{ipu}.fabric"

    def write_networks(self):
        networks = {f"domain{number}": rung for number, rung in enumerate(RUNGS)}
        networks.update({path(*link): link for link in GATEWAYS})
        services = {f"ipu{ipu}": {"networks": {name: {"aliases": [self.link_name(ipu)]} for name, link in networks.items()
                                               if ipu in link}} for ipu in range(IPUS)}
        file = self.folder / "networks.json"  # which is YAML
        file.write_text(json.dumps({"services": services, "networks": {name: {"internal": True} for name in networks}}))
        return file

    def wait_until_ready(self):
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return self.status()
            except AssertionError:
                assert time.monotonic() < deadline, f"not all nodes are ready after {TIMEOUT} s"

    def in_ipu(self, ipu, script):
        return call("docker", "exec", self.container(f"ipu{ipu}"), "bash", "-c", script)

    def metrics(self):
        """Returns what each IPU serves."""
        request = r"exec 3<>/dev/tcp/127.0.0.1/9472; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3"
        return [self.in_ipu(ipu, request) for ipu in range(IPUS)]

    def sent_over(self, ipu, network):
        """Returns the bytes that the kernel has sent from a container into a network."""
        known = json.loads(call("docker", "inspect", self.container(f"ipu{ipu}")))[0]["NetworkSettings"]["Networks"]
        address = known[self.network(network)]["MacAddress"]
        return int(self.in_ipu(ipu, f"cat $(dirname $(grep -lx {address} /sys/class/net/*/address))/statistics/tx_bytes"))


def only_neighbours_share_a_network_of_links(pod, *_):
    for ipu in (0, 5):
        known = pod.in_ipu(ipu, f"for ipu in {{0..{IPUS - 1}}}; do (getent hosts ipu$ipu.fabric >/dev/null && echo $ipu) & done; wait")
        assert {int(other) for other in known.split()} - {ipu} == neighbours(ipu), f"ipu {ipu} reaches {known.split()}"


def check_values(results):
    part = len(results["received"]) // IPUS // IPUS
    for to in range(IPUS):
        for sender in range(IPUS):
            begin = (to * IPUS + sender) * part
            for element in range(part):
                assert results["received"][begin + element] == 10000 * sender + 100 * to + element
                assert results["sums"][begin + element] == 10000 * IPUS * sender + 100 * sum(range(IPUS)) + IPUS * element


def of_links(metrics, name):
    """Returns the values of a metric, by IPU and neighbour."""
    prefix = f'copse_ipud_link_{name}{{neighbour="'
    lines = [(ipu, line[len(prefix):]) for ipu, text in enumerate(metrics) for line in text.splitlines() if line.startswith(prefix)]
    return {(ipu, int(line.split('"')[0])): int(float(line.split()[-1])) for ipu, line in lines}


def run_on_one_machine(pod, options, results):
    """Runs the program on processes, and returns what each serves as metrics in the end."""
    kinds = ("control", "link", "sync")  # of sockets: as over tcp, packets to far IPUs are forwarded
    ipus = [{kind: f"ipc://{pod.folder}/{kind}{ipu}" for kind in kinds} for ipu in range(IPUS)]
    file = pod.folder / "processes.json"
    file.write_text(json.dumps({"pod": str(pod.pod), "ipus": ipus}))
    with contextlib.ExitStack() as running:
        addresses = []
        for ipu in range(IPUS):
            command = [options.bin / "ipud", "--cluster", file, "--ipu", str(ipu), "--metrics", "127.0.0.1:0", "--log-level", "error"]
            ipud = running.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            running.callback(ipud.terminate)
            addresses.append(json.loads(ipud.stdout.readline())["metrics"])
        call(options.all_to_all, IPUS, results, env={**os.environ, "COPSE_CLUSTER": str(file)})
        return [urllib.request.urlopen(f"http://{address}/metrics").read().decode() for address in addresses]


def packets_cross_gateways_as_on_one_machine(pod, options):
    here, there = pod.folder / "here.json", pod.folder / "there.json"
    sent_here = of_links(run_on_one_machine(pod, options, here), "sent_bytes_total")
    before = {link: pod.sent_over(link[0], path(*link)) for link in GATEWAYS}
    program = pod.start(options.all_to_all, IPUS, there)
    assert program.end(TIMEOUT) == 0, program.text()
    local, remote = (json.loads(file.read_text()) for file in (here, there))
    check_values(remote)
    assert remote == local, "other results or modelled cycles than on one machine"

    metrics = pod.metrics()
    sent = of_links(metrics, "sent_bytes_total")
    assert sent == sent_here, f"other bytes over links than on one machine: {sent} instead of {sent_here}"
    for ipu in range(IPUS):
        assert {other for one, other in sent if one == ipu} == neighbours(ipu), f"the links of ipu {ipu} are {sent}"
    for link in GATEWAYS:
        through = pod.sent_over(link[0], path(*link)) - before[link]
        assert through >= sent[link] > 0, f"{through} bytes left through {path(*link)}, of {sent[link]} that were sent"
    forwarded = of_links(metrics, "forwarded_packets_total")
    for one, other in GATEWAYS:  # to the other side of the loop, and to the other IPU of the next domain
        assert forwarded[other, one] > 0, f"ipu {other} has forwarded nothing from the gateways of ipu {one}: {forwarded}"


def a_cut_path_and_a_lost_ipu_of_another_domain_are_named(pod, options):
    arguments = [options.digits, "--replicas", IPUS, "--topology", "mesh", "--epochs", EPOCHS, "--data", pod.folder]
    here, there = pod.folder / "digits_here.json", pod.folder / "digits_there.json"
    call(*arguments, "--json", here, env={**os.environ, "COPSE_POD": str(pod.pod)})
    program = pod.start(*arguments, "--json", there, "--checkpoint")
    program.wait_for(r"epoch +2/", TIMEOUT)

    network, container = pod.network(path(1, 3)), pod.container("ipu1")
    since = time.monotonic()
    call("docker", "network", "disconnect", network, container)
    at, failure = program.wait_for("^failed: (.*)", TIMEOUT)
    print(f"the cut path was named after {at - since:.1f} s: {failure.group(1)}", flush=True)
    assert "between ipu 1 and ipu 3" in failure.group(1) or "between ipu 3 and ipu 1" in failure.group(1), failure.group(1)
    since = time.monotonic()
    call("docker", "network", "connect", "--alias", pod.link_name(1), network, container)
    since, _ = program.wait_for("^going on after epoch", TIMEOUT, since)

    program.wait_for(r"epoch +\d+/", TIMEOUT, since)
    since = time.monotonic()
    call("docker", "kill", pod.container("ipu6"))
    at, failure = program.wait_for("^failed: (.*)", TIMEOUT, since)
    print(f"the lost IPU was named after {at - since:.1f} s: {failure.group(1)}", flush=True)
    assert "ipu 6" in failure.group(1), failure.group(1)
    call("docker", "start", pod.container("ipu6"))
    assert program.end(TIMEOUT) == 0, program.text()
    local, remote = (json.loads(file.read_text()) for file in (here, there))
    assert remote["recoveries"] == 2, remote["recoveries"]
    for key in ("weights_sha256", "loss_per_epoch"):
        assert local[key] == remote[key], key


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digits", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--all-to-all", required=True, type=pathlib.Path, help="the program of all_to_all.cpp")
    options = parser.parse_args()
    options.digits, options.all_to_all = options.digits.resolve(), options.all_to_all.resolve()
    options.bin = options.digits.parent
    containers.require_images()
    with Pod(IPUS, "copsedomains") as pod:
        print(f"up in {pod.seconds_up:.1f} s", flush=True)
        pod.take_digits()
        for check in (only_neighbours_share_a_network_of_links, packets_cross_gateways_as_on_one_machine,
                      a_cut_path_and_a_lost_ipu_of_another_domain_are_named):
            begin = time.monotonic()
            check(pod, options)
            print(f"{check.__name__}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
