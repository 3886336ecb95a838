"""Requests to a vipu-server: JSON over HTTP."""
import http.client
import json
import os
import urllib.parse

from .errors import LaunchError

API = "1.18.0"  # the release of V-IPU whose commands these programs know
DEFAULT_PORT = 8090
MAX_REPLY = 1 << 22


class VipuError(LaunchError):
    """An error that the server reports, in its own words; status is the one of HTTP."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class VipuClient:
    def __init__(self, host, port=DEFAULT_PORT, timeout=120.0, user="", key=""):
        self.host, self.port, self.timeout = host, int(port), timeout
        self.headers = {"X-Vipu-User": user, "X-Vipu-Key": key} if user else {}

    @property
    def address(self):
        return f"{self.host}:{self.port}"

    def ask(self, method, path, **fields):
        """Returns the JSON of the reply. Raises VipuError if the server refuses, LaunchError if it cannot be reached."""
        body = json.dumps(fields) if method in ("POST", "PUT") else None
        query = "?" + urllib.parse.urlencode(fields) if fields and body is None else ""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=self.timeout)
        try:
            connection.request(method, "/v1/" + path + query, body, {**self.headers, "Content-Type": "application/json"})
            reply = connection.getresponse()
            text = reply.read(MAX_REPLY).decode(errors="replace")
            status = reply.status
        except (OSError, http.client.HTTPException) as error:
            raise LaunchError(f"the V-IPU server at {self.address} cannot be reached ({getattr(error, 'strerror', None) or error}); start "
                              "vipu-server --cluster-file FILE there, or name another host") from None
        finally:
            connection.close()
        if status != 200:
            raise VipuError(status, text.strip() or f"the V-IPU server replies {status}")
        try:
            return json.loads(text)
        except ValueError:
            raise LaunchError(f"what answers at {self.address} is no V-IPU server") from None

    def partition(self, name):
        """Returns the server's description of a partition; None if no partition has that name."""
        try:
            return self.ask("GET", "partitions/" + urllib.parse.quote(name, safe=""))
        except VipuError as error:
            if error.status == 404:
                return None
            raise


def user_of_environment():
    return os.environ.get("VIPU_CLI_API_USER_ID", ""), os.environ.get("VIPU_CLI_API_ACCESS_KEY", "")
