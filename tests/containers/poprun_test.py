#!/usr/bin/env python3
"""Eight instances of poprun in four containers, over a cluster of containers; and a container that gc-docker starts."""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import time

import cluster as containers
from cluster import call

HOSTS = 4
IPUS = 8


@contextlib.contextmanager
def hosts(cluster, build):
    """Containers that answer ssh: their names, which are names on the cluster's network, too."""
    ssh = cluster.folder / "ssh"
    ssh.mkdir(mode=0o700)
    call("docker", "run", "--rm", "--network", "none", "--volume", f"{ssh}:{ssh}", "copse/launch", "sh", "-c",
         f"cd {ssh} && ssh-keygen -q -t ed25519 -N '' -f id_ed25519 && cp id_ed25519.pub authorized_keys && chown {os.getuid()}:{os.getgid()} *")
    names = [f"{cluster.project}-host{i}" for i in range(HOSTS)]
    cache = pathlib.Path(os.environ.get("COPSE_CACHE_DIR") or pathlib.Path.home() / ".cache/copse")
    cache.mkdir(parents=True, exist_ok=True)
    try:
        for name in names:
            call("docker", "run", "--detach", "--rm", "--init", "--name", name, "--hostname", name, "--network", cluster.network("hosts"),
                 "--volume", f"{ssh}:/root/.ssh:ro", "--volume", f"{build}:{build}:ro", "--volume", f"{cluster.folder}:{cluster.folder}",
                 "--volume", f"{cluster.environment['COPSE_CLUSTER_DIR']}/host:/etc/copse:ro", "--volume", f"{cache}:/var/cache/copse",
                 "copse/launch")
        yield names
    finally:
        subprocess.run(["docker", "kill", *names], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)
        deadline = time.monotonic() + 20
        while call("docker", "ps", "--all", "--quiet", "--filter", f"name={cluster.project}-host") and time.monotonic() < deadline:
            time.sleep(0.1)  # the engine removes them, and the network must be empty


def poprun(names, digits, *arguments):
    """Returns the command of eight instances, which begins in the first container."""
    return ["docker", "exec", "--env", "COPSE_CLUSTER=/etc/copse/cluster.json", "--env", "COPSE_CACHE_DIR=/var/cache/copse", names[0],
            "poprun", "--host", ",".join(names), "--num-replicas", str(IPUS), "--num-instances", str(IPUS), "--allow-run-as-root", "yes",
            str(digits), *map(str, arguments)]


def instances_get_the_results_of_one_program(cluster, names, digits):
    arguments = ["--epochs", "2", "--data", cluster.folder]
    here, there = cluster.folder / "here.json", cluster.folder / "there.json"
    call(digits, *arguments, "--replicas", IPUS, "--topology", "torus", "--json", here)
    call(*poprun(names, digits, *arguments, "--topology", "torus", "--json", there))
    one, eight = (json.loads(file.read_text()) for file in (here, there))
    for key in ("weights_sha256", "loss_per_epoch", "modelled_cycles", "replicas"):
        assert one[key] == eight[key], key


def running(cluster, names, digits):
    """Returns a job that trains, and its output."""
    job = subprocess.Popen(poprun(names, digits, "--epochs", "10000", "--data", cluster.folder), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    text = ""
    for line in job.stdout:
        text += line
        if "epoch   1/" in line:
            return job, text
    raise AssertionError(f"the job has ended early:\n{text}")


def processes(container, program):
    """Returns the ids of a program's processes. Processes of other programs may end meanwhile, which grep calls an error."""
    found = call("docker", "exec", container, "sh", "-c", f"cd /proc && grep -slx {program} [0-9]*/comm || true")
    return [path.split("/")[0] for path in found.split()]


def kill(container, ids):
    call("docker", "exec", container, "sh", "-c", f"kill -KILL {' '.join(ids)}")


def a_killed_poprun_takes_the_instances_of_all_hosts_with_it(cluster, names, digits):
    job, _ = running(cluster, names, digits)
    kill(names[0], processes(names[0], "python3"))
    deadline = time.monotonic() + 30
    for name in names:
        while processes(name, "digits"):
            assert time.monotonic() < deadline, f"an instance on {name} has outlived poprun"
            time.sleep(0.2)
    job.communicate(timeout=30)


def an_instance_that_is_killed_is_named(cluster, names, digits):
    job, text = running(cluster, names, digits)
    victim = processes(names[2], "digits")[-1]
    environment = call("docker", "exec", names[2], "cat", f"/proc/{victim}/environ")
    replica = next(word.split("=")[1] for word in environment.split("\0") if word.startswith("POPDIST_REPLICA_INDEX_OFFSET="))
    begin = time.monotonic()
    kill(names[2], [victim])
    text += job.communicate(timeout=60)[0]
    print(f"a killed instance ended the job after {time.monotonic() - begin:.1f} s")
    assert job.returncode == 128 + 9, text
    assert f"instance {replica} on {names[2]} was killed by signal 9" in text, text


def gc_docker_starts_a_container_with_the_ipus_of_a_device(cluster, names, digits):
    listed = call(digits.parent / "gc-docker", "--device-id", "4", "--", "--rm", "copse/host", "gc-info", "--ipu-count",
                  env={**os.environ, "COPSE_IPUS": "4"})
    assert listed == "2\n", listed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--digits", type=pathlib.Path, required=True)
    digits = parser.parse_args().digits.resolve()
    containers.require_images()
    with containers.Cluster(IPUS, "copse-poprun") as cluster:
        cluster.take_digits()
        with hosts(cluster, digits.parent.parent) as names:
            for check in (instances_get_the_results_of_one_program, an_instance_that_is_killed_is_named,
                          a_killed_poprun_takes_the_instances_of_all_hosts_with_it, gc_docker_starts_a_container_with_the_ipus_of_a_device):
                cluster.wait_until_free()
                begin = time.monotonic()
                check(cluster, names, digits)
                print(f"{check.__name__}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
