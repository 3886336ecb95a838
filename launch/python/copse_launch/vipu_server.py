"""vipu-server: creates, lists, resets and removes partitions of a cluster of ipuds, on requests over HTTP.

Every request is read with limits on its size and time before anything is done. One lock covers the state, so requests take
effect one after another; code that waits for ipuds does not hold it."""
import argparse
import http.server
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import urllib.parse

from .errors import LaunchError
from .ipud_control import IpudControl
from .vipu_client import API
from .vipu_state import Refused, State

MAX_BODY = 64 * 1024
MAX_CONNECTIONS = 64
SILENCE = 5  # longest wait for more of a request [s]
WHOLE = 20  # longest time that a connection may take, but for the work that it asks for [s]

# The fields of what is created: those that it needs, then those that it may have.
FIELDS = {
    "partitions": ({"name": str, "size": int},
                   {"gcds": int, "reconfigurable": bool, "allocation": str, "cluster": str, "sync_type": str, "gcd_sync_replicas": int,
                    "total_num_replicas": int, "routing": str, "gw_routing": str, "index": int}),
    "agents": ({"name": str, "host": str}, {"port": int}),
    "clusters": ({"name": str, "agents": list}, {"ilds": int}),
    "allocations": ({"name": str, "cluster": str}, {"agents": list, "users": list}),
    "users": ({"user": str}, {"allocations": list, "admin": bool}),
}


def typed(kind, body):
    """Returns the fields of a request, all of them known and of their types. Null stands for a missing field."""
    needed, possible = FIELDS[kind]
    given = {name: value for name, value in body.items() if value is not None}
    for name in needed:
        if name not in given:
            raise Refused(400, f"{kind} need '{name}'")
    for name, value in given.items():
        wanted = needed.get(name) or possible.get(name)
        if wanted is None:
            raise Refused(400, f"{kind} have no '{name}'")
        if type(value) is not wanted or wanted is list and not all(isinstance(item, str) for item in value):
            raise Refused(400, f"'{name}' of {kind} is no {'list of names' if wanted is list else wanted.__name__}")
    return given


