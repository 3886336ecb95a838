"""Measured claims as files: what bench/run --json writes, and what --against and --history read.

A file is a JSON object: "measured", the date and the machine in words; "claims", a list of objects with "name", "about", "low" and
"high" (the quartiles), "ok", and "ratio" with "goal", or "value" with "limit" and "unit".
"""
import datetime
import glob
import json
import os

# Machines are shared: medians of one build move by as much from run to run.
NOISE = 0.05


def describe_machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{os.cpu_count()} processors, {model}, load {os.getloadavg()[0]:.1f} at the end"


def write(path, claims):
    document = {"measured": {"date": datetime.date.today().isoformat(), "machine": describe_machine()}, "claims": claims}
    with open(path, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def read(path):
    """Returns the claims of a file by name.

    Raises ValueError, which names the file, if it was not written by bench/run."""
    with open(path) as file:
        try:
            return {claim["name"]: claim for claim in json.load(file)["claims"]}
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is no file of bench/run --json: {error}") from None


def figure(claim):
    return claim["ratio"] if "ratio" in claim else claim["value"]


def text(claim):
    return f"{claim['ratio']:.2f}x" if "ratio" in claim else f"{claim['value']:.3g} {claim['unit']}"


def moved(before, now):
    """Returns "better" or "worse" if the medians differ by more than the noise and the quartiles do not overlap; else None."""
    if ("ratio" in before) != ("ratio" in now) or before.get("unit") != now.get("unit"):
        return None
    if before["low"] <= now["high"] and now["low"] <= before["high"]:
        return None
    old, new = figure(before), figure(now)
    if abs(new - old) <= NOISE * abs(old):
        return None
    return "better" if (new > old) == ("ratio" in now) else "worse"


def comparison(before, now):
    """Returns lines for the claims of now that moved, and for claims that only one of both has.

    before, now: claims by name."""
    lines = []
    for name, claim in now.items():
        if name not in before:
            lines.append(f"{name:<28} new: {text(claim)}")
        elif direction := moved(before[name], claim):
            lines.append(f"{name:<28} {direction}: {text(before[name])} to {text(claim)}")
    return lines or ["nothing moved beyond the noise"]


def history(folder):
    """Returns the lines of a table: a row for each claim, a column for each file of the folder, in the order of their names."""
    columns = [(os.path.basename(path)[: -len(".json")], read(path)) for path in sorted(glob.glob(os.path.join(folder, "*.json")))]
    names = dict.fromkeys(name for _, claims in columns for name in claims)
    rows = [["claim"] + [release for release, _ in columns]]
    for name in names:
        rows.append([name] + [text(claims[name]) + ("" if claims[name]["ok"] else " !") if name in claims else "-" for _, claims in columns])
    widths = [max(len(row[c]) for row in rows) for c in range(len(columns) + 1)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
