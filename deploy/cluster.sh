#!/usr/bin/env bash
# A cluster of IPUs in containers on this machine; docs/cluster.md explains it.
set -euo pipefail

usage() {
  cat <<'END'
usage: deploy/cluster.sh up [--ipus N] [--topology mesh|torus] [--pod NAME|FILE] [--lease MS]
                                                        starts a cluster of 2, 4, 6, ... 256 IPUs (default 8), and
                                                        waits until it is ready; the IPUs are in the pod of that name
                                                        or file (docs/pods.md); a session ends if a side is silent for
                                                        the lease (default 3000; a busy machine with many IPUs needs more)
       deploy/cluster.sh run PROGRAM [ARGUMENT...]      runs a host program in a container on the cluster's network; the
                                                        program sees the current folder, and variables COPSE_* and POPLAR_*
       deploy/cluster.sh status [--json]                prints nodes, links, and the program that holds each IPU
       deploy/cluster.sh logs [--follow] [NODE...]      prints what nodes (ipu0, ipu1, ..., rbufd; default: all) have logged
       deploy/cluster.sh down [--rows]                  ends the cluster; --rows also deletes remote buffers that were kept
                                                        by name, even if the cluster has ended before
       deploy/cluster.sh files [OPTION...]              makes cluster file and keys for the options of `up`, and starts
                                                        nothing (for stack.yml)

environment: COPSE_PROJECT      name of the cluster; clusters with different names run side by side (default copse)
             COPSE_CLUSTER_DIR  directory of its files (default ~/.local/state/copse/$COPSE_PROJECT)
END
}

die() { # MESSAGE...: the caller's mistake
  echo "cluster.sh:" "$@" >&2
  exit 2
}

source_dir=$(cd "$(dirname "$0")/.." && pwd)
export COMPOSE_PROJECT_NAME=${COPSE_PROJECT:-copse}
export COPSE_CLUSTER_DIR=${COPSE_CLUSTER_DIR:-$HOME/.local/state/copse/$COMPOSE_PROJECT_NAME}
all_nodes=$COPSE_CLUSTER_DIR/all # the cluster file and every key; each node gets a folder with what it may know
# Daemons read secret keys that only their user may read. That user is the caller, or an ordinary
# user if root calls.
daemon_user=$(id -u):$(id -g)
if [ "$(id -u)" = 0 ]; then daemon_user=1000:1000; fi
export COPSE_DAEMON_USER=$daemon_user

compose_file=$COPSE_CLUSTER_DIR/docker-compose.yml
# Starting many containers at once takes an engine longer than the minute that Compose waits for
# each answer.
export COMPOSE_PARALLEL_LIMIT=${COMPOSE_PARALLEL_LIMIT:-8} COMPOSE_HTTP_TIMEOUT=${COMPOSE_HTTP_TIMEOUT:-600}
compose() {
  docker-compose --file "$compose_file" "$@"
}

# deploy/docker-compose.yml, with a service for each IPU in the place of ipu0's.
write_compose_file() {
  local template=$source_dir/deploy/docker-compose.yml n
  sed '/^  ipu0:/,$d' "$template"
  for ((n = 0; n < ipus; n++)); do
    sed -n '/^  ipu0:/,/^$/p' "$template" | sed "s/ipu0/ipu$n/g; s/ipu-0/ipu-$n/; s/--ipu 0/--ipu $n/"
  done
  sed -n '/^networks:/,$p' "$template"
}

# The cluster file as the containers see it: names of the two networks, the same ports everywhere.
write_cluster_file() {
  local n separator=''
  printf '{\n  "topology": "%s",\n  "keys": "keys",\n  "leaseMs": %d,\n' "$topology" "$lease"
  if [ -n "$pod" ]; then printf '  "pod": "%s",\n' "$pod"; fi
  printf '  "ipus": ['
  for ((n = 0; n < ipus; n++)); do
    printf '%s\n    {"control": "tcp://ipu%d.hosts:7000", "link": "tcp://ipu%d.links:7001", "sync": "tcp://ipu%d.links:7002", "bind": "0.0.0.0"}' \
      "$separator" "$n" "$n" "$n"
    separator=,
  done
  printf '\n  ],\n  "rbufd": {"endpoint": "tcp://rbufd:7471", "bind": "0.0.0.0", "directory": "/var/lib/copse/rows", "metrics": "0.0.0.0:9471"}\n}\n'
}

