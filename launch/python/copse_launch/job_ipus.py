"""Where the IPUs of a job come from: a partition of a V-IPU server, a cluster that is up, or one that is started for the job."""
import contextlib
import json
import os
import socket
import subprocess
import tempfile

from .cluster_status import cluster_status
from .errors import LaunchError
from .layout import IPUS_PER_LINK_DOMAIN, LOCAL
from .lifetime import TIMEOUT, afterwards
from .tools import tool
from .vipu_client import DEFAULT_PORT, VipuClient, VipuError, user_of_environment


@contextlib.contextmanager
def ipus_for(layout, options, log):
    """Returns a function of the instance that gives the environment variables that lead it to its IPUs."""
    if options.offline_mode:
        yield lambda instance: {}
        return
    client = _client(options, log)
    if client:
        with _partition(client, layout, options, log) as variables:
            yield variables
        return
    named = os.environ.get("COPSE_CLUSTER")
    if named:
        yield _blocks(named, layout, log)
        return
    with _own_cluster(layout, log) as file:
        yield lambda instance: {"COPSE_CLUSTER": file, "COPSE_CLUSTER_IPUS": _list(_own_ipus(layout, instance))}


def _client(options, log):
    """Returns the V-IPU server, if one is named, or if there is one where poprun looks by default."""
    host = options.vipu_server_host or os.environ.get("IPUOF_VIPU_API_HOST") or os.environ.get("VIPU_CLI_API_HOST")
    port = options.vipu_server_port or os.environ.get("IPUOF_VIPU_API_PORT") or DEFAULT_PORT
    timeout = options.vipu_server_timeout or float(os.environ.get("IPUOF_VIPU_API_TIMEOUT") or 120)
    asked = host or options.vipu_partition or options.vipu_allocation or options.vipu_cluster or \
        os.environ.get("IPUOF_VIPU_API_PARTITION_ID")
    if not asked:
        if os.environ.get("COPSE_CLUSTER"):
            return None
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", int(port))) != 0:
                return None
    client = VipuClient(host or "localhost", port, timeout, *user_of_environment())
    log.info(f"V-IPU server address: {client.address}")
    return client


@contextlib.contextmanager
def _partition(client, layout, options, log):
    name = options.vipu_partition or os.environ.get("IPUOF_VIPU_API_PARTITION_ID")
    if not name:
        there = client.ask("GET", "partitions")["partitions"]
        fitting = [one["name"] for one in there if _fits(one, layout)]
        if len(there) == 1 and fitting:
            name = fitting[0]
            log.info(f"Using V-IPU partition {name} as it is the only one available")
        else:
            name = f"poprun-{socket.gethostname().split('.')[0]}-{os.getpid()}"
    partition, created = _found_or_created(client, name, layout, options, log)
    with contextlib.ExitStack() as stack:
        if created and options.remove_partition:
            stack.enter_context(afterwards(tool("vipu"), "remove", "partition", name, "--force", "-H", client.host, "--api-port",
                                           str(client.port)))
            stack.callback(log.info, f"Removing partition {name}")
        reset = options.reset_partition
        if reset is None:
            reset = not partition["reconfigurable"] and not created
        if reset:
            log.info(f"Resetting partition {name}")
            client.ask("POST", f"partitions/{name}/reset")
        target = json.dumps({"ipuLinkDomainSize": str(min(layout.ipus, IPUS_PER_LINK_DOMAIN)),
                             "ipuLinkConfiguration": "slidingWindow" if partition["topology"] == "torus" else "default",
                             "ipuLinkTopology": partition["topology"], "gatewayMode": "true",
                             "instanceSize": str(layout.ipus_per_instance)}, separators=(",", ":"))
        log.debug(f"Target options from V-IPU partition: {target}")
        given = os.environ.get("POPLAR_TARGET_OPTIONS")
        multiple = partition["gcds"] > 1
        yield lambda instance: {
            "IPUOF_VIPU_API_HOST": client.host, "IPUOF_VIPU_API_PORT": str(client.port),
            "IPUOF_VIPU_API_PARTITION_ID": name, "IPUOF_VIPU_API_TIMEOUT": str(int(client.timeout)),
            "IPUOF_VIPU_API_GCD_ID": str(instance.index if multiple else 0),
            "POPLAR_TARGET_OPTIONS": given or target}


