"""Lists of hosts as poprun and Slurm write them: a,b or node[0-2,4]."""
import re

from .errors import UsageError

MOST_HOSTS = 1024


def expand_hosts(text):
    """Returns the hosts of a list: "h[0-2],b" is h0, h1, h2, b. Leading zeros stay."""
    hosts = []
    for item in _split(text):
        hosts += _expand(item)
        if len(hosts) > MOST_HOSTS:
            raise UsageError(f"'{text}' is more than {MOST_HOSTS} hosts")
    if not hosts:
        raise UsageError("a list of hosts is empty")
    return hosts


def _split(text):
    """Splits a list at commas outside of brackets."""
    items, depth, item = [], 0, ""
    for character in text.strip():
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth not in (0, 1):
            raise UsageError(f"the brackets of '{text}' do not match")
        if character == "," and depth == 0:
            items.append(item)
            item = ""
        else:
            item += character
    if depth:
        raise UsageError(f"the brackets of '{text}' do not match")
    return [item.strip() for item in items + [item]]


def _expand(item):
    match = re.fullmatch(r"([^\[\]]*)\[([^\[\]]*)\](.*)", item)
    if not match:
        if not re.fullmatch(r"[A-Za-z0-9._:@-]+", item) or item.startswith("-"):
            raise UsageError(f"'{item}' is no name of a host")
        return [item]
    before, numbers, after = match.groups()
    names = []
    for part in numbers.split(","):
        bounds = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if not bounds:
            raise UsageError(f"'{item}': '{part}' is no number and no range such as 0-3")
        first, last = bounds.group(1), bounds.group(2) or bounds.group(1)
        if not int(first) <= int(last) < int(first) + MOST_HOSTS:
            raise UsageError(f"'{item}': '{part}' is no range of at most {MOST_HOSTS} hosts")
        width = len(first) if first.startswith("0") else 1
        for number in range(int(first), int(last) + 1):
            names += _expand(f"{before}{number:0{width}d}{after}")
    return names


def read_host_file(path):
    """Returns the hosts of a file, one a line; # begins a comment."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.split("#")[0].strip() for line in file]
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return [host for line in lines if line for host in expand_hosts(line.split()[0])]
