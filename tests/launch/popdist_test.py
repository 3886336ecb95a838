"""PopDist in C++ and Python, by instances that poprun has started."""
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import launch_case
from launch_case import BIN, BUILD, LONG, LocalCluster, environment, run

FOUR = ["--offline-mode", "yes", "--num-replicas", "8", "--num-instances", "4", "--ipus-per-replica", "2"]


def lines(done):
    """Returns the output of each instance."""
    found = {}
    for line in done.stdout.splitlines():
        match = re.fullmatch(r"\[1,(\d+)\]<stdout>:(.*)", line)
        found.setdefault(int(match.group(1)), []).append(match.group(2))
    return found


def program(*words, options=FOUR, **variables):
    return run("poprun", *options, BIN / "popdist_program", *words, **variables)


class Context(unittest.TestCase):
    def test_tells_an_instance_its_place(self):
        self.assertEqual(lines(program()), {i: [f"instance {i} of 4, replicas {2 * i} to {2 * i + 1} of 8, 2 IPUs each, local {i}"]
                                            for i in range(4)})

    def test_without_poprun_there_is_one_instance_of_one_replica(self):
        self.assertEqual(run("popdist_program").stdout, "instance 0 of 1, replicas 0 to 0 of 1, 1 IPUs each, local 0\n")

    def test_variables_that_make_no_sense_are_named(self):
        for name, value in (("POPDIST_NUM_LOCAL_REPLICAS", "two"), ("POPDIST_NUM_LOCAL_REPLICAS", "0"), ("POPDIST_NUM_TOTAL_REPLICAS", "-1"),
                            ("POPDIST_NUM_IPUS_PER_REPLICA", ""), ("POPDIST_REPLICA_INDEX_OFFSET", "99999999999")):
            done = run("popdist_program", **{name: value})
            self.assertEqual(done.returncode, 1)
            self.assertIn(name, done.stdout)
        done = run("popdist_program", POPDIST_NUM_TOTAL_REPLICAS="3", POPDIST_NUM_LOCAL_REPLICAS="2")
        self.assertIn("3 replicas are no multiple of the 2 of this instance", done.stdout)
        done = run("popdist_program", POPDIST_UNIFORM_REPLICAS_PER_INSTANCE="0")
        self.assertIn("different numbers of replicas", done.stdout)


class Devices(unittest.TestCase):
    def test_an_instance_has_the_device_of_its_replicas(self):
        with LocalCluster(8) as cluster:
            done = program("device", options=["--num-replicas", "4", "--num-instances", "2", "--ipus-per-replica", "2"],
                           COPSE_CLUSTER=cluster.file)
            self.assertEqual(lines(done), {i: ["device 6"] for i in range(2)}, done.stderr)  # of the 4 IPUs that it sees
            odd = program("device", options=["--num-replicas", "3", "--ipus-per-replica", "1"], COPSE_CLUSTER=cluster.file)
            self.assertIn("no device has the 3 IPUs", odd.stdout)


class Collectives(unittest.TestCase):
    def test_give_the_same_on_all_instances(self):
        done = program("collect")
        everywhere = ["sum 12.000000 -4.000000", "broadcast 20 7", "gathered 0 9 1 9 2 9 3 9", "large 6 6"]
        self.assertEqual(lines(done), {i: everywhere + (["odd 4"] if i % 2 else []) for i in range(4)}, done.stderr)

    def test_of_different_names_may_come_in_any_order(self):
        self.assertEqual(lines(program("any-order")), {i: ["sums " + " ".join(str(4 * n) for n in range(8))] for i in range(4)})

    def test_refuse_mistakes_and_calls_that_differ(self):
        done = program("mistakes")
        self.assertEqual(done.returncode, 0, done.stderr)
        for said in lines(done).values():
            for line, text in zip(said, ("no backend is registered", "/no/such/backend.so", "not initialized", "no sums", "unheard of", "nine",
                                         "with different arguments")):
                self.assertIn(text, line)
            self.assertEqual(len(said), 7)

    def test_name_an_instance_that_does_not_come(self):
        done = program("wait-in-vain", POPDIST_TIMEOUT="2")
        self.assertIn("from instance 3: no answer in time", lines(done)[0][0], done.stderr)