# Makes the keys that are missing, and a folder for each node.
make_node_folders() {
  mkdir -p "$all_nodes"
  chmod 700 "$COPSE_CLUSTER_DIR"
  write_cluster_file >"$all_nodes/cluster.json"
  docker run --rm --user "$(id -u):$(id -g)" --network none --cap-drop ALL --security-opt no-new-privileges \
    --volume "$all_nodes:/etc/copse" copse/host copse keys --cluster /etc/copse/cluster.json >/dev/null
  local key name
  for key in "$all_nodes"/keys/*.key; do
    name=$(basename "$key" .key)
    mkdir -p "$COPSE_CLUSTER_DIR/$name/keys"
    cp "$all_nodes/cluster.json" "$COPSE_CLUSTER_DIR/$name/"
    cp --preserve=mode "$key" "$all_nodes/keys/public.json" "$COPSE_CLUSTER_DIR/$name/keys/"
    if [ "$name" = host ] && [ -e "$all_nodes/pod.json" ]; then cp "$all_nodes/pod.json" "$COPSE_CLUSTER_DIR/host/"; fi
    if [ "$(id -u)" = 0 ] && [ "$name" != host ]; then chown -R "$daemon_user" "$COPSE_CLUSTER_DIR/$name"; fi
  done
}

make_images() { # those that are missing
  local image
  for image in ipud rbufd host; do
    docker image inspect "copse/$image" >/dev/null 2>&1 || { "$source_dir/deploy/images.sh" && break; }
  done
}

# Becomes a container of the image copse/host on the cluster's network, with the rights of the
# caller.
in_host_container() { # DOCKER_OPTION... -- COMMAND...
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  local cache=${COPSE_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/copse}
  mkdir -p "$cache"
  exec docker run --rm --init --network "${COMPOSE_PROJECT_NAME}_hosts" --user "$(id -u):$(id -g)" \
    --cap-drop ALL --security-opt no-new-privileges --label "org.copse.project=$COMPOSE_PROJECT_NAME" \
    --volume "$COPSE_CLUSTER_DIR/host:/etc/copse:ro" --env COPSE_CLUSTER=/etc/copse/cluster.json \
    --volume "$cache:/var/cache/copse" --env COPSE_CACHE_DIR=/var/cache/copse \
    "${options[@]}" copse/host "$@"
}

require_cluster() {
  [ -d "$COPSE_CLUSTER_DIR/host" ] || die "there is no cluster '$COMPOSE_PROJECT_NAME'; start one with: $0 up"
}

# Sets ipus, topology, pod and lease from the options of `up` and `files`.
read_options() {
  ipus=8 topology=mesh pod= lease=3000 # as of copse up
  while [ $# -gt 0 ]; do
    case $1 in
      --ipus) ipus=${2:-} ;;
      --topology) topology=${2:-} ;;
      --pod) pod=${2:-} && [ -n "$pod" ] || die "--pod is empty; give the name or the file of a pod" ;;
      --lease) lease=${2:-} ;;
      *) die "unknown option '$1'; see $0 --help" ;;
    esac
    shift $(($# > 1 ? 2 : 1))
  done
  [[ $ipus =~ ^[1-9][0-9]{0,2}$ ]] && [ $((ipus % 2)) = 0 ] && [ "$ipus" -le 256 ] ||
    die "--ipus is '$ipus'; give an even number from 2 to 256"
  [[ $lease =~ ^[1-9][0-9]{2,5}$ ]] && [ "$lease" -le 600000 ] || die "--lease is '$lease'; give 100 to 600000 milliseconds"
  case $topology in mesh | torus) ;; *) die "--topology is '$topology'; give mesh or torus" ;; esac
}

# Checks the pod. Its file gets a copy that host programs see.
take_pod() {
  local place=()
  case $pod in
    */* | *.json)
      [ -r "$pod" ] || die "--pod: there is no file '$pod' that you may read"
      mkdir -p "$all_nodes"
      cp "$pod" "$all_nodes/pod.json"
      pod=/etc/copse/pod.json
      place=(--volume "$all_nodes/pod.json:$pod:ro")
      ;;
  esac
  local size
  size=$(docker run --rm --user "$(id -u):$(id -g)" --network none --cap-drop ALL --security-opt no-new-privileges \
    "${place[@]}" --env "COPSE_POD=$pod" copse/host gc-info --ipu-count) || exit 2
  [ "$ipus" -le "$size" ] || die "--ipus is $ipus, but the pod has $size IPUs"
}

files() {
  read_options "$@"
  make_images
  if [ -n "$pod" ]; then take_pod; fi
  make_node_folders
  write_compose_file >"$compose_file"
}

