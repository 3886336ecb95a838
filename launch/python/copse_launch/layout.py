"""How the replicas of a job lie on instances, hosts and IPU-Link domains."""
import dataclasses
import socket

from .errors import UsageError

IPUS_PER_LINK_DOMAIN = 64
LOCAL = {"localhost", "127.0.0.1", socket.gethostname()}  # names of this host


@dataclasses.dataclass(frozen=True)
class Instance:
    index: int
    host: str
    local_index: int  # among the instances of its host
    ild: int  # its IPU-Link domain
    first_replica: int
    replicas: int


@dataclasses.dataclass(frozen=True)
class Layout:
    """Replicas are divided evenly among instances, instances among hosts and IPU-Link domains, all in order."""
    hosts: tuple
    instances: tuple
    replicas: int
    ipus_per_replica: int
    ilds: int

    @property
    def ipus(self):
        return self.replicas * self.ipus_per_replica

    @property
    def ipus_per_instance(self):
        return self.ipus // len(self.instances)


def lay_out(replicas, ipus_per_replica, instances, hosts, ilds=1):
    for name, value in (("replicas", replicas), ("ipus-per-replica", ipus_per_replica), ("instances", instances),
                        ("ilds", ilds)):
        if value < 1:
            raise UsageError(f"--{'ipus-per-replica' if name.startswith('ipus') else 'num-' + name} is {value}; "
                             "it must be at least 1")
    if replicas % instances:
        raise UsageError(f"--num-replicas {replicas} cannot be divided evenly among --num-instances {instances}")
    if instances % len(hosts):
        raise UsageError(f"--num-instances {instances} cannot be divided evenly among {len(hosts)} hosts")
    if instances % ilds:
        raise UsageError(f"--num-instances {instances} cannot be divided evenly among --num-ilds {ilds}; each IPU-Link "
                         "domain needs at least one instance")
    share, per_host, per_ild = replicas // instances, instances // len(hosts), instances // ilds
    return Layout(tuple(hosts), tuple(Instance(i, hosts[i // per_host], i % per_host, i // per_ild, i * share, share)
                                      for i in range(instances)), replicas, ipus_per_replica, ilds)


def topology_box(layout):
    """Returns the picture that --print-topology shows: a row each for hosts, ILDs, instances and replicas."""
    count = len(layout.instances)
    rows = [("hosts", list(layout.hosts)), ("ILDs", list(range(layout.ilds))), ("instances", list(range(count))),
            ("replicas", list(range(layout.replicas)))]
    # A cell is as wide as its label and as the cells below it; a cell of n others has n - 1 bars,
    # too.
    unit = len(str(layout.replicas - 1)) + 2
    while True:
        width = (unit + 1) * layout.replicas - 1
        widths = [(width + 1) // len(cells) - 1 for _, cells in rows]
        if all(len(str(cell)) + 2 <= w for (_, cells), w in zip(rows, widths) for cell in cells) and width >= 4:
            break
        unit += 1
    inner = 11 + 1 + width
    lines = [" " + "=" * inner, "|" + "poprun topology".center(inner) + "|", "|" + "=" * inner + "|"]
    for (name, cells), w in zip(rows, widths):
        if name == "replicas":  # numbers stand on the left where they have room, as in a table
            digits = len(str(layout.replicas - 1))
            cells = [str(cell).ljust(digits) for cell in cells]
        lines.append(f"| {name:<9} |" + "|".join(_centred(str(cell), w) for cell in cells) + "|")
        lines.append("|" + "-" * 11 + "|" + "-" * width + "|")
    lines[-1] = " " + "-" * inner
    return "\n".join(lines)


def _centred(text, width):
    left = (width - len(text)) // 2
    return " " * left + text + " " * (width - len(text) - left)
