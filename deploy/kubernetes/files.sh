#!/usr/bin/env bash
# Writes the cluster file, the keys and an overlay of this folder's base for Kubernetes:
# deploy/kubernetes/files.sh DIRECTORY [--ipus 4] [--topology torus]. Keys that are there are kept.
set -euo pipefail
base=$(cd "$(dirname "$0")" && pwd)

die() { # MESSAGE: the caller's mistake
  echo "files.sh: $1" >&2
  exit 2
}

[ $# -ge 1 ] && [ "${1#-}" = "$1" ] || die "name the directory for the files"
directory=$1 ipus=4 topology=torus
shift
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || die "$1 needs a value"
  case $1 in
    --ipus) ipus=$2 ;;
    --topology) topology=$2 ;;
    *) die "there is no option $1" ;;
  esac
  shift 2
done
[[ $ipus =~ ^(1|[2-9]|[1-5][0-9]|6[0-4])$ ]] && [ $((ipus == 1 || ipus % 2 == 0)) = 1 ] || die "--ipus is 1, 2, 4, 6, ... or 64"
[[ $topology =~ ^(mesh|torus)$ ]] || die "--topology is mesh or torus"
copse=$(command -v copse || true)
[ -n "$copse" ] || die "the program copse is not on the PATH; it makes the keys"

mkdir -p -m 700 "$directory"
{
  printf '{\n  "topology": "%s",\n  "keys": "keys",\n  "ipus": [' "$topology"
  for ((n = 0; n < ipus; n++)); do
    printf '%s\n    {"control": "tcp://ipu-%d.copse:7000", "link": "tcp://ipu-%d.copse:7001", "sync": "tcp://ipu-%d.copse:7002", "bind": "0.0.0.0"}' \
      "$([ "$n" = 0 ] || echo ,)" "$n" "$n" "$n"
  done
  printf '\n  ],\n  "rbufd": {"endpoint": "tcp://rbufd:7471", "bind": "0.0.0.0", "directory": "/var/lib/copse/rows", "metrics": "0.0.0.0:9471"}\n}\n'
} >"$directory/cluster.json"
"$copse" keys --cluster "$directory/cluster.json"
{
  echo "apiVersion: kustomize.config.k8s.io/v1beta1"
  echo "kind: Kustomization"
  echo "resources: [\"$(realpath --relative-to="$directory" "$base")\"]"
  echo "replicas: [{ name: ipu, count: $ipus }]"
  echo "configMapGenerator: [{ name: copse-cluster, files: [cluster.json] }]"
  echo "secretGenerator:"
  echo "  - name: copse-keys"
  echo "    files:"
  (cd "$directory" && printf '      - %s\n' keys/public.json keys/*.key)
  echo "generatorOptions: { disableNameSuffixHash: true } # Jobs of users name them"
} >"$directory/kustomization.yaml"
echo "kubectl apply -k $directory"
