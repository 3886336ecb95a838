"""Rules and console of deploy/monitoring, with the real Prometheus: monitoring_test.py IPUD DIGITS."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

SKIPPED = 77  # what ctest takes for "skipped"
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "deploy/monitoring"
IPUD, DIGITS = sys.argv[1:3] if len(sys.argv) > 2 else ("", "")
LONG = 120  # [s]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def promtool(*words):
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True, timeout=LONG, check=False)


class Rules(unittest.TestCase):
    def test_make_the_figures_and_alerts_that_they_are_for(self):
        done = promtool("test", "rules", SOURCE / "rules_test.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_are_those_of_the_configuration(self):
        done = promtool("check", "config", SOURCE / "prometheus.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_ask_for_metrics_that_exist(self):
        page = (SOURCE.parents[1] / "docs/metrics.md").read_text()
        asked = set(re.findall(r"copse_\w+", (SOURCE / "copse.rules.yml").read_text() + (SOURCE / "consoles/copse.html").read_text()))
        self.assertGreater(len(asked), 10)
        self.assertEqual({name for name in asked if f"`{name}`" not in page}, set())


class Console(unittest.TestCase):
    """A program trains on two of three IPUs."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="copse-monitoring-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.port, *ports = free_ports(5)
        ipus = [{"control": f"ipc://{cls.folder}/{i}.c", "link": f"shm://{cls.folder}/{i}.l", "sync": f"ipc://{cls.folder}/{i}.s",
                 "metrics": f"127.0.0.1:{port}"} for i, port in enumerate(ports)]
        (cls.folder / "cluster.json").write_text(json.dumps({"ipus": ipus}))
        text = (SOURCE / "prometheus.yml").read_text().replace("[node-a:9472, node-b:9472]", json.dumps([ipu["metrics"] for ipu in ipus]))
        text = re.sub(r"  - job_name: copse-rbufd.*", "", text, flags=re.S).replace("interval: 5s", "interval: 1s")
        (cls.folder / "prometheus.yml").write_text(text)
        shutil.copy(SOURCE / "copse.rules.yml", cls.folder)
        for number in range(len(ipus)):
            cls.start(IPUD, "--cluster", cls.folder / "cluster.json", "--ipu", number)
        cls.start("prometheus", f"--config.file={cls.folder}/prometheus.yml", f"--storage.tsdb.path={cls.folder}/data",
                  f"--web.console.templates={SOURCE}/consoles", f"--web.listen-address=127.0.0.1:{cls.port}")
        cls.start(DIGITS, "--replicas", 2, "--epochs", 10000)

    @classmethod
    def start(cls, *words):
        with open(cls.folder / "log", "ab") as log:
            process = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       env={**os.environ, "COPSE_CLUSTER": str(cls.folder / "cluster.json")})
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=LONG) as reply:
            return reply.read().decode()

    def ask(self, query):
        try:
            return json.loads(self.get("api/v1/query?" + urllib.parse.urlencode({"query": query})))["data"]["result"]
        except OSError:
            return []

    def await_(self, is_so, what):
        deadline = time.monotonic() + LONG
        while not is_so():
            self.assertLess(time.monotonic(), deadline, f"{what}\n{(self.folder / 'log').read_text(errors='replace')[-3000:]}")
            time.sleep(0.5)

    def test_counts_ipus_by_state_and_has_data_for_every_figure(self):
        def states():
            return {one["metric"]["state"]: one["value"][1] for one in self.ask("copse:ipus")}
        self.await_(lambda: states() == {"running": "2", "held": "0", "free": "2", "lost": "0"}, "the IPUs by state")
        page = self.get("consoles/copse.html")
        queries = re.findall(r'query: "([^"]+)"', page) + re.findall(r'^  \["[^"]+", "([^"]+)"|, \["[^"]+", "([^"]+)"', page, re.M)
        queries = [query if isinstance(query, str) else query[0] or query[1] for query in queries]
        self.assertGreater(len(queries), 14)
        for query in queries:
            self.await_(lambda query=query: self.ask(query), f"no data for {query}")

    def test_is_drawn_by_a_browser(self):
        if not shutil.which("chromium"):
            self.skipTest("chromium is not installed")
        self.await_(lambda: self.ask("copse:runs:rate1m"), "no figures yet")
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom",
                                f"--user-data-dir={self.folder}/browser", f"http://127.0.0.1:{self.port}/consoles/copse.html"],
                               capture_output=True, text=True, timeout=LONG, check=False).stdout
        self.assertRegex(shown, r'IPUs running</h2><div class="figure">[12]<')
        self.assertEqual(shown.count("<svg"), 9)
        self.assertEqual(len(re.findall(r"<td>digits \(pid \d+ on [^<]+\)</td>", shown)), 2, "the holder of both IPUs")
        self.assertEqual(len(re.findall(r"<tr>", shown)), 1 + 4, "a row for each IPU")
        self.assertIn('<span id="when">at ', shown, "the page has had an answer")


if __name__ == "__main__":
    for program in ("prometheus", "promtool"):
        if not shutil.which(program):
            print(f"skipped: {program} is not installed", flush=True)
            sys.exit(SKIPPED)
    result = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False, verbosity=2).result
    sys.exit(0 if result.wasSuccessful() else 1)
