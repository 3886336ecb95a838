"""vipu and vipu-admin: the commands. VERB OBJECT [NAME] [options], and options anywhere."""
import argparse
import json
import os
import sys
import urllib.parse

from . import vipu_config
from .errors import LaunchError, UsageError
from .tables import table
from .vipu_client import API

EXAMPLES = """\
Examples:
  %(prog)s create partition NAME --size N [--reconfigurable] [--num-gcds G]
  %(prog)s list partitions, allocations, agents, ipu-attrs
  %(prog)s get partition NAME [--gcd N --ipuof-configs]
  %(prog)s reset partition NAME
  %(prog)s remove partition NAME [--force]
"""
ADMIN_EXAMPLES = """\
  %(prog)s create agent NAME --host HOST
  %(prog)s create cluster NAME --agents A,B
  %(prog)s create allocation NAME --cluster CLUSTER [--agents A,B] [--users U,V]
  %(prog)s create user NAME [--allocations A,B] [--admin]
  %(prog)s list clusters, users
  %(prog)s remove agent, cluster, allocation, user NAME
"""
ENVIRONMENT = """
Each command lists its options by --help: %(prog)s create partition --help.
Variables VIPU_CLI_API_HOST, _API_PORT, _API_USER_ID, _API_ACCESS_KEY and _TIMEOUT,
or ~/.vipu-cli.hcl, stand for the options. docs/launching.md describes partitions.
"""
CLOCK_MHZ = 1330  # clock of an IPU-M2000's IPUs