up() {
  files "$@"
  # Each check starts a process in its container; all together leave most of a core to the IPUs.
  export COPSE_HEALTH_INTERVAL=$((ipus > 15 ? 2 * ipus : 30))s
  compose up --detach --remove-orphans
  wait_until_ready
}

# Checks that every node answers a host program, by its name, over the network.
wait_until_ready() {
  local seconds=$((30 + ipus))
  (in_host_container --entrypoint timeout -- "$seconds" sh -c \
    'until copse status >/tmp/status 2>&1; do sleep 0.2; done; cat /tmp/status') || {
    echo "cluster.sh: not all nodes were ready within $seconds s; their logs end with:" >&2
    compose logs --tail 5 >&2
    exit 1
  }
}

run() {
  [ $# -gt 0 ] || die "run: name a program; see $0 --help"
  require_cluster
  local program terminal=()
  program=$(command -v "$1") || die "run: there is no program '$1'"
  shift
  program=$(realpath "$program")
  if [ -t 0 ] && [ -t 1 ]; then terminal=(--tty); fi
  # The program sees the current folder, its own file and the library with which it was built, at
  # their paths.
  local places=(--volume "$PWD:$PWD" --volume "$program:$program:ro") variable
  local library=${program%/*/*}/lib
  if [ -e "$library/libpoplar.so" ]; then places+=(--volume "$library:$library:ro"); fi
  for variable in $(compgen -e | grep -E '^(COPSE|POPLAR)_' || true); do
    case $variable in COPSE_CLUSTER* | COPSE_PROJECT | COPSE_DAEMON_USER | COPSE_IPU_MEMORY | COPSE_CACHE_DIR) ;; *) places+=(--env "$variable") ;; esac
  done
  in_host_container --interactive "${terminal[@]}" --workdir "$PWD" "${places[@]}" -- "$program" "$@"
}

status() {
  require_cluster
  in_host_container -- copse status "$@"
}

logs() {
  local argument options=(--timestamps) nodes=() known
  require_cluster
  known=$(docker ps --all --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" \
    --format '{{.Label "com.docker.compose.service"}}' | sort)
  for argument in "$@"; do
    case $argument in
      -f | --follow) options+=(--follow) ;;
      -*) die "unknown option '$argument'; see $0 --help" ;;
      *)
        grep -qxF "$argument" <<<"$known" || die "there is no node '$argument'; there are" $known
        nodes+=("$argument")
        ;;
    esac
  done
  [ -t 1 ] || options+=(--no-color)
  compose logs "${options[@]}" "${nodes[@]}"
}

of_compose() { # ps --all | network ls | volume ls: what compose has made of that kind
  docker "$@" --quiet --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME"
}

# Removes one node after another, and not all at once as compose does: an engine can lose count of a
# network's endpoints when several are removed at once.
down() {
  if [ "${1:-}" = --rows ] && [ ! -d "$COPSE_CLUSTER_DIR/host" ]; then # it is down already
    delete_rows
    return
  fi
  require_cluster
  end_programs
  local node network
  for node in $(of_compose ps --all); do
    docker stop "$node" >/dev/null || true # it goes all the same
    docker rm --force "$node" >/dev/null
  done
  for network in $(of_compose network ls); do remove_network "$network"; done
  if [ "${1:-}" = --rows ]; then delete_rows; fi
  rm -rf "$COPSE_CLUSTER_DIR"
}

delete_rows() {
  of_compose volume ls | xargs --no-run-if-empty docker volume rm >/dev/null
}

programs() { # containers of host programs, running or not yet removed
  docker ps --all --quiet --filter "label=org.copse.project=$COMPOSE_PROJECT_NAME"
}

# Host programs that still run would keep the cluster's network in use. The engine removes a
# container that has ended, and is given the time to.
end_programs() {
  local container deadline=$((SECONDS + 10))
  for container in $(programs); do
    docker kill "$container" >/dev/null 2>&1 || true # it has ended by itself
  done
  while [ -n "$(programs)" ]; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      docker rm --force $(programs) >/dev/null || true
      return
    fi
    sleep 0.1
  done
}

remove_network() { # NETWORK
  local stranger said
  for stranger in $(docker network inspect --format '{{range .Containers}}{{.Name}} {{end}}' "$1"); do
    docker network disconnect --force "$1" "$stranger"
  done
  said=$(docker network rm "$1" 2>&1) || {
    echo "cluster.sh: $said" >&2
    echo "cluster.sh: that network is empty, but the Docker engine has miscounted its containers and keeps the network" \
      "until the engine is restarted; the next 'up' uses the same network" >&2
  }
}

case ${1:-} in
  up | run | status | logs | down | files) "$@" ;;
  -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