class Service:
    """The requests, without HTTP: each takes the user (None: all users are administrators) and fields, and returns JSON."""

    def __init__(self, state, ipuds, secure):
        self.state, self.ipuds, self.secure = state, ipuds, secure
        self.lock = threading.Lock()  # guards state, bad and unused
        self.bad = frozenset()
        self.unused = set()  # partitions whose IPUs no program can know of yet

    def watch(self):
        """Checks the ipuds once. An ipud that does not answer is not allocated, and its partition is in error."""
        status = self.ipuds.status()
        with self.lock:
            self.bad = frozenset(ipu for ipu, one in status.items() if not one.answers)

    def user(self, name, key):
        if not self.secure:
            return None
        with self.lock:
            return self.state.authenticate(name, key)

    def require_admin(self, user):
        if not self.state.is_admin(user):
            raise Refused(403, "this is for administrators")

    def version(self, user):
        return {"version": API, "host": socket.gethostname(), "secure": self.secure}

    def shown(self, name, one):
        state = "ERROR" if self.bad.intersection(one["ipus"]) else "ACTIVE"
        ilds = self.state.data["clusters"].get(one["cluster"], {}).get("ilds", 1)
        return {"name": name, **one, "state": state, "ilds": min(ilds, max(1, one["size"] // 64)),
                "topology": self.state.description.get("topology", "mesh")}

    def list_partitions(self, user):
        with self.lock:
            return {"partitions": [self.shown(*pair) for pair in sorted(self.state.visible_partitions(user).items())]}

    def get_partition(self, user, name):
        with self.lock:
            return self.shown(name, self.state.partition(name, user))

    def create_partition(self, user, body):
        fields = typed("partitions", body)
        with self.lock:
            created = self.state.create_partition(user=user, bad=self.bad, **fields)
            self.unused.add(fields["name"])
            return self.shown(fields["name"], created)

    def remove_partition(self, user, name, force=False):
        with self.lock:
            partition = self.state.partition(name, user)
            config = self.state.config(name, 0, user)
            unused = name in self.unused
        holders = [] if unused else self.holders(partition)
        if holders and not force:
            raise Refused(409, f"partition {name} is in use by {holders[0]}; end that program, or give --force")
        if holders:
            self.ipuds.reset(config)
        with self.lock:
            if self.state.data["partitions"].get(name) is not partition:  # it was changed meanwhile
                raise Refused(409, f"partition {name} has changed; ask again")
            if unused and name not in self.unused:  # a program has asked for it meanwhile
                raise Refused(409, f"partition {name} has changed; ask again")
            self.state.remove_partition(name, user)
            self.unused.discard(name)
        return {}

    def holders(self, partition):
        try:
            status = self.ipuds.status()
        except LaunchError:
            return []  # an ipud that does not answer has no holder to notify
        return sorted({status[ipu].holder for ipu in partition["ipus"] if ipu in status and status[ipu].holder})

    def reset_partition(self, user, name):
        with self.lock:
            config = self.state.config(name, 0, user)
        self.ipuds.reset(config)
        return {}

    def get_config(self, user, name, gcd=0):
        with self.lock:
            config = self.state.config(name, gcd, user)
            self.unused.discard(name)
            return config

    def list_allocations(self, user):
        with self.lock:
            return {"allocations": [{"name": name, **one} for name, one in sorted(self.state.visible_allocations(user).items())]}

    def list_agents(self, user):
        with self.lock:
            mine = {agent for one in self.state.visible_allocations(user).values() for agent in one["agents"]}
            mine = set(self.state.data["agents"]) if self.state.is_admin(user) else mine
            return {"agents": [{"name": name, **one, "reachable": not self.bad.intersection(one["ipus"])}
                               for name, one in sorted(self.state.data["agents"].items()) if name in mine]}

    def list_clusters(self, user):
        with self.lock:
            self.require_admin(user)
            return {"clusters": [{"name": name, **one, "topology": self.state.description.get("topology", "mesh")}
                                 for name, one in sorted(self.state.data["clusters"].items())]}

    def list_users(self, user):
        with self.lock:
            self.require_admin(user)
            return {"users": [{"name": name, "allocations": one["allocations"], "admin": one["admin"]}
                              for name, one in sorted(self.state.data["users"].items())]}

    def create(self, user, kind, body):
        with self.lock:
            self.require_admin(user)
            make = {"agents": self.state.create_agent, "clusters": self.state.create_cluster,
                    "allocations": self.state.create_allocation, "users": self.state.create_user}[kind]
            key = make(**typed(kind, body))
        return {"key": key} if kind == "users" else {}

    def remove(self, user, kind, name):
        with self.lock:
            self.require_admin(user)
            self.state.remove(kind, name)
        return {}


KINDS = "(agents|clusters|allocations|users)"
ROUTES = [
    ("GET", r"version", lambda s, u, q, b: s.version(u)),
    ("GET", r"partitions", lambda s, u, q, b: s.list_partitions(u)),
    ("POST", r"partitions", lambda s, u, q, b: s.create_partition(u, b)),
    ("GET", r"partitions/([^/]+)", lambda s, u, q, b, name: s.get_partition(u, name)),
    ("DELETE", r"partitions/([^/]+)", lambda s, u, q, b, name: s.remove_partition(u, name, q.get("force") == "1")),
    ("POST", r"partitions/([^/]+)/reset", lambda s, u, q, b, name: s.reset_partition(u, name)),
    ("GET", r"partitions/([^/]+)/config", lambda s, u, q, b, name: s.get_config(u, name, _number(q.get("gcd", "0")))),
    ("GET", r"allocations", lambda s, u, q, b: s.list_allocations(u)),
    ("GET", r"agents", lambda s, u, q, b: s.list_agents(u)),
    ("GET", r"clusters", lambda s, u, q, b: s.list_clusters(u)),
    ("GET", r"users", lambda s, u, q, b: s.list_users(u)),
    ("POST", KINDS, lambda s, u, q, b, kind: s.create(u, kind, b)),
    ("DELETE", KINDS + r"/([^/]+)", lambda s, u, q, b, kind, name: s.remove(u, kind, name)),
]


def _number(text):
    if not re.fullmatch(r"\d{1,4}", text):
        raise Refused(400, f"'{text[:20]}' is no number of a GCD")
    return int(text)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # a connection for each request
    server_version, sys_version = "vipu-server", ""
    timeout = SILENCE

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def do_DELETE(self):
        self.answer("DELETE")

    def answer(self, method):
        try:
            status, reply = 200, self.result(method)
        except Refused as error:
            status, reply = error.status, str(error)
        except LaunchError as error:
            status, reply = 503, str(error)
        text = (json.dumps(reply) if status == 200 else reply) + "\n"
        body = text.encode(errors="replace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status == 200 else "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def result(self, method):
        service = self.server.service
        user = service.user(self.headers.get("X-Vipu-User", ""), self.headers.get("X-Vipu-Key", ""))
        path = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(path.query, max_num_fields=8))
        body = self.body() if method == "POST" else {}
        self.server.has_arrived(self.connection)
        for verb, pattern, act in ROUTES:
            match = re.fullmatch("/v1/" + pattern, path.path) if verb == method else None
            if match:
                names = [urllib.parse.unquote(word) for word in match.groups()]
                return act(service, user, query, body, *names)
        raise Refused(404, "there is nothing of that name here")

    def body(self):
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch(r"\d{1,9}", length) or int(length) > MAX_BODY:
            raise Refused(413, f"a request has at most {MAX_BODY} bytes")
        text = self.rfile.read(int(length))
        if not text:
            return {}
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            raise Refused(400, "the request is no JSON") from None
        if not isinstance(body, dict) or not all(re.fullmatch("[a-z_]{1,32}", key) for key in body):
            raise Refused(400, "the request is no JSON object of known fields")
        return body

    def log_message(self, form, *arguments):
        pass  # strangers must not fill a disk


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, service):
        self.service = service
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self.reading = {}  # connections whose request has not arrived, with their deadlines
        self.reading_lock = threading.Lock()  # guards reading
        super().__init__(address, Handler)
        threading.Thread(target=self.end_slow_ones, daemon=True).start()

    def process_request(self, request, client_address):
        if not self.slots.acquire(blocking=False):
            self.shutdown_request(request)  # too many at once: a client may ask again
            return
        with self.reading_lock:
            self.reading[request] = time.monotonic() + WHOLE
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.has_arrived(request)
            self.slots.release()

    def has_arrived(self, request):
        with self.reading_lock:
            self.reading.pop(request, None)

    def end_slow_ones(self):
        """Ends connections that send a byte now and then, and never a request."""
        while True:
            time.sleep(1)
            with self.reading_lock:
                late = [request for request, deadline in self.reading.items() if time.monotonic() > deadline]
                for request in late:
                    del self.reading[request]
            for request in late:
                try:
                    request.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def handle_error(self, request, client_address):
        error = sys.exc_info()[1]
        if not isinstance(error, (OSError, ValueError)):
            super().handle_error(request, client_address)  # a mistake of ours: say where


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="vipu-server", allow_abbrev=False,
                                     description="Manages partitions of a cluster of ipuds, for vipu, poprun and Poplar programs.")
    parser.add_argument("--cluster-file", metavar="FILE", default=os.environ.get("COPSE_CLUSTER"),
                        help="the cluster file (default: $COPSE_CLUSTER)")
    parser.add_argument("--bind", default="127.0.0.1", metavar="ADDRESS", help="address to listen at (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8090, help="port to listen at (8090); 0: a free one")
    parser.add_argument("--state", metavar="FILE", help="file of partitions and users (beside the cluster file)")
    parser.add_argument("--health-interval", type=float, default=10, metavar="SECONDS", help="time between two looks at the ipuds (10)")
    parser.add_argument("--secure", action="store_true", help="know users by their access keys")
    parser.add_argument("--insecure", action="store_true", help="listen beyond this machine without --secure")
    options = parser.parse_args(arguments)
    try:
        return serve(options)
    except OSError as error:
        print(f"vipu-server: {error.filename or f'{options.bind}:{options.port}'}: {error.strerror}", file=sys.stderr)
        return 2
    except (ValueError, LaunchError) as error:
        print(f"vipu-server: {error}", file=sys.stderr)
        return 2


def serve(options):
    if not options.cluster_file:
        raise ValueError("name the cluster file with --cluster-file, or set COPSE_CLUSTER")
    if not 0 <= options.port < 1 << 16:
        raise ValueError("--port is 0 to 65535")
    if not 0.1 <= options.health_interval <= 3600:
        raise ValueError("--health-interval is 0.1 to 3600 seconds")
    if options.bind not in ("127.0.0.1", "::1", "localhost") and not (options.secure or options.insecure):
        raise ValueError(f"any program that reaches {options.bind} could remove partitions: give --secure, or --insecure if only trusted programs do")
    state = State(options.cluster_file, os.path.abspath(options.state or options.cluster_file + ".vipu"))
    ipuds = IpudControl(state.cluster_file)
    service = Service(state, ipuds, options.secure)
    key = state.create_user("admin", admin=True) if options.secure and not state.data["users"] else None
    server = Server((options.bind, options.port), service)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown, daemon=True).start())
    if key:
        print(f"user 'admin' created. Access key is '{key}'.", flush=True)
    print(json.dumps({"vipu-server": f"{options.bind}:{server.server_address[1]}", "ipus": len(state.description["ipus"])}), flush=True)
    threading.Thread(target=_watch, args=(service, options.health_interval), daemon=True).start()
    server.serve_forever(poll_interval=0.2)
    return 0


def _watch(service, interval):
    while True:
        try:
            service.watch()
        except LaunchError as error:
            print(f"vipu-server: {error}", file=sys.stderr, flush=True)
        time.sleep(interval)