class Ends(unittest.TestCase):
    def test_an_instance_that_fails_does_not_wait_for_those_that_wait_for_it(self):
        done = program("fail", timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error: its own fault", lines(done)[1])
        self.assertIn("poprun: instance 1 on localhost ended with exit code 1", done.stderr)

    def test_an_instance_that_does_not_end_its_connections_is_named(self):
        done = program("finalize-in-vain", POPDIST_TIMEOUT="2")
        self.assertIn("finalizeBackend", lines(done)[0][0], done.stderr)
        self.assertIn("from instance 3: no answer in time", lines(done)[0][0])


class Python(unittest.TestCase):
    def python(self, text, options=FOUR, timeout=LONG, **variables):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(textwrap.dedent(text))
            command = ([str(BIN / "poprun"), *options] if options else []) + [sys.executable, path]
            return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False,
                                  env=environment(PYTHONPATH=f"{BUILD / 'lib/python3/dist-packages'}:{folder}", **variables))

    def test_tells_an_instance_its_place(self):
        done = self.python("""
            import popdist
            print(popdist.isPopdistEnvSet(), popdist.getNumTotalReplicas(), popdist.getNumLocalReplicas(), popdist.getNumInstances(),
                  popdist.getInstanceIndex(), popdist.getLocalInstanceIndex(), popdist.getReplicaIndexOffset(),
                  popdist.getNumIpusPerReplica(), popdist.checkNumIpusPerReplica(2), popdist.checkNumIpusPerReplica(1))""")
        self.assertEqual(lines(done), {i: [f"True 8 2 4 {i} {i} {2 * i} 2 True False"] for i in range(4)}, done.stderr)

    def test_executes_a_function_on_some_instances(self):
        done = self.python("""
            import popdist
            popdist.init()
            def work(factor):
                popdist.synchronize()  # of two instances: the others do not come
                return popdist.getInstanceIndex() * factor
            print(popdist.execute_on_instances({0, 2}, work, factor=10))
            popdist.finalizeBackend()""")
        self.assertEqual(lines(done), {0: ["0"], 1: ["None"], 2: ["20"], 3: ["None"]}, done.stderr)

    def test_one_that_fails_does_not_wait_for_the_others(self):
        done = self.python("""
            import popdist
            popdist.init()
            try:
                if popdist.getInstanceIndex() == 1:
                    raise ValueError("its own fault")
                popdist.synchronize()
            finally:
                popdist.finalizeBackend()""", timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("poprun: instance 1 on localhost ended with exit code 1", done.stderr)

    def test_errors_are_exceptions_with_the_reason(self):
        done = self.python("""
            import popdist
            try:
                popdist.getNumTotalReplicas()
            except popdist.PopdistError as error:
                print(error)""", options=None, POPDIST_NUM_TOTAL_REPLICAS="many")
        self.assertIn("POPDIST_NUM_TOTAL_REPLICAS is 'many'", done.stdout)

    def test_configures_a_session_of_popart(self):
        done = self.python("""
            import sys, types
            class Manager:
                def acquireDeviceById(self, id, connectionType):
                    return (id, connectionType)
            kinds = types.SimpleNamespace(Always="always", OnDemand="on demand")
            sys.modules["popart"] = types.SimpleNamespace(DeviceManager=Manager, DeviceConnectionType=kinds)
            import popdist, popdist.popart
            popdist.getDeviceId = lambda ipus=0: 40 + ipus
            options = popdist.popart.configureSessionOptions(types.SimpleNamespace())
            print(sorted(vars(options).items()), popdist.popart.getDevice(connectionType=kinds.OnDemand))""")
        for i, said in lines(done).items():
            self.assertEqual(said, [str([("enableDistributedReplicatedGraphs", True), ("enableReplicatedGraphs", True),
                                         ("globalReplicaOffset", 2 * i), ("globalReplicationFactor", 8), ("replicatedGraphCount", 2)]) +
                                    " (40, 'on demand')"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_configures_the_options_of_poptorch(self):
        done = self.python("""
            import sys, types
            class Options:
                def __init__(self):
                    self.seen = []
                    self.Distributed = types.SimpleNamespace(configureProcessId=lambda *a: self.seen.append(("process", *a)))
                def replicationFactor(self, n): self.seen.append(("replicas", n))
                def useIpuId(self, n): self.seen.append(("device", n))
            sys.modules["poptorch"] = types.SimpleNamespace(Options=Options)
            import popdist, popdist.poptorch
            popdist.getDeviceId = lambda ipus=0: ipus
            print(popdist.poptorch.Options(ipus_per_replica=2).seen)
            try:
                popdist.poptorch.Options(ipus_per_replica=4)
            except popdist.PopdistError as error:
                print(error)""")
        for i, said in lines(done).items():
            self.assertEqual(said[0], str([("replicas", 2), ("process", i, 4), ("device", 2)]))
            self.assertIn("--ipus-per-replica 4", said[1])
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    launch_case.main(launch_case.require_mpi_backend)
