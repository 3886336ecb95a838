"""copse ipujob: Jobs and Services for IPUJobs; and the manifests of deploy/kubernetes."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import launch_case
from launch_case import BIN, environment, run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
KUBERNETES = SOURCE / "deploy/kubernetes"
JOB = """\
apiVersion: graphcore.ai/v1alpha1
kind: IPUJob
metadata:
  generateName: bert-
  labels: {team: lab}
spec:
  jobInstances: 1
  modelReplicasPerWorker: "16"
  ipusPerJobInstance: "64"
  workers:
    template:
      spec:
        containers:
        - name: bert
          image: lab/bert
          command: [/bin/bash, -c, --]
          args:
            - |
              cd;
              poprun --num-replicas 16 --ipus-per-replica 4 python3 train.py
          resources: {limits: {cpu: 32, memory: 200Gi}}
          securityContext: {capabilities: {add: [IPC_LOCK]}}
          volumeMounts: [{mountPath: /dev/shm, name: devshm}]
        restartPolicy: Never
        hostIPC: true
        volumes: [{name: devshm, emptyDir: {medium: Memory, sizeLimit: 10Gi}}]
"""


LAUNCHED = """\
apiVersion: graphcore.ai/v1alpha1
kind: IPUJob
metadata:
  name: train
spec:
  jobInstances: 1
  ipusPerJobInstance: "8"
  modelReplicasPerWorker: "4"
  launcher:
    command: [poprun, --num-replicas, "8", --num-instances, "2", digits]
  workers:
    replicas: 2
    template:
      spec:
        containers:
        - name: train
          image: lab/train
        restartPolicy: Never
