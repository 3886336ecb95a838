"""Where vipu finds its server: options, then variables of the environment, then a file of lines such as api-host="pod"."""
import os
import re

from .errors import UsageError
from .vipu_client import DEFAULT_PORT, VipuClient

DEFAULT_FILES = (os.path.expanduser("~/.vipu-cli.hcl"), "/etc/vipu/vipu-cli.hcl")
KEYS = ("api-host", "api-port", "api-user-id", "api-access-key", "timeout")


def add_options(parser):
    for names, metavar, text in ((("-H", "--api-host"), "HOST", "host of the V-IPU server"),
                                 (("--api-port",), "PORT", f"port of the V-IPU server ({DEFAULT_PORT})"),
                                 (("--api-user-id",), "USER", "name of the user"),
                                 (("--api-access-key",), "KEY", "access key of the user"),
                                 (("--timeout",), "SECONDS", "longest wait for the server (120)"),
                                 (("--config",), "FILE", "file of these options")):
        parser.add_argument(*names, metavar=metavar, default=None, help=text)


def read_file(path):
    values = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read(65536).splitlines()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        line = line.strip()
        match = re.fullmatch(r'([a-z-]+)\s*=\s*"?([^"]*)"?', line)
        if match and match.group(1) in KEYS:
            values[match.group(1)] = match.group(2)
        elif line and not line.startswith(("#", "//")) and not match:
            raise UsageError(f'{path}:{number}: write lines such as api-host="HOST"')
    return values


def client(options):
    path = options.config or next((path for path in DEFAULT_FILES if os.path.exists(path)), None)
    kept = read_file(path) if path else {}
    given = {"api-host": options.api_host, "api-port": options.api_port, "api-user-id": options.api_user_id,
             "api-access-key": options.api_access_key, "timeout": options.timeout}

    def value(key, default):
        return given[key] or os.environ.get("VIPU_CLI_" + key.upper().replace("-", "_")) or kept.get(key) or default

    host, _, port = value("api-host", "localhost").partition(":")
    try:
        return VipuClient(host, int(port or value("api-port", DEFAULT_PORT)), float(value("timeout", 120)),
                          value("api-user-id", ""), value("api-access-key", ""))
    except ValueError:
        raise UsageError("the port and the timeout of the V-IPU server are numbers") from None
