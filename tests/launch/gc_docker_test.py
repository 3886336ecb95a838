"""gc-docker: the command line of Docker that it makes. tests/containers starts such a container."""
import shlex
import subprocess
import sys
import unittest

import launch_case
from launch_case import BIN, LocalCluster, environment, run


def echoed(*words, program="gc-docker", **variables):
    done = run(program, "--echo", *words, "--", "-ti", "lab/image", "gc-inventory", **variables)
    if done.returncode:
        raise AssertionError(done.stderr)
    return shlex.split(done.stdout)


class Commands(unittest.TestCase):
    def test_have_the_arguments_behind_those_that_lead_to_the_ipus(self):
        self.assertEqual(echoed(), ["docker", "run", "-ti", "lab/image", "gc-inventory"])
        self.assertEqual(echoed(program="gc-podman"), ["podman", "run", "-ti", "lab/image", "gc-inventory"])
        self.assertEqual(echoed(POPLAR_ENGINE_OPTIONS='{"a": "b"}')[2:4], ["--env", 'POPLAR_ENGINE_OPTIONS={"a": "b"}'])

    def test_of_a_device_name_its_ipus(self):
        self.assertEqual(echoed("--device-id", 6, COPSE_IPUS="4")[2:4], ["--env", "COPSE_IPUS=4"])
        self.assertEqual(echoed("-d", "4", COPSE_IPUS="4")[2:4], ["--env", "COPSE_IPUS=2"])
        with LocalCluster(4) as cluster:
            command = echoed("--device-id=1", "-d", "5", COPSE_CLUSTER=cluster.file)
        self.assertEqual(command[2:], ["--network=host", "--ipc=host", f"--volume={cluster.directory}:{cluster.directory}",
                                       "--env", f"COPSE_CLUSTER={cluster.file}", "--env", "COPSE_CLUSTER_IPUS=1,2,3", "-ti", "lab/image", "gc-inventory"])

    def test_lead_to_the_partition_that_the_environment_names(self):
        command = echoed(IPUOF_VIPU_API_HOST="pod", IPUOF_VIPU_API_PARTITION_ID="p")
        self.assertEqual(command[2:8], ["--network=host", "--ipc=host", "--env", "IPUOF_VIPU_API_HOST=pod", "--env", "IPUOF_VIPU_API_PARTITION_ID=p"])

    def test_that_make_no_sense_are_refused(self):
        for words, code, text in (((), 2, "behind '--'"), (("--echo", "--"), 2, "behind '--'"), (("--frob", "--", "x"), 2, "--frob"),
                                  (("-d", "x", "--", "x"), 2, "no id"), (("-d", "99", "-e", "--", "x"), 1, "no device 99")):
            done = run("gc-docker", *words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), words)
            self.assertIn(text, done.stderr)
        done = run("gc-docker", "-e", "-d", "0", "--", "x", IPUOF_VIPU_API_PARTITION_ID="p")
        self.assertEqual(done.returncode, 2)
        done = run("gc-docker", "-e", "--", "x", COPSE_CLUSTER="/no/such/file")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(run("gc-docker", "--help").returncode, 0)

    def test_without_docker_say_what_to_install(self):
        done = subprocess.run([sys.executable, str(BIN / "gc-docker"), "--", "image"], capture_output=True, text=True, timeout=60,
                              check=False, env=environment(PATH="/nowhere"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install docker.io", done.stderr)


if __name__ == "__main__":
    launch_case.main()
