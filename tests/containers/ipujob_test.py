#!/usr/bin/env python3
"""The pods of an IPUJob with a launcher, as containers: Docker stands for Kubernetes, with what copse ipujob has written."""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile

import cluster as containers
from cluster import call

JOB = """\
apiVersion: graphcore.ai/v1alpha1
kind: IPUJob
metadata: {{name: train}}
spec:
  jobInstances: 1
  ipusPerJobInstance: "4"
  launcher:
    command: [poprun, --num-replicas, "4", --num-instances, "2", --allow-run-as-root, "yes", {digits}, --data, {data}, --epochs, "1"]
  workers:
    replicas: 2
    template:
      spec: {{containers: [{{name: train, image: copse/launch}}], restartPolicy: Never}}
"""


def resources(digits, folder):
    """Returns the objects that copse ipujob writes, by kind."""
    file = folder / "job.yaml"
    file.write_text(JOB.format(digits=digits, data=containers.SOURCE / "examples/digits"))
    return {one["kind"]: one for one in json.loads(call(digits.parent / "copse", "ipujob", file, "--json"))["items"]}


def mount(found, pod, folder):
    """Writes the files of the pod's volume."""
    for source in pod["volumes"][0]["projected"]["sources"]:
        if "configMap" in source:
            files = found["ConfigMap"]["data"]
        else:
            files = {item["path"]: found["Secret"]["stringData"][item["key"]] for item in source["secret"]["items"]}
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)


@contextlib.contextmanager
def network(name):
    call("docker", "network", "create", name)
    try:
        yield
    finally:
        call("docker", "network", "rm", name)


def command(found, index, folder, project, build):
    """What starts a pod: its hostname and its name in the Service are those that an indexed Job gives it."""
    pod = found["Job"]["spec"]["template"]["spec"]
    container, name = pod["containers"][0], f"{found['Job']['metadata']['name']}-{index}"
    words = ["docker", "run", "--rm", "--name", f"{project}-{index}", "--network", project, "--hostname", name,
             "--network-alias", f"{name}.{pod['subdomain']}", "--env", f"JOB_COMPLETION_INDEX={index}",
             "--volume", f"{folder}:{container['volumeMounts'][0]['mountPath']}:ro"]
    for path in (build, containers.SOURCE / "examples/digits"):
        words += ["--volume", f"{path}:{path}:ro"]
    for one in container["env"]:
        words += ["--env", f"{one['name']}={one['value']}"]
    return [*words, "--entrypoint", container["command"][0], container["image"], *container["command"][1:], *container["args"]]


def weights(text):
    """The hash of the weights that a program has printed."""
    return re.search(r"weights \(SHA-256\) +(\w+)", text).group(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--digits", type=pathlib.Path, required=True)
    digits = parser.parse_args().digits.resolve()
    containers.require_images()
    project = f"copse-ipujob-{os.getpid()}"
    with tempfile.TemporaryDirectory() as name, network(project):
        folder = pathlib.Path(name)
        found = resources(digits, folder)
        files = folder / "files"
        files.mkdir()
        mount(found, found["Job"]["spec"]["template"]["spec"], files)
        workers = found["Job"]["spec"]["completions"]
        pods = [subprocess.Popen(command(found, index, files, project, digits.parent.parent), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True) for index in range(workers)]
        try:
            text = pods[0].communicate(timeout=150)[0]
        finally:
            subprocess.run(["docker", "kill", *(f"{project}-{index}" for index in range(workers))], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=60, check=False)
            others = [pod.communicate(timeout=60)[0] for pod in pods[1:]]
        assert pods[0].returncode == 0, "\n".join([text, *others])
        alone = call(digits, "--replicas", "4", "--topology", "torus", "--data", containers.SOURCE / "examples/digits", "--epochs", "1")
        assert weights(text) == weights(alone), text
        assert all(pod.returncode == 137 for pod in pods[1:]), others  # they wait until the Job ends them


if __name__ == "__main__":
    main()
