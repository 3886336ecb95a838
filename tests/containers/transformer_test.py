#!/usr/bin/env python3
"""examples/transformer on a cluster of eight nodes: four replicas of two IPUs each learn what local processes learn, even if
a node is killed in the middle of it."""
import argparse
import json
import os
import shutil
import time

import cluster as containers
from cluster import call

IPUS = 8
STEPS = 60
TIMEOUT = 120.0  # [s] in which a test gives up


def command(options, results, *more):
    """Returns the command for a small model: a step takes milliseconds of each node."""
    return [options.transformer, "--replicas", 4, "--ipus-per-replica", 2, "--steps", STEPS, "--width", 32, "--batch", 4,
            "--heads", 2, "--tiles", 8, "--sample", 30, "--text", results.parent / "text.md", "--json", results, *more]


def parameters_of(program, results):
    code = program.end(TIMEOUT)
    assert code == 0, f"exit code {code}:\n{program.text()}"
    return json.loads(results.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transformer", required=True, type=os.path.abspath, help="the program")
    options = parser.parse_args()
    containers.require_images()
    with containers.Cluster(IPUS, "copsetransformer") as cluster:
        print(f"up in {cluster.seconds_up:.1f} s", flush=True)
        shutil.copy(containers.SOURCE / "ARCHITECTURE.md", cluster.folder / "text.md")
        # On the same topology: the order in which gradients are added up depends on it.
        call(*command(options, cluster.folder / "local.json"),
             env={**os.environ, "POPLAR_TARGET_OPTIONS": '{"ipuLinkTopology": "mesh"}'})
        local = json.loads((cluster.folder / "local.json").read_text())

        results = cluster.folder / "cluster.json"
        program = cluster.start(*command(options, results, "--checkpoint"), COPSE_RBUFD_NAME="transformer")
        program.wait_for("step +20/", TIMEOUT)
        killed = time.monotonic()
        call("docker", "kill", cluster.container("ipu5"))
        _, failure = program.wait_for("^failed: (.*)", TIMEOUT)
        assert "ipu 5" in failure.group(1), f"not named: {failure.group(1)}"
        call("docker", "start", cluster.container("ipu5"))
        recovered, _ = program.wait_for("^going on after step", TIMEOUT, killed)
        print(f"went on {recovered - killed:.1f} s after the node was killed", flush=True)
        survived = parameters_of(program, results)
        assert survived["recoveries"] == 1, survived["recoveries"]
        for key in ("parameters_sha256", "losses", "sample"):
            assert survived[key] == local[key], f"{key}: {survived[key]} instead of {local[key]}"


if __name__ == "__main__":
    main()