def _fits(partition, layout):
    gcds = len(layout.instances)
    return partition["state"] == "ACTIVE" and partition["size"] >= layout.ipus and \
        (partition["reconfigurable"] or partition["size"] == layout.ipus and partition["gcds"] == gcds)


def _found_or_created(client, name, layout, options, log):
    for attempt in range(max(1, options.vipu_partition_attempts)):
        partition = client.partition(name)
        if partition and _fits(partition, layout):
            log.info(f"Partition {name} already exists and is in state: PS_{partition['state']}")
            return partition, False
        if partition and not options.update_partition:
            raise LaunchError(f"partition {name} has {partition['size']} IPUs in {partition['gcds']} GCDs and is "
                              f"{partition['state']}; this job needs {layout.ipus} IPUs in {len(layout.instances)} GCDs: "
                              "give --update-partition yes, or another --vipu-partition")
        try:
            if partition:
                client.ask("DELETE", f"partitions/{name}")
            log.info(f"Creating partition {name} of {layout.ipus} IPUs")
            return client.ask("POST", "partitions", name=name, size=layout.ipus, gcds=len(layout.instances),
                              reconfigurable=False, cluster=options.vipu_cluster, allocation=options.vipu_allocation), True
        except VipuError as error:
            if attempt + 1 >= options.vipu_partition_attempts:
                raise
            log.warning(f"attempt {attempt + 1} to get partition {name}: {error}")
    raise AssertionError("the loop returns or raises")


def _list(ipus):
    return ",".join(map(str, ipus))


def _own_ipus(layout, instance):
    size = layout.ipus_per_instance
    return range(instance.index * size, (instance.index + 1) * size)


def _blocks(file, layout, log):
    """Returns, for each instance, neighbouring IPUs of the cluster that no program holds."""
    status = cluster_status(file)
    free = {ipu for ipu, one in status.items() if one.answers and not one.holder}
    size = layout.ipus_per_instance
    blocks = [range(first, first + size) for first in range(0, len(status) - size + 1, size)
              if free.issuperset(range(first, first + size))]
    if len(blocks) < len(layout.instances):
        raise LaunchError(f"{len(layout.instances)} instances need {size} neighbouring free IPUs each, but {file} has "
                          f"{len(free)} free IPUs of {len(status)}; copse status says who holds the others")
    log.debug(f"IPUs of the instances: {'; '.join(_list(block) for block in blocks[:len(layout.instances)])}")
    return lambda instance: {"COPSE_CLUSTER": os.path.abspath(file), "COPSE_CLUSTER_IPUS": _list(blocks[instance.index])}


@contextlib.contextmanager
def _own_cluster(layout, log):
    if not set(layout.hosts) <= LOCAL:
        raise LaunchError("instances on other hosts need a cluster that all hosts reach: set COPSE_CLUSTER to its file "
                          "(docs/cluster.md), or name a V-IPU server with --vipu-server-host")
    if layout.ipus > IPUS_PER_LINK_DOMAIN:
        raise LaunchError(f"the job needs {layout.ipus} IPUs; a machine emulates at most {IPUS_PER_LINK_DOMAIN}")
    directory = tempfile.mkdtemp(prefix="poprun-", dir=os.environ.get("XDG_RUNTIME_DIR") or None)
    with afterwards("sh", "-c", '"$1" down --directory "$2"; rm -rf "$2"', "sh", tool("copse"), directory):
        count = layout.ipus if layout.ipus == 1 else layout.ipus + layout.ipus % 2
        log.info(f"Starting {count} IPUs on this machine; copse down --directory {directory} ends them")
        _run(tool("copse"), "up", "--ipus", str(count), "--topology", "torus", "--directory", directory)
        yield os.path.join(directory, "cluster.json")


def _run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        raise LaunchError(done.stderr.strip() or f"{' '.join(command)}: exit code {done.returncode}")