"""


def validator():
    """The tool that compares resources with the OpenAPI schemas of Kubernetes; None where it is not installed."""
    try:
        import kubernetes_validate
    except ImportError:
        return None
    return kubernetes_validate


def written(text, *words):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "job.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return run("copse", "ipujob", path, *words)


def resources(text):
    done = written(text, "--json")
    if done.returncode:
        raise AssertionError(done.stderr)
    found = json.loads(done.stdout)
    assert (found["kind"], found["apiVersion"]) == ("List", "v1")
    return found["items"]


class IpuJobs(unittest.TestCase):
    def refused(self, text, job):
        done = written(job)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(text, done.stderr)

    def test_become_jobs_whose_programs_find_their_ipus(self):
        [job] = resources(JOB)
        self.assertEqual((job["kind"], job["apiVersion"]), ("Job", "batch/v1"))
        self.assertEqual(job["metadata"]["generateName"], "bert-")
        self.assertEqual(job["metadata"]["labels"], {"team": "lab", "graphcore.ai/ipujob": "bert", "graphcore.ai/ipujob-instance": "0"})
        pod = job["spec"]["template"]["spec"]
        self.assertEqual(pod["containers"][0]["env"], [{"name": "COPSE_IPUS", "value": "64"}])
        self.assertEqual(pod["containers"][0]["args"], ["cd;\npoprun --num-replicas 16 --ipus-per-replica 4 python3 train.py\n"])
        self.assertEqual((pod["restartPolicy"], pod["hostIPC"], pod["volumes"][0]["name"]), ("Never", True, "devshm"))

    def test_of_several_instances_become_a_job_each_and_a_service_of_their_ports(self):
        text = JOB.replace("generateName: bert-", "name: serve").replace("jobInstances: 1", "jobInstances: 3") \
            .replace("          image", "          ports: [{containerPort: 8000, name: http}]\n          image")
        *jobs, service = resources(text)
        self.assertEqual([job["metadata"]["name"] for job in jobs], ["serve-0", "serve-1", "serve-2"])
        self.assertEqual(service["kind"], "Service")
        self.assertEqual(service["spec"], {"selector": {"graphcore.ai/ipujob": "serve"}, "ports": [{"name": "http", "port": 8000, "protocol": "TCP"}]})
        for job in jobs:
            self.assertEqual(job["spec"]["template"]["metadata"]["labels"]["graphcore.ai/ipujob"], "serve")

    def test_are_written_as_yaml_beside_what_else_the_file_has(self):
        text = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: data}\n---\n" + JOB
        done = written(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall("^kind: (.*)$", done.stdout, re.MULTILINE), ["ConfigMap", "Job"])
        self.assertEqual(written(done.stdout, "--json").stdout, written(text, "--json").stdout)

    def test_with_fields_that_would_be_lost_are_refused(self):
        for old, new, text in (("jobInstances: 1", "jobInstances: none", "jobInstances"), ('"64"', '"128"', "from 1 to 64"), ('"64"', '"3"', "power of 2"),
                               ('"16"', '"7"', "divided"), ("jobInstances: 1", "jobInstance: 1", "'jobInstance'"), ("v1alpha1", "v2", "v2"),
                               ("workers:", "worker:", "'worker'"), ("    template:", "    replicas: 2\n    template:", "spec.launcher"), ("Never", "Always", "Always"),
                               ("        containers:", "        container:", "no containers"), ("metadata:", "metadata: 3\nx:", "IPUJob"),
                               ("generateName: bert-", "generateName: " + "b" * 60, "50 characters"), ("apiVersion", "{", "no YAML")):
            with self.subTest(new):
                self.refused(text, JOB.replace(old, new, 1))
        self.refused("no resource", "just words")
        done = run("copse", "ipujob", "/no/such/file")
        self.assertEqual(done.returncode, 2)

    def test_with_a_launcher_become_a_job_whose_pods_know_one_another(self):
        service, files, keys, job = resources(LAUNCHED)
        self.assertEqual([(one["kind"], one["metadata"]["name"]) for one in (service, files, keys, job)],
                         [("Service", "train-pods"), ("ConfigMap", "train-files"), ("Secret", "train-keys"), ("Job", "train")])
        self.assertEqual((service["spec"]["clusterIP"], service["spec"]["selector"]), ("None", {"batch.kubernetes.io/job-name": "train"}))
        self.assertEqual(files["data"]["hosts"], "train-0.train-pods slots=4\ntrain-1.train-pods slots=4\n")
        cluster = json.loads(files["data"]["cluster.json"])
        self.assertEqual(len(cluster["ipus"]), 8)
        self.assertEqual(cluster["ipus"][5]["link"], "tcp://train-1.train-pods:7004")
        self.assertLessEqual({"ipu-7.key", "host.key", "public.json", "ssh-client", "ssh-server.pub"}, set(keys["stringData"]))
        spec = job["spec"]
        self.assertEqual((spec["completionMode"], spec["completions"], spec["parallelism"], spec["successPolicy"]),
                         ("Indexed", 2, 2, {"rules": [{"succeededIndexes": "0"}]}))
        pod = spec["template"]["spec"]
        self.assertEqual(pod["subdomain"], "train-pods")
        self.assertEqual(pod["containers"][0]["args"], ["poprun", "--num-replicas", "8", "--num-instances", "2", "digits"])
        self.assertEqual(pod["containers"][0]["env"], [{"name": "IPUJOB_IPUS", "value": "4"}])

    def test_with_a_launcher_of_several_instances_have_keys_and_names_of_their_own(self):
        found = resources(LAUNCHED.replace("name: train", "generateName: train-").replace("jobInstances: 1", "jobInstances: 2"))
        names = [one["metadata"]["name"] for one in found]
        self.assertEqual(len(set(names)), 8, names)
        first, second = (one["stringData"]["host.key"] for one in found if one["kind"] == "Secret")
        self.assertNotEqual(first, second)

    def test_with_a_launcher_that_cannot_work_are_refused(self):
        for old, new, text in (("replicas: 2", "replicas: 3", "divided"), ("command: [poprun", "template: {}\n    command: [poprun", "first worker"),
                               ("command: [poprun", "args: [3]\n    command: [poprun", "no list of words"), ("    command: [poprun", "    args: []\n    x: [poprun", "'x'"),
                               ("image: lab", "command: [sleep]\n          image: lab", "leave out one"),
                               ("        - name: train", "        - {name: other, image: x}\n        - name: train", "one container"),
                               ("Never", "OnFailure", "must be Never")):
            with self.subTest(new):
                self.refused(text, LAUNCHED.replace(old, new, 1))

    def test_fit_the_schemas_of_kubernetes(self):
        if not validator():
            self.skipTest("the package kubernetes-validate is not installed")
        named = JOB.replace("generateName: bert-", "name: bert")
        ports = named.replace("          image", "          ports: [{containerPort: 80}]\n          image")
        for one in resources(named) + resources(ports) + resources(LAUNCHED):
            validator().validate(one, validator().latest_version(), strict=True)


class Manifests(unittest.TestCase):
    def test_of_a_cluster_have_a_file_and_keys_for_every_ipu(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{BIN}:{os.environ['PATH']}"
            done = subprocess.run([str(KUBERNETES / "files.sh"), f"{folder}/lab", "--ipus", "8"], capture_output=True, text=True, timeout=60,
                                  check=False, env=environment(PATH=path))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines()[-1], f"kubectl apply -k {folder}/lab")
            with open(f"{folder}/lab/cluster.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["ipus"][7]["link"], "tcp://ipu-7.copse:7001")
            with open(f"{folder}/lab/kustomization.yaml", encoding="utf-8") as file:
                overlay = file.read()
            for name in os.listdir(f"{folder}/lab/keys"):
                self.assertIn(f"- keys/{name}\n", overlay)
            self.assertIn("count: 8", overlay)
            base = re.search(r'resources: \["(.*)"\]', overlay).group(1)
            self.assertTrue(os.path.samefile(os.path.join(f"{folder}/lab", base), KUBERNETES))
            for words in (["--ipus", "3"], ["--ipus", "66"], ["--topology", "ring"], ["--frob", "1"], ["--ipus"]):
                self.assertEqual(subprocess.run([str(KUBERNETES / "files.sh"), f"{folder}/lab", *words], capture_output=True, timeout=60,
                                                check=False, env=environment(PATH=path)).returncode, 2, words)

    def test_fit_the_schemas_of_kubernetes(self):
        if not validator():
            self.skipTest("the package kubernetes-validate is not installed")
        for file in sorted(KUBERNETES.glob("*.yaml")):
            done = run("copse", "ipujob", file, "--json")  # passes on what is no IPUJob
            self.assertEqual(done.returncode, 0, done.stderr)
            for one in json.loads(done.stdout)["items"]:
                if one["kind"] != "Kustomization":
                    validator().validate(one, validator().latest_version(), strict=True)


if __name__ == "__main__":
    launch_case.main(launch_case.require_yaml)
