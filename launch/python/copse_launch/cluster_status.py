"""Finds the holders of a cluster's IPUs, by copse status."""
import dataclasses
import json
import subprocess

from .errors import LaunchError
from .tools import tool

TIMEOUT = 20  # [s]


@dataclasses.dataclass(frozen=True)
class IpuStatus:
    answers: bool
    holder: str  # empty: it is free


def cluster_status(file):
    """Returns the status of each IPU by its number."""
    try:
        done = subprocess.run([tool("copse"), "status", "--json", "--cluster", file], capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        return {ipu["ipu"]: IpuStatus(ipu["state"] != "silent", ipu["holder"]) for ipu in json.loads(done.stdout)["ipus"]}
    except subprocess.TimeoutExpired:
        raise LaunchError(f"copse status --cluster {file} does not end") from None
    except (ValueError, KeyError, TypeError):
        raise LaunchError(done.stderr.strip() or f"copse status --cluster {file} says nothing") from None
