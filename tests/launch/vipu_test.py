"""vipu, vipu-admin and vipu-server over a cluster of real ipuds, and programs that find their partition through the server."""
import contextlib
import io
import json
import os
import random
import socket
import subprocess
import threading
import time
import unittest
import unittest.mock

import launch_case
from launch_case import LocalCluster, Running, environment, run
from copse_launch import vipu_command
from copse_launch.errors import LaunchError
from copse_launch.vipu_client import VipuClient


class Server:
    """A vipu-server on a free port, over a cluster."""

    def __init__(self, cluster, *words):
        self.cluster, self.words = cluster, words
        self.start()

    def start(self, port=0):
        self.running = Running("vipu-server", "--cluster-file", self.cluster.file, "--port", port, "--health-interval", 1, "--state",
                               os.path.join(self.cluster.folder, "state.json"), *self.words)
        self.running.wait_for('"vipu-server"')
        ready = json.loads(self.running.out.splitlines()[-1])
        self.port = int(ready["vipu-server"].rsplit(":", 1)[1])
        self.client = VipuClient("localhost", self.port, 60)

    def kill_and_start(self):
        self.running.process.kill()
        self.running.__exit__()
        self.start(self.port)

    def vipu(self, *words, program="vipu", **variables):
        """What the command says; within this process, as starting Python takes longer than the command."""
        words = ["-H", "localhost", "--api-port", str(self.port), *map(str, words)]
        out, err = io.StringIO(), io.StringIO()
        with unittest.mock.patch.dict(os.environ, environment(**variables), clear=True), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(err):
            try:
                code = vipu_command.main(program == "vipu-admin", words)
            except SystemExit as error:
                code = error.code
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    def variables(self, partition, gcd=0):
        return {"IPUOF_VIPU_API_HOST": "localhost", "IPUOF_VIPU_API_PORT": str(self.port), "IPUOF_VIPU_API_PARTITION_ID": partition,
                "IPUOF_VIPU_API_GCD_ID": str(gcd), "IPUOF_VIPU_API_TIMEOUT": "60"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.running.__exit__()


class Case(unittest.TestCase):
    IPUS = 8
    CLUSTER = ()  # options of copse up
    WORDS = ()

    @classmethod
    def setUpClass(cls):
        cls.cluster = LocalCluster(cls.IPUS, *cls.CLUSTER)
        cls.addClassCleanup(cls.cluster.__exit__)
        cls.server = Server(cls.cluster, *cls.WORDS)
        cls.addClassCleanup(cls.server.__exit__)

    def tearDown(self):
        for one in self.server.client.ask("GET", "partitions")["partitions"] if not self.WORDS else []:
            self.server.client.ask("DELETE", f"partitions/{one['name']}", force=1)

    def done(self, *words, **options):
        done = self.server.vipu(*words, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def refused(self, text, *words, **options):
        done = self.server.vipu(*words, **options)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(text, done.stderr)


class Partitions(Case):
    def test_are_created_listed_shown_and_removed(self):
        self.assertEqual(self.done("create", "partition", "p64", "--size", 4, "--num-gcds", 2, "--routing", "ringswnc"),
                         "create partition (p64): success.\n")
        self.assertEqual(self.done("list", "partitions"), """\
 Partition | Cluster | ILDs | GW Routing | ILD Routing | Size | GCDs | State
-------------------------------------------------------------------------------
 p64       | cluster | 1    | DEFAULT    | RINGSWNC    | 4    | 2    | ACTIVE
-------------------------------------------------------------------------------
""")
        self.assertIn(" GCD 1             | IPUs 2 3\n", self.done("get", "partition", "p64"))
        self.assertEqual(self.done("remove", "partition", "p64"), "remove partition (p64): success.\n")
        self.assertNotIn("p64", self.done("list", "partition"))
        self.refused("there is no partition p64", "get", "partition", "p64")

    def test_commands_are_programs(self):
        for program, words, text in (("vipu", ("list", "partitions"), "Partition |"), ("vipu-admin", ("--server-version",), "version: ")):
            done = run(program, "-H", "localhost", "--api-port", self.server.port, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(text, done.stdout)

    def test_have_no_ipu_in_common(self):
        for name, size in (("a", 1), ("b", 4), ("c", 2)):
            self.done("create", "partition", name, "--size", size)
        taken = [ipu for one in self.server.client.ask("GET", "partitions")["partitions"] for ipu in one["ipus"]]
        self.assertEqual(len(taken), len(set(taken)), taken)
        self.refused("no 8 neighbouring IPUs are free; the largest allocation has 1 free IPUs", "create", "partition", "d", "--size", 8)

    def test_that_make_no_sense_are_refused_and_change_nothing(self):
        self.done("create", "partition", "p", "--size", 2)
        before = self.done("list", "partitions")
        for words in (("p", "--size", 2), ("q", "--size", 3), ("q", "--size", 0), ("q", "--size", -1), ("q", "--size", 16), ("q/../p", "--size", 1),
                      ("q", "--size", 2, "--num-gcds", 4), ("q", "--size", 2, "--num-gcds", 2, "--reconfigurable"),
                      ("q", "--size", 2, "--reconfigurable", "--sync-type", "pod-native-default"), ("q", "--size", 1, "--allocation", "none"),
                      ("q", "--size", 1, "--cluster", "none"), ("q", "--size", 1, "--index", 99), ("q", "--size", 1, "--routing", "scenic")):
            with self.subTest(words):
                self.refused("failed", "create", "partition", *words)
        self.assertEqual(self.done("list", "partitions"), before)

    def test_a_hundred_are_made_and_removed(self):
        for number in range(100):
            self.server.client.ask("POST", "partitions", name=f"p{number}", size=1 << number % 4, gcds=1 << number % 2 if number % 4 else 1)
            self.server.client.ask("DELETE", f"partitions/p{number}")
        self.assertEqual(self.server.client.ask("GET", "partitions"), {"partitions": []})

    def test_outlive_the_server(self):
        self.done("create", "partition", "kept", "--size", 4, "--reconfigurable")
        before = self.server.client.partition("kept")
        self.server.kill_and_start()
        self.assertEqual(self.server.client.partition("kept"), before)

    def test_in_which_an_ipud_is_lost_are_in_error_and_its_ipu_is_given_to_nobody(self):
        self.done("create", "partition", "p", "--size", 2)
        os.kill(self.cluster.pid(1), 9)
        deadline = time.monotonic() + 60
        while self.server.client.partition("p")["state"] != "ERROR":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        self.done("remove", "partition", "p")
        self.refused("no 8 neighbouring", "create", "partition", "all", "--size", 8)
        run("copse", "up", "--ipus", self.IPUS, "--directory", self.cluster.directory)  # starts it again
        while self.server.vipu("create", "partition", "all", "--size", 8).returncode:
            self.assertLess(time.monotonic(), deadline + 60)
            time.sleep(0.2)


class Programs(Case):
    def devices(self, **variables):
        """Returns (number of the IPUs, first IPU) of each device."""
        done = run("copse", "devices", "--json", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [(one["ipus"], one["first_ipu"]) for one in json.loads(done.stdout)]

    def test_find_a_device_for_every_group_of_a_reconfigurable_partition(self):
        self.done("create", "partition", "other", "--size", 4)
        self.done("create", "partition", "p", "--size", 4, "--reconfigurable")
        self.assertEqual(self.devices(**self.server.variables("p")), [(1, 4), (1, 5), (1, 6), (1, 7), (2, 4), (2, 6), (4, 4)])

    def test_find_one_device_for_each_gcd_of_a_preconfigured_partition(self):
        self.done("create", "partition", "p", "--size", 8, "--num-gcds", 2)
        self.assertEqual(self.devices(**self.server.variables("p", 0)), [(4, 0)])
        self.assertEqual(self.devices(**self.server.variables("p", 1)), [(4, 4)])

    def test_see_the_partition_and_gcd_in_gc_monitor(self):
        self.done("create", "partition", "p", "--size", 8, "--num-gcds", 2)
        self.assertIn("Partition: p (gcd:1) [active] has 4 IPUs ", run("gc-monitor", **self.server.variables("p", 1)).stdout)

    def test_may_read_their_partition_from_a_file(self):
        self.done("create", "partition", "p", "--size", 2)
        path = os.path.join(self.cluster.folder, "p.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.done("get", "partition", "p", "--gcd", "0", "--ipuof-configs"))
        self.assertEqual(self.devices(IPUOF_CONFIG_PATH=path), [(2, 0)])

    def test_are_told_why_there_is_no_partition(self):
        for variables, text in ((self.server.variables("nix"), "there is no partition nix"), (self.server.variables("p/../x"), "names have letters"),
                                ({**self.server.variables("p"), "IPUOF_VIPU_API_PORT": "1"}, "is a vipu-server there?"),
                                ({**self.server.variables("p"), "IPUOF_VIPU_API_GCD_ID": "x"}, "IPUOF_VIPU_API_GCD_ID is 'x'"),
                                ({"IPUOF_CONFIG_PATH": "/no/such/file"}, "cannot be read")):
            done = run("copse", "devices", **variables)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr)

    def test_that_run_keep_their_partition_unless_it_is_taken_by_force(self):
        self.done("create", "partition", "p", "--size", 2)
        with Running("digits", "--replicas", "2", "--epochs", "10000", **self.server.variables("p")) as program:
            program.wait_for("epoch   1/")
            self.refused("is in use by", "remove", "partition", "p")
            self.done("remove", "partition", "p", "--force")
            self.assertEqual(program.wait(), 1)
        self.assertEqual(run("digits", "--replicas", "2", "--epochs", "1", COPSE_CLUSTER=self.cluster.file).returncode, 0)

    def test_that_run_lose_their_ipus_when_the_partition_is_reset(self):
        self.done("create", "partition", "p", "--size", 2)
        with Running("digits", "--replicas", "2", "--epochs", "10000", **self.server.variables("p")) as program:
            program.wait_for("epoch   1/")
            self.assertEqual(self.done("reset", "partition", "p"), "reset partition (p): success.\n")
            self.assertEqual(program.wait(), 1)
        self.assertEqual(run("digits", "--replicas", "2", "--epochs", "1", **self.server.variables("p")).returncode, 0)

    def test_are_started_by_poprun_in_a_partition_that_it_makes_and_removes(self):
        launch_case.require_mpi_backend()
        done = self.server_poprun("--vipu-partition", "job", "-v", "--num-replicas", "4", "--num-instances", "2", launch_case.BIN / "digits",
                                  "--epochs", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Creating partition job of 4 IPUs", done.stderr)
        self.assertIn('"instanceSize":"2"', done.stderr)
        self.assertEqual(self.server.client.partition("job"), None)

    def test_are_ended_with_a_poprun_that_is_killed_and_their_partition_is_removed(self):
        launch_case.require_mpi_backend()
        with Running("poprun", "--vipu-server-host", "localhost", "--vipu-server-port", self.server.port, "--vipu-partition", "job", "sh", "-c",
                     "echo begun; exec sleep 100") as job:
            job.wait_for("begun")
            self.assertIsNotNone(self.server.client.partition("job"))
            job.process.kill()
            deadline = time.monotonic() + 60
            while self.server.client.partition("job"):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)

    def test_of_several_instances_have_devices_of_their_own_in_a_reconfigurable_partition(self):
        launch_case.require_mpi_backend()
        self.done("create", "partition", "p", "--size", 8, "--reconfigurable")
        for replicas, devices in ((4, (8, 9)), (8, (12, 13))):
            done = self.server_poprun("--vipu-partition", "p", "--num-replicas", replicas, "--num-instances", "2",
                                      launch_case.BIN / "popdist_program", "device")
            self.assertEqual(sorted(done.stdout.splitlines()), [f"[1,{i}]<stdout>:device {id}" for i, id in enumerate(devices)], done.stderr)

    def test_are_started_by_poprun_in_a_partition_that_is_there(self):
        launch_case.require_mpi_backend()
        self.done("create", "partition", "there", "--size", 4, "--reconfigurable")
        words = ["--num-replicas", "4", "--num-instances", "2", launch_case.BIN / "digits", "--epochs", "1"]
        done = self.server_poprun("--vipu-partition", "there", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNotNone(self.server.client.partition("there"))
        small = self.server_poprun("--vipu-partition", "there", "--num-replicas", "8", "true")
        self.assertEqual(small.returncode, 1)
        self.assertIn("--update-partition", small.stderr)
        self.assertEqual(self.server_poprun("--vipu-partition", "there", "--update-partition", "yes", "--num-replicas", "8", "true").returncode, 0)

    def server_poprun(self, *words):
        return run("poprun", "--vipu-server-host", "localhost", "--vipu-server-port", self.server.port, *words)


class Keys(Case):
    IPUS = 2
    CLUSTER = ("--transport", "tcp")  # with keys

    def test_of_the_cluster_serve_the_instances_in_a_partition(self):
        launch_case.require_mpi_backend()
        done = run("poprun", "--vipu-server-host", "localhost", "--vipu-server-port", self.server.port, "--num-replicas", "2", "--num-instances",
                   "2", launch_case.BIN / "digits", "--epochs", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("weights", done.stdout)


class Users(Case):
    WORDS = ("--secure",)

    def test_see_and_change_what_is_in_their_allocations_only(self):
        key = self.server.running.out.split("Access key is '")[1].split("'")[0]
        admin = {"program": "vipu-admin", "VIPU_CLI_API_USER_ID": "admin", "VIPU_CLI_API_ACCESS_KEY": key}
        folder = os.getcwd()
        os.chdir(self.cluster.folder)  # create user writes files
        self.addCleanup(os.chdir, folder)
        self.assertIn("success", self.done("create", "allocation", "left", "--cluster", "cluster", "--agents", "ag0", **admin))
        self.done("create", "allocation", "right", "--cluster", "cluster", "--agents", "ag1", **admin)
        for user, allocation in (("alice", "left"), ("bob", "right")):
            self.assertRegex(self.done("create", "user", user, "--allocations", allocation, **admin),
                             r"create user \(\w+\): success. Access key is '[\w-]+'.\nvipu configuration file")
            self.assertEqual(os.stat(f"{user}.vipu-cli.hcl").st_mode & 0o077, 0)
        alice, bob = ("--config", "alice.vipu-cli.hcl"), ("--config", "bob.vipu-cli.hcl")
        self.assertIn("ag0", self.done("list", "allocations", *alice))
        self.assertNotIn("ag1", self.done("list", "allocations", *alice))
        self.done("create", "partition", "hers", "--size", 4, *alice)
        self.assertNotIn("hers", self.done("list", "partitions", *bob))
        for words in (("get", "partition", "hers"), ("remove", "partition", "hers"), ("reset", "partition", "hers")):
            self.refused("there is no partition hers", *words, *bob)
        self.refused("there is no allocation left", "create", "partition", "his", "--size", 1, "--allocation", "left", *bob)
        self.refused("this is for administrators", "create", "user", "mallory", *bob, program="vipu-admin")
        self.refused("wrong", "list", "partitions", "--api-user-id", "alice", "--api-access-key", "guess")
        self.refused("wrong", "list", "partitions")
        self.assertIn("wrong", run("copse", "devices", **self.server.variables("hers")).stderr)
        self.assertIn("hers", self.done("list", "partitions", *alice))
        self.refused("is used by partition hers", "remove", "allocation", "left", **admin)


class Strangers(Case):
    """Whatever arrives, the server answers others, and what it knows stays."""

    def setUp(self):
        self.server.client.ask("POST", "partitions", name="p", size=2)
        self.before = self.server.client.ask("GET", "partitions")

    def send(self, text):
        with socket.create_connection(("localhost", self.server.port), timeout=60) as connection:
            with contextlib.suppress(OSError):  # the server may refuse a request before all of it is there
                connection.sendall(text)
                connection.shutdown(socket.SHUT_WR)
            reply = b""
            while True:
                try:
                    part = connection.recv(4096)
                except OSError:
                    return reply
                if not part:
                    return reply
                reply += part

    def check(self):
        self.assertIsNone(self.server.running.process.poll(), self.server.running.err)
        self.assertEqual(self.server.client.ask("GET", "partitions"), self.before)
        self.assertNotIn("Traceback", self.server.running.err)

    def test_requests_that_make_no_sense_are_answered_and_change_nothing(self):
        def post(path, body):
            return b"POST /v1/%s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body)
        for text in (b"", b"\0" * 1000, b"GET\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n", b"DELETE /v1/partitions/ HTTP/1.0\r\n\r\n", b"FROB / HTTP/1.0\r\n\r\n",
                     b"GET /v1/partitions/" + b"a" * 100000 + b" HTTP/1.0\r\n\r\n", b"GET /v1/partitions/%00%ff HTTP/1.0\r\n\r\n",
                     b"GET /v1/partitions/p/config?gcd=-1 HTTP/1.0\r\n\r\n", b"GET /v1/partitions/p/config?gcd=" + b"9" * 400 + b" HTTP/1.0\r\n\r\n",
                     b"GET /v1/../../etc/passwd HTTP/1.0\r\n\r\n", b"POST /v1/partitions HTTP/1.0\r\nContent-Length: -5\r\n\r\n",
                     b"POST /v1/partitions HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n", b"POST /v1/partitions HTTP/1.0\r\nContent-Length: 900\r\n\r\n{",
                     post(b"partitions", b"[]"), post(b"partitions", b"{"), post(b"partitions", b"\xff\xfe"), post(b"partitions", b"[" * 60000),
                     post(b"partitions", b'{"name": ["p"], "size": 1}'), post(b"partitions", b'{"name": "q", "size": 1e99}'),
                     post(b"partitions", b'{"name": "q", "size": true}'), post(b"partitions", b'{"name": "q", "size": 1, "self": 1}'),
                     post(b"partitions", b'{"name": "q", "size": 1, "allocation": {}}'), post(b"partitions", b'{"name": "q", "size": 1, "gcds": null, "index": []}'),
                     post(b"partitions", b'{"name": "q", "size": 1, "routing": 3}'), post(b"users", b'{"user": {}}'), post(b"clusters", b'{"name": "c", "agents": [[]]}'),
                     post(b"agents", b'{"name": "a", "host": [], "port": "x"}'), post(b"allocations", b'{"name": "a", "cluster": 3}')):
            with self.subTest(text[:60]):
                reply = self.send(text)
                self.assertNotIn(b" 200 ", reply.split(b"\r\n")[0])
                self.check()

    def test_random_bytes_are_survived(self):
        random.seed(51)
        whole = b"POST /v1/partitions HTTP/1.0\r\nContent-Length: 24\r\n\r\n{\"name\": \"q\", \"size\": 16}"
        for _ in range(300):
            text = bytearray(whole)
            for _ in range(random.randrange(1, 12)):
                text[random.randrange(len(text))] = random.randrange(256)
            self.send(bytes(text[:random.randrange(len(text) + 1)]))
        self.check()

    def test_connections_that_say_nothing_keep_nobody_out(self):
        idle = [socket.create_connection(("localhost", self.server.port), timeout=60) for _ in range(200)]
        try:
            deadline = time.monotonic() + 60
            while True:  # the server hangs up on them after some seconds
                try:
                    self.check()
                    break
                except (OSError, LaunchError):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.5)
        finally:
            for one in idle:
                one.close()

    def test_requests_at_once_take_effect_one_after_another(self):
        names = []

        def create(number):
            client = VipuClient("localhost", self.server.port, 60)
            try:
                client.ask("POST", "partitions", name=f"t{number}", size=1)
                names.append(number)
            except LaunchError:
                pass
        threads = [threading.Thread(target=create, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(names), 6)  # the other two of eight IPUs are p's
        taken = [ipu for one in self.server.client.ask("GET", "partitions")["partitions"] for ipu in one["ipus"]]
        self.assertEqual(sorted(taken), list(range(8)))

    def test_a_state_that_is_none_is_not_overwritten(self):
        path = os.path.join(self.cluster.folder, "spoiled.json")
        for text in ("", "{", "[]", '{"version": 99}'):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = run("vipu-server", "--cluster-file", self.cluster.file, "--state", path, "--port", "0")
            self.assertEqual(done.returncode, 2)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

    def test_a_server_that_cannot_begin_says_why(self):
        spoiled = os.path.join(self.cluster.folder, "words")
        with open(spoiled, "w", encoding="utf-8") as file:
            file.write("words")
        for words, text in ((("--cluster-file", "/no/such/file"), "/no/such/file: No such file"), (("--cluster-file", spoiled), "words: this is no JSON"),
                            (("--cluster-file", self.cluster.file, "--port", "99999"), "--port is 0 to 65535"), ((), "set COPSE_CLUSTER"),
                            (("--cluster-file", self.cluster.file, "--state", "/no/such/state"), "/no/such/"),
                            (("--cluster-file", self.cluster.file, "--state", os.path.join(self.cluster.folder, "s"), "--port", self.server.port),
                             f"127.0.0.1:{self.server.port}: Address already in use")):
            with self.subTest(words):
                done = run("vipu-server", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_beyond_this_machine_it_listens_with_users_only(self):
        done = run("vipu-server", "--cluster-file", self.cluster.file, "--bind", "0.0.0.0", "--port", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--secure", done.stderr)


if __name__ == "__main__":
    launch_case.main()
