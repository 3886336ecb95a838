#!/usr/bin/env python3
"""Tests what deploy/cluster.sh promises: containers with few rights, a cluster that programs share, and nothing left behind."""
import argparse
import json
import os
import subprocess

import cluster as containers
from cluster import call


def inspect(kind, name):
    return json.loads(call("docker", kind, "inspect", name))[0]


def daemons_have_few_rights(cluster, _):
    for service in ("ipu0", "ipu3", "rbufd"):
        host = inspect("container", cluster.container(service))
        config, limits = host["Config"], host["HostConfig"]
        assert config["User"] == "1000:1000", config["User"]
        assert limits["ReadonlyRootfs"] and not limits["Privileged"], service
        assert limits["CapDrop"] == ["ALL"] and not limits["CapAdd"], limits["CapDrop"]
        assert "no-new-privileges:true" in limits["SecurityOpt"], limits["SecurityOpt"]
        assert limits["Memory"] > 0 and limits["PidsLimit"] > 0, "it has no limits"
    assert inspect("network", cluster.network("links"))["Internal"], "the links lead outside"


def a_daemon_knows_no_secret_but_its_own(cluster, _):
    for service, key in (("ipu2", "ipu-2.key"), ("rbufd", "rbufd.key")):
        found = call("docker", "exec", cluster.container(service), "ls", "/etc/copse/keys").split()
        assert sorted(found) == sorted([key, "public.json"]), found


def health_check(container):
    return ["docker", "exec", container, *inspect("container", container)["Config"]["Healthcheck"]["Test"][1:]]


def daemons_pass_their_health_checks(cluster, _):
    for service in ("ipu1", "rbufd"):
        call(*health_check(cluster.container(service)))


def a_frozen_daemon_fails_its_health_check(cluster, _):
    """The system still accepts connections at the port of a paused container."""
    container = cluster.container("ipu1")
    call("docker", "kill", "--signal", "STOP", container)
    try:
        answer = subprocess.run(health_check(container), timeout=3).returncode
    except subprocess.TimeoutExpired:
        answer = None
    finally:
        call("docker", "kill", "--signal", "CONT", container)
    assert answer != 0, "it is well although it does nothing"
    call(*health_check(container))


def ipuds_are_small_and_have_no_compiler(*_):
    base, ipud = (inspect("image", name)["Size"] for name in (containers.BASE_IMAGE, "copse/ipud"))
    print(f"copse/ipud is {(ipud - base) / 1e6:.0f} MB over its base")
    assert ipud - base <= 40e6, "too large"
    found = call("docker", "run", "--rm", "--entrypoint", "sh", "copse/ipud", "-c",
                 "command -v cc gcc g++ clang ld as popc || true")
    assert not found, found


def a_program_gets_the_results_of_local_processes(cluster, digits):
    arguments = ["--replicas", "4", "--epochs", "3", "--data", cluster.folder]
    here, there = cluster.folder / "here.json", cluster.folder / "there.json"
    call(digits, *arguments, "--json", here)
    program = cluster.start(digits, *arguments, "--json", there)
    assert program.end(120) == 0, program.text()
    assert "warning" not in program.text(), program.text()
    local, remote = (json.loads(file.read_text()) for file in (here, there))
    for key in ("weights_sha256", "loss_per_epoch", "modelled_cycles"):
        assert local[key] == remote[key], key


def programs_without_a_name_find_no_rows_of_others(cluster, digits):
    for replicas in (4, 2):  # rows of another shape would be refused
        program = cluster.start(digits, "--data", cluster.folder, "--epochs", "1", "--replicas", replicas)
        assert program.end(120) == 0, program.text()


def programs_share_the_cluster(cluster, digits):
    arguments = [digits, "--data", cluster.folder, "--epochs", "10000"]
    first = cluster.start(*arguments, "--replicas", "2", COPSE_RBUFD_NAME="first")
    first.wait_for("epoch +2/", 60)
    holders = {ipu["holder"] for ipu in cluster.status()["ipus"]}
    assert len(holders) == 2 and "" in holders, holders
    second = cluster.start(*arguments, "--replicas", "4", COPSE_RBUFD_NAME="second")
    assert second.end(60) == 1 and "is free of the" in second.text(), second.text()
    third = cluster.start(*arguments, "--replicas", "2", COPSE_RBUFD_NAME="third")
    third.wait_for("epoch +2/", 60)
    for program in (first, third):
        program.kill()
    cluster.wait_until_free()


def down_ends_a_program_that_still_runs_and_deletes_rows_when_asked(digits):
    with containers.Cluster(2, "copsedown") as cluster:
        cluster.take_digits()
        program = cluster.start(digits, "--data", cluster.folder, "--epochs", "10000", "--replicas", "2")
        program.wait_for("epoch +2/", 60)
        cluster.script("down")
        assert program.end(20) != 0, program.text()
        assert volumes_of(cluster), "the rows are gone, and nobody asked for that"
    nothing_is_left_of(cluster)  # `down --rows` has found the rows without a cluster


def volumes_of(cluster):
    return call("docker", "volume", "ls", "--quiet", "--filter", f"name={cluster.project}_")


def nothing_is_left_of(cluster):
    left = call("docker", "ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={cluster.project}")
    left += call("docker", "ps", "--all", "--quiet", "--filter", f"label=org.copse.project={cluster.project}")
    left += volumes_of(cluster)
    for network in call("docker", "network", "ls", "--quiet", "--filter", f"name={cluster.project}_").split():
        if inspect("network", network)["Containers"]:
            left += network
        else:
            print(f"the Docker engine has lost count of the endpoints of {network}, and keeps it", flush=True)
    assert not left, f"left behind: {left}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digits", required=True, type=os.path.abspath, help="the program")
    options = parser.parse_args()
    containers.require_images()
    with containers.Cluster(4, "copsetest") as cluster:
        print(f"up in {cluster.seconds_up:.1f} s", flush=True)
        cluster.take_digits()
        for test in (daemons_have_few_rights, daemons_pass_their_health_checks,
                     a_frozen_daemon_fails_its_health_check, a_daemon_knows_no_secret_but_its_own,
                     ipuds_are_small_and_have_no_compiler, a_program_gets_the_results_of_local_processes,
                     programs_without_a_name_find_no_rows_of_others, programs_share_the_cluster):
            print(test.__name__, flush=True)
            test(cluster, options.digits)
    nothing_is_left_of(cluster)
    print(down_ends_a_program_that_still_runs_and_deletes_rows_when_asked.__name__, flush=True)
    down_ends_a_program_that_still_runs_and_deletes_rows_when_asked(options.digits)


if __name__ == "__main__":
    main()
