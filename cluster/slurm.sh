#!/usr/bin/env bash
# A SLURM of four nodes with two fake GPUs each, all on this machine, for the tests. See README.md beside this file.
set -euo pipefail

PACKAGES=(slurmctld slurmd slurm-client munge slurmdbd slurm-wlm-mysql-plugin mariadb-server-core mariadb-client-core)
NODES=(n1 n2 n3 n4)
KIT=$(cd "$(dirname "$0")" && pwd)
PORT=${SLURM_TEST_PORT:-26810} # the first of seven ports on the loopback interface

usage() {
  cat <<'TEXT'
cluster/slurm.sh install               install SLURM, munge and MariaDB from Debian; nothing starts by itself
cluster/slurm.sh start FOLDER          start the test cluster with all its files in FOLDER
cluster/slurm.sh stop FOLDER           stop it, with every job, and delete FOLDER
cluster/slurm.sh kill-node FOLDER n3   end a node with all that runs on it, as a power cut does
cluster/slurm.sh start-node FOLDER n3  start it again
cluster/slurm.sh run COMMAND...        install, start, run a command inside, stop; exits with the command's code
TEXT
}

installed() { dpkg-query --show --showformat='${db:Status-Abbrev}\n' "${PACKAGES[@]}" 2>/dev/null | grep -c '^ii' || true; }

install_packages() {
  [ "$(installed)" = "${#PACKAGES[@]}" ] && return
  local policy=/usr/sbin/policy-rc.d ours=no
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && ours=yes
  fi
  local code=0
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${PACKAGES[@]}" >/dev/null; } || code=$?
  [ "$ours" = no ] || rm -f "$policy"
  return "$code"
}

# Writes every file that the daemons need, in FOLDER.
configure() {
  local folder=$1 host number=0
  host=$(hostname -s)
  mkdir -p "$folder"/{log,run,state,spool,munge,gpus,tmp}
  chmod 0755 "$folder" "$folder/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
  for file in slurm slurmdbd; do
    sed -e "s|@FOLDER@|$folder|g" -e "s|@HOST@|$host|g" -e "s|@CTLD@|$PORT|g" -e "s|@DBD@|$((PORT + 1))|g" \
      -e "s|@DATABASE@|$((PORT + 2))|g" "$KIT/$file.conf.in" >"$folder/$file.conf"
  done
  chmod 0600 "$folder/slurmdbd.conf"
  for node in "${NODES[@]}"; do
    number=$((number + 1))
    echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((PORT + 2 + number))" \
      "CPUs=4 RealMemory=8000 Gres=gpu:2 Feature=fake State=UNKNOWN" >>"$folder/slurm.conf"
    echo "NodeName=$node Name=gpu Type=fake File=$folder/gpus/${node}gpu[0-1]" >>"$folder/gres.conf"
    for gpu in 0 1; do mknod "$folder/gpus/${node}gpu$gpu" c 1 3; done
  done
}

# Runs a command every tenth of a second until it succeeds; gives up after a minute.
await() {
  local what=$1 left=600
  shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    if [ "$left" = 0 ]; then
      echo "$what does not answer" >&2
      return 1
    fi
    sleep 0.1
  done
}

start() {
  local folder=$1
  if SLURM_CONF=$folder/slurm.conf timeout 10 sinfo --noheader >/dev/null 2>&1; then
    echo "it runs already"
    return
  fi
  stop "$folder" # what an interrupted start left
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  configure "$folder"
  export SLURM_CONF=$folder/slurm.conf
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/run/munged.pid" \
    --log-file="$folder/log/munged.log" --seed-file="$folder/munge/seed" --num-threads=4
  start_database "$folder"
  SLURM_CONF=$folder/slurm.conf slurmdbd
  await slurmdbd sacctmgr --immediate --noheader show cluster
  sacctmgr --immediate --quiet add cluster test >/dev/null
  slurmctld -c
  for node in "${NODES[@]}"; do start_node "$folder" "$node"; done
  await slurmctld idle "${#NODES[@]}"
}

idle() { [ "$(sinfo --noheader --Node --partition=main --states=idle | wc -l)" = "$1" ]; }

start_database() {
  local folder=$1 data=$1/database
  mariadb-install-db --no-defaults --user=root --datadir="$data" --skip-test-db --auth-root-authentication-method=normal \
    >"$folder/log/database.log" 2>&1
  mariadbd --no-defaults --user=root --datadir="$data" --socket="$data/socket" --pid-file="$folder/run/mariadbd.pid" \
    --bind-address=127.0.0.1 --port=$((PORT + 2)) --tmpdir="$folder/tmp" --innodb-buffer-pool-size=64M \
    --innodb-log-file-size=16M --innodb-flush-log-at-trx-commit=0 >>"$folder/log/database.log" 2>&1 </dev/null &
  await mariadbd mariadb --no-defaults --socket="$data/socket" --user=root --execute=""
}

start_node() { SLURM_CONF=$1/slurm.conf slurmd -N "$2"; }

# The daemons stop first, so that none of them can tell of the others' end.
kill_node() {
  local jobs daemons
  jobs=$(jobs_on "$1" "$2")
  daemons="$(cat "$1/run/$2.pid" 2>/dev/null || true) $(parents slurmstepd "$jobs")"
  send STOP "$daemons"
  send KILL "$jobs $daemons"
}

# Prints the processes that jobs of this cluster started on a node.
jobs_on() {
  local process environment
  for process in /proc/[0-9]*; do
    environment=$(tr '\0' '\n' 2>/dev/null <"$process/environ") || continue
    if grep -qxF "SLURM_CONF=$1/slurm.conf" <<<"$environment" && grep -qxF "SLURMD_NODENAME=$2" <<<"$environment"; then
      echo "${process#/proc/}"
    fi
  done
}

# Prints those parents of processes that have a name.
parents() {
  local process parent
  for process in $2; do
    parent=$(sed -n 's/^PPid:\t//p' "/proc/$process/status" 2>/dev/null) || continue
    [ "$(cat "/proc/$parent/comm" 2>/dev/null)" != "$1" ] || echo "$parent"
  done
}

send() { for process in $2; do kill "-$1" "$process" 2>/dev/null || true; done; }

# A process that has ended may stay a zombie where process 1 does not reap.
ended() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

stop() {
  [ -e "$1/slurm.conf" ] || return 0
  local folder pid
  folder=$(cd "$1" && pwd)
  for daemon in slurmctld slurmdbd mariadbd munged; do
    pid=$(cat "$folder/run/$daemon.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || continue
    await "$daemon" ended "$pid" || kill -KILL "$pid"
  done
  for node in "${NODES[@]}"; do kill_node "$folder" "$node"; done
  rm -rf "$folder"
}

run() {
  install_packages
  SLURM_TEST_FOLDER=$(mktemp -d /tmp/slurm.XXXXXX)
  export SLURM_TEST_FOLDER SLURM_CONF=$SLURM_TEST_FOLDER/slurm.conf
  trap 'stop "$SLURM_TEST_FOLDER"' EXIT
  start "$SLURM_TEST_FOLDER"
  "$@"
}

case ${1:-} in
  install) install_packages ;;
  start) start "$2" ;;
  stop) stop "$2" ;;
  kill-node) kill_node "$(cd "$2" && pwd)" "$3" ;;
  start-node) start_node "$(cd "$2" && pwd)" "$3" ;;
  run) shift && run "$@" ;;
  *) usage && exit 2 ;;
esac
