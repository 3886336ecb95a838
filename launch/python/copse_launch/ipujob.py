"""copse ipujob: writes plain Jobs and Services of Kubernetes for the IPUJobs of a file.

There is no controller: each job instance becomes a Job whose program starts its IPUs in its own pod, so they come and go with it;
with a launcher, a Job of several pods (ipujob_launcher).
A field that would change what runs and is not known here is an error, never left out."""
import argparse
import copy
import json
import sys

from . import ipujob_launcher
from .errors import LaunchError, UsageError
from .layout import IPUS_PER_LINK_DOMAIN

API_VERSION = "graphcore.ai/v1alpha1"
LABEL = "graphcore.ai/ipujob"
INSTANCE_LABEL = "graphcore.ai/ipujob-instance"
SPEC_FIELDS = {"jobInstances", "ipusPerJobInstance", "launcher", "modelReplicasPerWorker", "workers"}
MOST_INSTANCES = 1000
LONGEST_NAME = 50  # a Job's name has at most 63 characters, and the pod's name adds some


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="copse ipujob", allow_abbrev=False, description="Writes plain Jobs and Services of "
                                     "Kubernetes for the IPUJobs of a file: copse ipujob FILE.yaml | kubectl create -f -")
    parser.add_argument("file", metavar="FILE.yaml", help="file of IPUJobs; other resources in it are passed on; -: standard input")
    parser.add_argument("-j", "--json", action="store_true", help="write a List in JSON instead of YAML")
    options = parser.parse_args(arguments)
    try:
        print(text_of(resources_of(read(options.file)), options.json), end="")
        return 0
    except (UsageError, LaunchError) as error:
        print(f"copse ipujob: {options.file}: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


def yaml_module():
    try:
        import yaml
    except ImportError:
        raise LaunchError("reading YAML needs Debian's python3-yaml: apt-get install python3-yaml") from None
    return yaml


def read(path):
    """Returns the documents of a file."""
    yaml = yaml_module()
    try:
        if path == "-":
            return list(yaml.safe_load_all(sys.stdin))
        with open(path, encoding="utf-8") as file:
            return list(yaml.safe_load_all(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {getattr(error, 'strerror', error)}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"this is no YAML: {' '.join(str(error).split())}") from None


def text_of(resources, as_json):
    if as_json:
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": resources}, indent=2) + "\n"
    yaml = yaml_module()

    class Dumper(yaml.SafeDumper):
        """Writes what stands twice as often, without anchors, and scripts line by line."""

        def ignore_aliases(self, data):
            return True

    Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text,
                                                                             style="|" if "\n" in text else None))
    return yaml.dump_all(resources, Dumper=Dumper, sort_keys=False, explicit_start=True)


def resources_of(documents):
    resources = []
    for document in documents:
        if document is None:
            continue
        if not isinstance(document, dict):
            raise UsageError("a document is no resource of Kubernetes")
        resources += resources_of_ipujob(document) if document.get("kind") == "IPUJob" else [document]
    return resources


def resources_of_ipujob(job):
    if job.get("apiVersion") != API_VERSION:
        raise UsageError(f"apiVersion of an IPUJob is '{job.get('apiVersion')}', not {API_VERSION}")
    only(job, {"apiVersion", "kind", "metadata", "spec", "status"}, "an IPUJob")
    metadata = mapping(job, "metadata", "an IPUJob")
    name = metadata.get("name") or metadata.get("generateName")
    if not isinstance(name, str) or not name:
        raise UsageError("metadata has neither name nor generateName")
    spec = mapping(job, "spec", "an IPUJob")
    only(spec, SPEC_FIELDS, "spec of an IPUJob")
    instances = number(spec, "jobInstances", 1, MOST_INSTANCES)
    ipus = number(spec, "ipusPerJobInstance", 1, IPUS_PER_LINK_DOMAIN)
    if ipus & (ipus - 1):
        raise UsageError(f"ipusPerJobInstance is {ipus}; it must be a power of 2")
    workers = mapping(spec, "workers", "spec")
    only(workers, {"replicas", "template"}, "spec.workers")
    count = number(workers, "replicas", 1, IPUS_PER_LINK_DOMAIN)
    replicas = number(spec, "modelReplicasPerWorker", 1, IPUS_PER_LINK_DOMAIN)
    if ipus % (count * replicas):
        raise UsageError(f"{ipus} IPUs cannot be divided among modelReplicasPerWorker {replicas} of {count} workers")
    template = mapping(workers, "template", "spec.workers")
    jobs = [job_of(metadata, template, ipus, instance, instances) for instance in range(instances)]
    if "launcher" in spec:
        launcher = mapping(spec, "launcher", "spec")
        only(launcher, {"command", "args"}, "spec.launcher", {"template": "its command is executed in the pod of the first worker"})
        command = ipujob_launcher.command_of(launcher)
        jobs = [one for job in jobs for one in ipujob_launcher.resources_of(job, command, ipus, count)]
    elif count > 1:
        raise UsageError("spec.workers.replicas is more than 1, and spec.launcher, whose command starts programs in them, is not there")
    return jobs + services_of(metadata, name, template)


