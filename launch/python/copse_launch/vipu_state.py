"""The state of a V-IPU server: agents, clusters, allocations, users and partitions, kept in one file.

The file is replaced whole after every change, so a server that is killed comes back with what it has confirmed. Checks come
first: a request that is refused changes nothing."""
import copy
import hashlib
import hmac
import json
import os
import re
import secrets
import tempfile

VERSION = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
IPUS_PER_AGENT = 4
MOST_OBJECTS = 4096
SYNC_TYPES = ("c2-compatible", "pod-native-default")
ROUTINGS = ("DEFAULT", "RING", "RINGSWNC", "SWNC")


class Refused(Exception):
    """A request that the server refuses. status is the one of HTTP: 400 for an invalid request, 403, 404, 409 for what is not possible now."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class State:
    def __init__(self, cluster_file, path):
        self.cluster_file, self.path = os.path.abspath(cluster_file), path
        self.description = _json_in(cluster_file)
        if not isinstance(self.description, dict) or not isinstance(self.description.get("ipus"), list) or not self.description["ipus"]:
            raise ValueError(f"{cluster_file} describes no cluster")
        if self.description.get("keys"):  # relative to the file, which programs do not see
            folder = os.path.dirname(self.cluster_file)
            self.description["keys"] = os.path.join(folder, self.description["keys"])
        self.data = self._read()
        if not self.data:
            self._commit(self._first())  # a folder that cannot be written is told of now

    # The state that the file keeps.

    def _first(self):
        name = os.path.splitext(os.path.basename(self.cluster_file))[0]
        name = name if NAME.fullmatch(name) else "cluster"
        agents = {f"ag{i}": agent for i, agent in enumerate(self._agents_of_file())}
        return {"version": VERSION, "ipus": len(self.description["ipus"]), "agents": agents,
                "clusters": {name: {"agents": list(agents), "ilds": 1}},
                "allocations": {name: {"cluster": name, "agents": list(agents)}}, "users": {}, "partitions": {}}

    def _agents_of_file(self):
        """Returns neighbouring IPUs of one host, four to an agent, as an IPU-Machine has them."""
        agents = []
        for number, ipu in enumerate(self.description["ipus"]):
            host = host_of(ipu.get("control", ""))
            last = agents[-1] if agents else None
            if last and last["host"] == host and len(last["ipus"]) < IPUS_PER_AGENT:
                last["ipus"].append(number)
            else:
                agents.append({"host": host, "port": port_of(ipu.get("control", "")), "ipus": [number]})
        return agents

    def _read(self):
        try:
            data = _json_in(self.path)
        except FileNotFoundError:
            return None
        kinds = ("agents", "clusters", "allocations", "users", "partitions")
        if not isinstance(data, dict) or data.get("version") != VERSION or \
                not all(isinstance(data.get(kind), dict) for kind in kinds):
            raise ValueError(f"{self.path} is no state of this version of vipu-server; move it away to begin anew")
        if data.get("ipus") != len(self.description["ipus"]):
            raise ValueError(f"{self.path} is of a cluster of {data.get('ipus')} IPUs, and {self.cluster_file} has "
                             f"{len(self.description['ipus'])}; move it away to begin anew")
        return data

    def _commit(self, changed):
        """Writes a change to the file before it is reported."""
        handle, draft = tempfile.mkstemp(prefix=".state-", dir=os.path.dirname(self.path))
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(changed, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except BaseException:
            os.unlink(draft)
            raise
        self.data = changed

    def _changed(self):
        return copy.deepcopy(self.data)

    # Users.

    def authenticate(self, user, key):
        """Returns the user of a key. Raises Refused without saying whether the user or the key is wrong."""
        there = self.data["users"].get(user)
        right = hmac.compare_digest(_digest(key), there["key"] if there else _digest(""))
        if not there or not right:
            raise Refused(403, "the user or the access key is wrong")
        return user

    def create_user(self, user, allocations=None, admin=False):
        """Returns the access key, which is stored as a hash only."""
        _check_name("user", user)
        if user in self.data["users"]:
            raise Refused(409, f"user {user} exists already")
        for allocation in allocations or []:
            self._require("allocations", allocation)
        key = secrets.token_urlsafe(18)
        changed = self._changed()
        changed["users"][user] = {"key": _digest(key), "allocations": list(allocations or []), "admin": bool(admin)}
        self._commit(changed)
        return key

    def is_admin(self, user):
        return user is None or self.data["users"].get(user, {}).get("admin", False)

    def may_use(self, user, allocation):
        return self.is_admin(user) or allocation in self.data["users"].get(user, {}).get("allocations", [])

    # Agents, clusters and allocations.

    def create_agent(self, name, host, port=None):
        _check_name("agent", name)
        if name in self.data["agents"]:
            raise Refused(409, f"agent {name} exists already")
        taken = {ipu for agent in self.data["agents"].values() for ipu in agent["ipus"]}
        found = [number for number, ipu in enumerate(self.description["ipus"])
                 if host_of(ipu.get("control", "")) == host and number not in taken]
        if port is not None:
            found = [number for number in found if port_of(self.description["ipus"][number]["control"]) >= port]
        if not found:
            raise Refused(404, f"the cluster file has no IPU at {host} that is no agent's yet")
        changed = self._changed()
        ipus = found[:IPUS_PER_AGENT]
        changed["agents"][name] = {"host": host, "port": port_of(self.description["ipus"][ipus[0]]["control"]), "ipus": ipus}
        self._commit(changed)

    def create_cluster(self, name, agents, ilds=1):
        _check_name("cluster", name)
        if name in self.data["clusters"]:
            raise Refused(409, f"cluster {name} exists already")
        self._check_agents(agents)
        for other, cluster in self.data["clusters"].items():
            both = sorted(set(agents) & set(cluster["agents"]))
            if both:
                raise Refused(409, f"agent {both[0]} is in cluster {other}")
        if not 1 <= ilds <= len(agents):
            raise Refused(400, f"a cluster of {len(agents)} agents has 1 to {len(agents)} IPU-Link domains")
        changed = self._changed()
        changed["clusters"][name] = {"agents": list(agents), "ilds": ilds}
        if name not in changed["allocations"]:
            changed["allocations"][name] = {"cluster": name, "agents": list(agents)}
        self._commit(changed)

    def create_allocation(self, name, cluster, agents=None, users=None):
        _check_name("allocation", name)
        if name in self.data["allocations"]:
            raise Refused(409, f"allocation {name} exists already")
        there = self._require("clusters", cluster)["agents"]
        agents = list(there if agents is None else agents)
        self._check_agents(agents)
        for agent in agents:
            if agent not in there:
                raise Refused(400, f"agent {agent} is not in cluster {cluster}")
        for user in users or []:
            self._require("users", user)
        changed = self._changed()
        changed["allocations"][name] = {"cluster": cluster, "agents": agents}
        for user in users or []:
            changed["users"][user]["allocations"].append(name)
        self._commit(changed)

    def remove(self, kind, name):
        """Removes an agent, cluster, allocation or user that nothing else needs."""
        self._require(kind, name)
        users = {"agents": lambda: [c for c, one in self.data["clusters"].items() if name in one["agents"]],
                 "clusters": lambda: [a for a, one in self.data["allocations"].items()
                                      if one["cluster"] == name and a != name] +
                 self._partitions_with("cluster", name),
                 "allocations": lambda: self._partitions_with("allocation", name),
                 "users": lambda: self._partitions_with("owner", name)}[kind]()
        if users:
            raise Refused(409, f"{kind[:-1]} {name} is used by {users[0]}")
        changed = self._changed()
        del changed[kind][name]
        if kind == "clusters":
            changed["allocations"].pop(name, None)
        for user in changed["users"].values():
            if kind == "allocations" and name in user["allocations"]:
                user["allocations"].remove(name)
        self._commit(changed)

    def _partitions_with(self, field, value):
        return [f"partition {name}" for name, one in self.data["partitions"].items() if one[field] == value]

    def visible_allocations(self, user):
        return {name: one for name, one in self.data["allocations"].items() if self.may_use(user, name)}

    # Partitions.

    def visible_partitions(self, user):
        return {name: one for name, one in self.data["partitions"].items() if self.may_use(user, one["allocation"])}

    def partition(self, name, user):
        """Returns a partition that the user may see. Other users get the error of an unknown name."""
        found = self.data["partitions"].get(name)
        if not found or not self.may_use(user, found["allocation"]):
            raise Refused(404, f"there is no partition {name}")
        return found

    def create_partition(self, name, size, user, bad, **options):
        partition = self._planned(name, size, user, set(bad), **options)
        changed = self._changed()
        changed["partitions"][name] = partition
        self._commit(changed)
        return partition

    def _planned(self, name, size, user, bad, gcds=1, reconfigurable=False, allocation=None, cluster=None, sync_type=None,
                 gcd_sync_replicas=None, total_num_replicas=None, routing="DEFAULT", gw_routing="DEFAULT", index=None):
        _check_name("partition", name)
        if name in self.data["partitions"]:
            raise Refused(409, f"partition {name} exists already, or the name is taken")
        if len(self.data["partitions"]) >= MOST_OBJECTS:
            raise Refused(409, f"there are {MOST_OBJECTS} partitions; remove some")
        for what, value in (("size", size), ("number of GCDs", gcds)):
            if value < 1 or value & (value - 1):
                raise Refused(400, f"the {what} of a partition must be a power of 2")
        if gcds > size:
            raise Refused(400, f"{size} IPUs cannot be {gcds} GCDs")
        if sync_type is None:
            sync_type = "c2-compatible" if reconfigurable else "pod-native-default"
        if sync_type not in SYNC_TYPES:
            raise Refused(400, f"the sync type is one of {', '.join(SYNC_TYPES)}")
        if reconfigurable and (sync_type != "c2-compatible" or gcds > 1):
            raise Refused(400, "a reconfigurable partition has one GCD and the sync type c2-compatible")
        replicas = gcds if gcd_sync_replicas is None else gcd_sync_replicas
        for value in (replicas, gcds if total_num_replicas is None else total_num_replicas):
            if not 1 <= value <= size:
                raise Refused(400, f"a partition of {size} IPUs has 1 to {size} replicas")
        for value in (routing, gw_routing):
            if value.upper().replace("-", "") not in ROUTINGS:
                raise Refused(400, f"'{value}' is no routing; there are {', '.join(word.lower() for word in ROUTINGS)}")
        where, ipus = self._place(size, user, allocation, cluster, bad, index)
        return {"allocation": where, "cluster": self.data["allocations"][where]["cluster"], "ipus": ipus, "size": size,
                "gcds": gcds, "reconfigurable": reconfigurable, "sync_type": sync_type, "gcd_sync_replicas": replicas,
                "total_num_replicas": total_num_replicas or gcds, "routing": routing.upper().replace("-", ""),
                "gw_routing": gw_routing.upper().replace("-", ""), "owner": user}

    def _place(self, size, user, allocation, cluster, bad, index):
        """Neighbouring IPUs of one allocation that are in no partition: the first place that is a multiple of the size, so that
        the IPUs are neighbours on the ladder, too."""
        candidates = self.visible_allocations(user)
        if allocation is not None:
            if allocation not in candidates:
                raise Refused(404, f"there is no allocation {allocation}")
            candidates = {allocation: candidates[allocation]}
        if cluster is not None:
            candidates = {name: one for name, one in candidates.items() if one["cluster"] == cluster}
            if not candidates:
                raise Refused(404, f"there is no allocation in cluster {cluster}")
        if not candidates:
            raise Refused(403, "you have no allocation; an administrator makes one with vipu-admin create allocation")
        taken = {ipu for one in self.data["partitions"].values() for ipu in one["ipus"]} | bad
        most = 0
        for name, one in sorted(candidates.items()):
            ipus = {ipu for agent in one["agents"] for ipu in self.data["agents"][agent]["ipus"]}
            free = ipus - taken
            most = max(most, len(free))
            for place, first in enumerate(range(0, len(self.description["ipus"]) - size + 1, size)):
                if free.issuperset(range(first, first + size)) and index in (None, place):
                    return name, list(range(first, first + size))
        raise Refused(409, f"no {size} neighbouring IPUs are free; the largest allocation has {most} free IPUs")

    def remove_partition(self, name, user):
        self.partition(name, user)
        changed = self._changed()
        del changed["partitions"][name]
        self._commit(changed)

    def gcd_ipus(self, partition, gcd):
        share = partition["size"] // partition["gcds"]
        return partition["ipus"][gcd * share:(gcd + 1) * share]

    def config(self, name, gcd, user):
        """Returns the file that a host program reads: its IPUs, the IPUs of the job, and where they are."""
        partition = self.partition(name, user)
        if not 0 <= gcd < partition["gcds"]:
            raise Refused(404, f"partition {name} has GCDs 0 to {partition['gcds'] - 1}")
        return {"partition": name, "gcd": gcd, "reconfigurable": partition["reconfigurable"],
                "ipus": self.gcd_ipus(partition, gcd), "partitionIpus": partition["ipus"], "cluster": self.description}

    # Helpers.

    def _require(self, kind, name):
        found = self.data[kind].get(name)
        if found is None:
            raise Refused(404, f"there is no {kind[:-1]} {name}")
        return found

    def _check_agents(self, agents):
        if not agents or len(set(agents)) != len(agents):
            raise Refused(400, "name agents, each once")
        for agent in agents:
            self._require("agents", agent)


def host_of(endpoint):
    """Returns "node-a" for "tcp://node-a:7100"; this machine for a path."""
    match = re.fullmatch(r"tcp://(.*):\d+", endpoint)
    return match.group(1).strip("[]") if match else "localhost"


def port_of(endpoint):
    match = re.fullmatch(r"tcp://.*:(\d+)", endpoint)
    return int(match.group(1)) if match else 0


def _json_in(path):
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as error:
            raise ValueError(f"{path}: this is no JSON: {error}") from None


def _digest(key):
    return hashlib.sha256(str(key).encode()).hexdigest()


def _check_name(what, name):
    if not NAME.fullmatch(name):
        raise Refused(400, f"the name of the {what} must have 1 to 64 letters, digits, '.', '_' and '-', and begin with a "
                           "letter or digit")
