#!/usr/bin/env bash
# A pod of an IPUJob with a launcher: starts the IPUs of this pod and an ssh server. The first pod
# then waits for the others and executes the launcher's command, which is this script's arguments:
# ipujob_pod.sh COMMAND...
set -euo pipefail
given=${IPUJOB_FILES:-/etc/ipujob} # cluster.json, hosts, and in secrets/ the keys
wait_seconds=${IPUJOB_WAIT:-600}
index=$JOB_COMPLETION_INDEX
own=/tmp/ipujob # the same in all pods, because variables of the first pod go to all instances
port=2222

# Daemons and ssh take no secret key that others may read, whatever the mode of a volume's files.
rm -rf "$own"
mkdir -m 700 "$own" "$own/keys"
cp "$given/cluster.json" "$own/"
cp "$given"/secrets/*.key "$given/secrets/public.json" "$own/keys/"
cp "$given/secrets/ssh-server" "$given/secrets/ssh-client" "$given/secrets/ssh-client.pub" "$own/"
chmod 600 "$own"/keys/*.key "$own"/ssh-*
echo "ipujob $(cat "$given/secrets/ssh-server.pub")" >"$own/known_hosts"
cat >"$own/ssh_config" <<END
Host *
  Port $port
  IdentityFile $own/ssh-client
  HostKeyAlias ipujob
  UserKnownHostsFile $own/known_hosts
  BatchMode yes
  ConnectTimeout 5
END
export COPSE_CLUSTER=$own/cluster.json
export OMPI_MCA_plm_rsh_args="-F $own/ssh_config" OMPI_MCA_orte_default_hostfile=$given/hosts OMPI_MCA_orte_keep_fqdn_hostnames=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM
for ((ipu = index * IPUJOB_IPUS; ipu < (index + 1) * IPUJOB_IPUS; ipu++)); do
  ipud --cluster "$COPSE_CLUSTER" --ipu "$ipu" >/dev/null &
done
mkdir -p /run/sshd 2>/dev/null || true # as root, sshd needs it
"$(command -v sshd || echo /usr/sbin/sshd)" -D -e -f /dev/null -p $port -h "$own/ssh-server" -o AuthorizedKeysFile="$own/ssh-client.pub" \
  -o StrictModes=no -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no -o PidFile=none -o LogLevel=ERROR \
  -o "SetEnv=COPSE_CLUSTER=$COPSE_CLUSTER" &

if [ "$index" != 0 ]; then
  code=0
  wait -n || code=$?
  echo "ipujob: an ipud or the ssh server of pod $index has ended with exit code $code" >&2
  exit 1
fi
while read -r host _; do
  until ssh -F "$own/ssh_config" "$host" true </dev/null 2>"$own/reason"; do
    if ((SECONDS > wait_seconds)); then
      echo "ipujob: pod $host cannot be reached within $wait_seconds s: $(cat "$own/reason")" >&2
      exit 1
    fi
    sleep 1
  done
done <"$given/hosts"
until copse status >"$own/status" 2>&1; do
  if ((SECONDS > wait_seconds)); then
    echo "ipujob: not all IPUs are ready within $wait_seconds s:" >&2
    cat "$own/status" >&2
    exit 1
  fi
  sleep 1
done
"$@" &
code=0
wait $! || code=$?
exit "$code"