def job_of(metadata, template, ipus, instance, instances):
    """Returns the Job of one instance: the pod of the workers, whose programs find as many IPUs."""
    template = copy.deepcopy(template)
    labels = {LABEL: base_name(metadata), INSTANCE_LABEL: str(instance)}
    pod = mapping(template, "spec", "spec.workers.template")
    if pod.setdefault("restartPolicy", "Never") not in ("Never", "OnFailure"):
        raise UsageError(f"restartPolicy of the workers is '{pod['restartPolicy']}'; a Job has Never or OnFailure")
    containers = pod.get("containers")
    if not isinstance(containers, list) or not containers:
        raise UsageError("spec.workers.template.spec has no containers")
    for container in containers:
        if not isinstance(container, dict):
            raise UsageError("spec.workers.template.spec.containers has something that is no container")
        environment = container.setdefault("env", [])
        if not isinstance(environment, list):
            raise UsageError("env of a container is no list")
        environment[:] = [one for one in environment if not isinstance(one, dict) or one.get("name") != "COPSE_IPUS"]
        environment.append({"name": "COPSE_IPUS", "value": str(ipus)})
    of_pod = template["metadata"] = dict(template.get("metadata") or {})
    of_pod["labels"] = {**(of_pod.get("labels") or {}), **labels}
    ours = {key: value for key, value in metadata.items() if key in ("namespace", "annotations")}
    if "generateName" in metadata and "name" not in metadata:
        ours["generateName"] = short(metadata["generateName"]) + (f"{instance}-" if instances > 1 else "")
    else:
        ours["name"] = short(metadata["name"]) + (f"-{instance}" if instances > 1 else "")
    ours["labels"] = {**(metadata.get("labels") or {}), **labels}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": ours, "spec": {"backoffLimit": 0, "template": template}}


def services_of(metadata, name, template):
    """Returns a Service of all instances, if the workers listen at ports."""
    ports, numbers = [], set()
    for container in template["spec"]["containers"]:
        for port in container.get("ports") or []:
            if not isinstance(port, dict) or "containerPort" not in port:
                raise UsageError("ports of a container has something without containerPort")
            protocol = port.get("protocol", "TCP")
            if (port["containerPort"], protocol) not in numbers:
                numbers.add((port["containerPort"], protocol))
                ports.append({"name": port.get("name") or f"port-{port['containerPort']}-{protocol.lower()}",
                              "port": port["containerPort"], "protocol": protocol})
    if not ports:
        return []
    ours = {"name": base_name(metadata), "labels": {**(metadata.get("labels") or {}), LABEL: base_name(metadata)}}
    if "namespace" in metadata:
        ours["namespace"] = metadata["namespace"]
    return [{"apiVersion": "v1", "kind": "Service", "metadata": ours,
             "spec": {"selector": {LABEL: base_name(metadata)}, "ports": ports}}]


def base_name(metadata):
    """Returns the name without a number, for labels and for all instances."""
    return short(metadata.get("name") or metadata["generateName"]).rstrip("-.")


def short(name):
    if len(name) > LONGEST_NAME:
        raise UsageError(f"the name '{name}' has more than {LONGEST_NAME} characters")
    return name


def only(fields, known, where, reasons=None):
    for name in fields:
        if name not in known:
            raise UsageError(f"{where} has a field '{name}', which is not known here; {(reasons or {}).get(name) or 'leave it out'}")


def mapping(fields, name, where):
    value = fields.get(name)
    if not isinstance(value, dict):
        raise UsageError(f"{where} has no mapping '{name}'")
    return value


def number(fields, name, least, most):
    """Returns a whole number, which may be written as text; 1 if it is missing."""
    value = fields.get(name, 1)
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} is {json.dumps(value, default=str)}; it must be a number from {least} to {most}")
    return value
