"""An instance of an IPUJob that has a launcher: one Job of several pods.

Each worker is a pod with its share of the IPUs and an ssh server. The first one also executes the launcher's command, and the Job
ends with it. Without a controller, nothing can make keys or lists of hosts when pods start, so they are written here: as the pods
of an indexed Job, all of them have names that are known before."""
import copy
import json
import os
import secrets
import shutil
import subprocess
import tempfile

from .errors import LaunchError, UsageError
from .tools import tool

FILES = "/etc/ipujob"  # as ipujob_pod.sh has it
FIRST_PORT = 7000  # each IPU of a pod has three ports from here on
LONGEST_WAIT = 60  # for the programs that make keys [s]
RANDOM = "bcdfghjklmnpqrstvwxz2456789"  # letters that Kubernetes appends to a generateName


def command_of(launcher):
    """Returns the words of the launcher's command."""
    words = []
    for name in ("command", "args"):
        part = launcher.get(name, [])
        if not isinstance(part, list) or not all(isinstance(word, str) for word in part):
            raise UsageError(f"spec.launcher.{name} is no list of words")
        words += part
    if not words:
        raise UsageError("spec.launcher has no command, such as [poprun, --num-instances, \"2\", ..., python3, train.py]")
    return words


def resources_of(job, command, ipus, workers):
    """Returns the Job of an instance, changed from one pod to several, and the objects that these pods need."""
    if ipus % workers:
        raise UsageError(f"{ipus} IPUs cannot be divided among spec.workers.replicas {workers}")
    job = copy.deepcopy(job)
    metadata = job["metadata"]
    if "generateName" in metadata:
        metadata["name"] = metadata.pop("generateName") + "".join(secrets.choice(RANDOM) for _ in range(5))
    name = metadata["name"]
    pods = [f"{name}-{index}.{name}-pods" for index in range(workers)]
    share = ipus // workers
    cluster = {"topology": "torus", "keys": "keys",
               "ipus": [{**{use: f"tcp://{pod}:{FIRST_PORT + 3 * i + j}" for j, use in enumerate(("control", "link", "sync"))},
                         "bind": "0.0.0.0"} for pod in pods for i in range(share)]}
    _become_pods(job, name, command, share, workers)
    of_all = {key: metadata[key] for key in ("namespace", "labels") if key in metadata}
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "ipujob_pod.sh"), encoding="utf-8") as file:
        script = file.read()
    return [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"{name}-pods", **of_all},
         "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"batch.kubernetes.io/job-name": name}}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-files", **of_all},
         "data": {"cluster.json": json.dumps(cluster, indent=1), "hosts": "".join(f"{pod} slots={share}\n" for pod in pods),
                  "pod.sh": script}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"{name}-keys", **of_all}, "stringData": keys_of(cluster)},
        job]


def _become_pods(job, name, command, share, workers):
    # A Job ends with its first pod; without successPolicy, it would wait for the workers, which do
    # not end by themselves.
    job["spec"].update(completionMode="Indexed", completions=workers, parallelism=workers,
                       successPolicy={"rules": [{"succeededIndexes": "0"}]})
    pod = job["spec"]["template"]["spec"]
    if pod["restartPolicy"] != "Never":
        raise UsageError("restartPolicy of workers with a launcher must be Never: a worker that starts again is no part of its job")
    if len(pod["containers"]) != 1:
        raise UsageError("workers with a launcher have one container each")
    container = pod["containers"][0]
    if "command" in container or "args" in container:
        raise UsageError("a container of workers has a command, and there is a launcher; leave out one of them")
    container["command"] = ["bash", f"{FILES}/pod.sh"]
    container["args"] = command
    container["env"] = [one for one in container["env"] if one.get("name") != "COPSE_IPUS"] + [{"name": "IPUJOB_IPUS", "value": str(share)}]
    pod["subdomain"] = f"{name}-pods"
    pod.setdefault("volumes", []).append({"name": "ipujob", "projected": {"sources": [
        {"configMap": {"name": f"{name}-files"}},
        {"secret": {"name": f"{name}-keys", "items": [{"key": key, "path": f"secrets/{key}"} for key in _key_files(share * workers)]}}]}})
    container.setdefault("volumeMounts", []).append({"name": "ipujob", "mountPath": FILES, "readOnly": True})


def _key_files(ipus):
    return [*(f"ipu-{ipu}.key" for ipu in range(ipus)), "host.key", "public.json", *(f"ssh-{end}{kind}" for end in ("server", "client")
                                                                                  for kind in ("", ".pub"))]


def keys_of(cluster):
    """Returns new keys of the cluster and of ssh, by the names of their files."""
    if not shutil.which("ssh-keygen"):
        raise LaunchError("keys for ssh between the pods are made with ssh-keygen, which is not installed: apt-get install openssh-client")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "cluster.json"), "w", encoding="utf-8") as file:
            json.dump(cluster, file)
        _run(tool("copse"), "keys", "--cluster", file.name)
        keys = os.path.join(folder, "keys")
        for end in ("server", "client"):
            _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ipujob", "-f", os.path.join(keys, f"ssh-{end}"))
        found = {}
        for name in _key_files(len(cluster["ipus"])):
            with open(os.path.join(keys, name), encoding="utf-8") as file:
                found[name] = file.read()
    return found


def _run(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False)
    except subprocess.TimeoutExpired:
        raise LaunchError(f"{command[0]} does not end") from None
    if done.returncode:
        raise LaunchError(done.stderr.strip() or f"{command[0]}: exit code {done.returncode}")
