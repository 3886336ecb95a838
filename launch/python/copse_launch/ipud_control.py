"""Requests of a V-IPU server to the ipuds: to name their holder, and to end its session."""
import json
import os
import subprocess
import tempfile

from .cluster_status import TIMEOUT, cluster_status
from .errors import LaunchError
from .tools import tool


class IpudControl:
    def __init__(self, cluster_file):
        self.cluster_file = cluster_file

    def status(self):
        return cluster_status(self.cluster_file)

    def reset(self, config):
        """Takes the IPUs of a partition from whatever program holds them, and clears them."""
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump({**config, "reconfigurable": False, "ipus": config["partitionIpus"]}, file)
            file.flush()
            environment = {name: value for name, value in os.environ.items() if not name.startswith(("IPUOF_", "COPSE_CLUSTER"))}
            try:
                done = subprocess.run([tool("gc-reset"), "--force", "--device-id", "0"], capture_output=True, text=True,
                                      timeout=TIMEOUT, env={**environment, "IPUOF_CONFIG_PATH": file.name}, check=False)
            except subprocess.TimeoutExpired:
                raise LaunchError("gc-reset does not end") from None
        if done.returncode:
            raise LaunchError(done.stderr.strip() or f"gc-reset: exit code {done.returncode}")