def parser(program, is_admin):
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    vipu_config.add_options(common)
    p = argparse.ArgumentParser(prog=program, allow_abbrev=False, parents=[common],
                                description="Manages the partitions" + (", users and clusters" if is_admin else "") +
                                            " of a V-IPU server.",
                                formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EXAMPLES + (ADMIN_EXAMPLES if is_admin else "") + ENVIRONMENT)
    p.add_argument("--server-version", action="store_true", help="print the version of the server")
    p.add_argument("--version", action="store_true", help="print the version of this command")
    verbs = p.add_subparsers(dest="verb", metavar="create|list|get|remove|reset")
    # Options that come after the verb must not be undone by the defaults of the verb's own parser.
    common_after = argparse.ArgumentParser(add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    vipu_config.add_options(common_after)
    for action in common_after._actions:
        action.default = argparse.SUPPRESS

    def objects(verb):
        return verbs.add_parser(verb, allow_abbrev=False).add_subparsers(
            dest="object", metavar="partition|agent|cluster|allocation|user" if is_admin and verb in ("create", "list", "remove") else
            "partition|allocation|agent|ipu-attr" if verb == "list" else "partition", required=True)

    def add(group, name, *positionals, aliases=()):
        one = group.add_parser(name, parents=[common_after], allow_abbrev=False, aliases=list(aliases))
        for positional in positionals:
            one.add_argument(positional, metavar="NAME")
        return one

    create, lists, get, remove, reset = (objects(verb) for verb in ("create", "list", "get", "remove", "reset"))
    one = add(create, "partition", "name")
    one.add_argument("--size", type=int, required=True, metavar="N", help="number of IPUs, a power of 2")
    one.add_argument("--reconfigurable", action="store_true", help="make a device of every group of IPUs")
    one.add_argument("--index", type=int, metavar="N", help="place of the partition: the N-th group of its size")
    one.add_argument("--sync-type", choices=["c2-compatible", "pod-native-default"])
    one.add_argument("--num-gcds", type=int, default=1, metavar="N", help="graph compilation domains (1)")
    one.add_argument("--gcd-sync-replicas", type=int, metavar="N")
    one.add_argument("--total-num-replicas", type=int, metavar="N")
    one.add_argument("--routing", default="default", metavar="NAME", help="ringswnc, ring, swnc or default")
    one.add_argument("--gw-routing", default="default", metavar="NAME", help="ring or default")
    one.add_argument("--cluster", metavar="NAME")
    one.add_argument("--allocation", metavar="NAME")
    for name in ("partition", "allocation", "agent", "ipu-attr"):
        add(lists, name, aliases=[name + "s"])
    one = add(get, "partition", "name")
    one.add_argument("--gcd", type=int, metavar="N", help="number of a GCD")
    one.add_argument("--ipuof-configs", "--ipu-configs", action="store_true", help="print what a Poplar program reads from $IPUOF_CONFIG_PATH")
    one.add_argument("--json", action="store_true", help="print JSON")
    one = add(remove, "partition", "name")
    one.add_argument("--force", action="store_true", help="take the IPUs from a program that uses them")
    add(reset, "partition", "name")
    if is_admin:
        _add_admin(add, create, lists, remove)
    return p


def _add_admin(add, create, lists, remove):
    one = add(create, "agent", "name")
    one.add_argument("--host", required=True)
    one.add_argument("--port", type=int)
    one = add(create, "cluster", "name")
    one.add_argument("--agents", required=True, metavar="A,B")
    one.add_argument("--num-ipulinkdomains", type=int, default=1, metavar="N")
    one.add_argument("--topology", choices=["mesh", "torus"], help="must be that of the cluster file")
    one.add_argument("--cluster-topology", choices=["looped", "line"], default="looped")
    one = add(create, "allocation", "name")
    one.add_argument("--cluster", required=True, metavar="NAME")
    one.add_argument("--agents", metavar="A,B", help="default: all of the cluster")
    one.add_argument("--users", metavar="A,B", help="who may use it")
    one = add(create, "user", "name")
    one.add_argument("--allocations", metavar="A,B", default="")
    one.add_argument("--admin", action="store_true", help="may do everything")
    for name in ("cluster", "user"):
        add(lists, name, aliases=[name + "s"])
    for name in ("agent", "cluster", "allocation", "user"):
        add(remove, name, "name")


def main(is_admin=False, arguments=None):
    program = "vipu-admin" if is_admin else "vipu"
    p = parser(program, is_admin)
    options = p.parse_args(sys.argv[1:] if arguments is None else arguments)
    try:
        return run(p, options, vipu_config.client(options))
    except UsageError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except LaunchError as error:
        subject = f"{options.verb} {options.object} ({options.name}): failed" if getattr(options, "name", None) else program
        print(f"{subject}: {error}", file=sys.stderr)
        return 1


def run(p, options, client):
    if options.version:
        print(f"version: {API}")
        return 0
    if options.server_version:
        answer = client.ask("GET", "version")
        print(f"version: {answer['version']}; host: {answer['host']}")
        return 0
    if not options.verb:
        p.print_usage(sys.stderr)
        return 2
    what = options.object.rstrip("s")
    act = globals().get(f"_{options.verb}_{what.replace('-', '_')}") or globals().get(f"_{options.verb}_object")
    return act(client, options, what)


def _path(*words):
    return "/".join(urllib.parse.quote(word, safe="") for word in words)


def _done(options, what, more=""):
    print(f"{options.verb} {what} ({options.name}): success.{more}")
    return 0


def _words(text):
    return [word for word in text.split(",") if word]


def _create_partition(client, options, what):
    client.ask("POST", "partitions", name=options.name, size=options.size, reconfigurable=options.reconfigurable,
               gcds=options.num_gcds, sync_type=options.sync_type, gcd_sync_replicas=options.gcd_sync_replicas,
               total_num_replicas=options.total_num_replicas, routing=options.routing, gw_routing=options.gw_routing,
               cluster=options.cluster, allocation=options.allocation, index=options.index)
    return _done(options, what)


def _list_partition(client, options, what):
    print(table(["Partition", "Cluster", "ILDs", "GW Routing", "ILD Routing", "Size", "GCDs", "State"],
                [[one["name"], one["cluster"], one["ilds"], one["gw_routing"], one["routing"], one["size"], one["gcds"], one["state"]]
                 for one in client.ask("GET", "partitions")["partitions"]]))
    return 0


def _get_partition(client, options, what):
    if options.ipuof_configs:
        config = client.ask("GET", _path("partitions", options.name, "config"), gcd=options.gcd or 0)
        print(json.dumps(config, indent=2))
        return 0
    one = client.ask("GET", _path("partitions", options.name))
    if options.json:
        print(json.dumps(one, indent=2))
        return 0
    share = one["size"] // one["gcds"]
    rows = [["Partition", one["name"]], ["Cluster", one["cluster"]], ["Allocation", one["allocation"]], ["State", one["state"]],
            ["Size", one["size"]], ["Reconfigurable", "Yes" if one["reconfigurable"] else "No"], ["Sync Type", one["sync_type"]],
            ["ILDs", one["ilds"]], ["ILD Topology", one["topology"]], ["ILD Routing", one["routing"]], ["GW Routing", one["gw_routing"]],
            ["GCDs", one["gcds"]], ["GCD Sync Replicas", one["gcd_sync_replicas"]], ["Total Replicas", one["total_num_replicas"]]]
    rows += [[f"GCD {gcd}", "IPUs " + " ".join(map(str, one["ipus"][gcd * share:(gcd + 1) * share]))]
             for gcd in range(one["gcds"]) if options.gcd in (None, gcd)]
    print(table(["Name", "Value"], rows, framed=True))
    return 0


def _remove_partition(client, options, what):
    client.ask("DELETE", _path("partitions", options.name), **({"force": 1} if options.force else {}))
    return _done(options, what)


def _reset_partition(client, options, what):
    client.ask("POST", _path("partitions", options.name, "reset"))
    return _done(options, what)


def _list_allocation(client, options, what):
    print(table(["Allocation ID", "Agents"], [[one["name"], " ".join(one["agents"])]
                                              for one in client.ask("GET", "allocations")["allocations"]], framed=True))
    return 0


def _list_agent(client, options, what):
    print(table(["Agent", "Host", "Port", "IPUs", "State"],
                [[one["name"], one["host"], one["port"], len(one["ipus"]), "ACTIVE" if one["reachable"] else "UNREACHABLE"]
                 for one in client.ask("GET", "agents")["agents"]], framed=True))
    return 0


def _list_ipu_attr(client, options, what):
    rows = []
    for agent in client.ask("GET", "agents")["agents"]:
        for number, ipu in enumerate(agent["ipus"]):
            for place, (name, value) in enumerate([("board ipu index", number), ("board serial number", "N/A"), ("board type", "M2000"),
                                                   ("clock", f"{CLOCK_MHZ}MHz"), ("ipu number", ipu)]):
                rows.append([agent["name"] if not number and not place else "", number if not place else "", name, value])
    print(table(["Agent", "IPU", "Attribute", "Value"], rows))
    return 0


def _list_cluster(client, options, what):
    print(table(["Cluster", "Agents", "ILDs", "Topology"],
                [[one["name"], " ".join(one["agents"]), one["ilds"], one["topology"]] for one in client.ask("GET", "clusters")["clusters"]],
                framed=True))
    return 0


def _list_user(client, options, what):
    print(table(["User", "Allocations", "Admin"], [[one["name"], " ".join(one["allocations"]), "Yes" if one["admin"] else "No"]
                                                   for one in client.ask("GET", "users")["users"]], framed=True))
    return 0


def _create_agent(client, options, what):
    client.ask("POST", "agents", name=options.name, host=options.host, port=options.port)
    return _done(options, what)


def _create_cluster(client, options, what):
    client.ask("POST", "clusters", name=options.name, agents=_words(options.agents), ilds=options.num_ipulinkdomains)
    return _done(options, what)


def _create_allocation(client, options, what):
    client.ask("POST", "allocations", name=options.name, cluster=options.cluster,
               agents=_words(options.agents) if options.agents else None, users=_words(options.users or ""))
    return _done(options, what)


def _create_user(client, options, what):
    answer = client.ask("POST", "users", user=options.name, allocations=_words(options.allocations), admin=options.admin)
    path = f"{options.name}.vipu-cli.hcl"
    with open(path, "w", encoding="utf-8", opener=_private) as file:
        file.write(f'api-host="{client.host}"\napi-port="{client.port}"\napi-user-id="{options.name}"\napi-access-key="{answer["key"]}"\n')
    _done(options, what, f" Access key is '{answer['key']}'.")
    print(f"vipu configuration file for the user '{options.name}' written: {path}\n"
          f"Use 'vipu --config {path}' to switch to the user context.")
    return 0


def _private(path, flags):
    return os.open(path, flags, 0o600)


def _remove_object(client, options, what):
    client.ask("DELETE", _path(what + "s", options.name))
    return _done(options, what)
