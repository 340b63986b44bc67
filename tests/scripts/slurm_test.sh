#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sweep as a job array of a real Slurm, on this one machine: starts Slurm's daemons in a folder of
# their own, submits the script of docs/commands/sweep.md, merges what the tasks wrote, and compares
# it with the sweep that ran at once. Then a task is killed while it runs, and the same array is
# submitted again.
#
#   tests/scripts/slurm_test.sh BUILD_FOLDER
set -euo pipefail
program=$(realpath "$1/gardenhose")
folder=$(mktemp -d)
port=$((20000 + RANDOM / 2 * 2))
PATH+=:/usr/sbin

until_true() {  # until_true COMMAND...; what takes longer hangs, however slow the machine
  local end=$((SECONDS + 1200))
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then echo "did not come true: $*" >&2 && return 1; fi
    sleep 0.2
  done
}

stop() {
  local status=$? name daemon
  for name in slurmd slurmctld munged; do
    daemon=$(cat "$folder/$name.pid" 2>/dev/null) || continue
    kill "$daemon" 2>/dev/null || continue
    until_true is_gone "$daemon" || true  # it writes its state once more
  done
  if [ $status -ne 0 ]; then tail -n 20 "$folder"/*.log >&2 || true; fi
  rm -rf "$folder"
  exit $status
}
# It may be left to a first process that does not ask how it ended.
is_gone() { ! grep -qs "^State:[[:space:]]*[^Z[:space:]]" "/proc/$1/status"; }
trap stop EXIT

write_settings() {
  cat >"$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$(uname -n)(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=5
NodeName=$(uname -n) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

start_slurm() {
  export SLURM_CONF=$folder/slurm.conf
  mkdir "$folder/state" "$folder/spool"
  chmod 755 "$folder"
  dd if=/dev/urandom of="$folder/munge.key" bs=1 count=1024 status=none
  chmod 600 "$folder/munge.key"
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
    --seed-file="$folder/munged.seed"
  slurmctld
  slurmd
  until_true sh -c 'sinfo -h -o %t | grep -q idle'
}

write_study() {
  mkdir "$folder/study"
  cat >"$folder/study/study.toml" <<'END'
[run]
topology = "dgx_h100_x16"
baseline = "twin"
[grid]
scheme = ["sharded", "sdp4bit", "zeropp"]
nodes = [1, 2, 4, 8, 16]
network.nic_bandwidth = ["50 Gbps", "100 Gbps", "200 Gbps", "400 Gbps"]
range = ["off", "on"]  # which takes longer
[together.size]
model = ["gpt_125m", "gpt_350m", "gpt_1.3b"]
tp = [1, 2, 4]
END
  cat >"$folder/study/study.sh" <<END
#!/bin/bash
#SBATCH --array=1-4 --cpus-per-task=1
$program sweep study.toml
END
}

has_points() { [ "$("$program" export "$1" --format csv | wc -l)" -gt 1 ]; }

is_over() { [ -z "$(squeue -h)" ]; }

points() { echo $(($(wc -l <"$1") - 1)); }

# merged NAME: the stores of the four tasks, as CSV by point.
merged() {
  "$program" merge "$1.sqlite" study.*of4.sqlite >/dev/null
  "$program" export "$1.sqlite" --format csv -o "$1.csv"
}

write_settings
start_slurm
write_study
cd "$folder/study"

"$program" sweep study.toml --store whole.sqlite >/dev/null
"$program" export whole.sqlite --format csv -o whole.csv
echo "at once: $(points whole.csv) points"

sbatch study.sh
until_true is_over
merged array
cmp whole.csv array.csv
echo "as an array of four tasks, merged: the same"

# Again where the task was over before it was killed.
left=0
for _ in 1 2 3 4 5 6 7 8; do
  rm study.*of4.sqlite
  job=$(sbatch --parsable study.sh)
  until_true has_points study.2of4.sqlite
  scancel --signal=KILL "${job}_2" || true  # it may be over
  until_true is_over
  merged killed
  left=$(($(points whole.csv) - $(points killed.csv)))
  [ $left -eq 0 ] || break
  rm killed.*
done
[ $left -gt 0 ] || { echo "the task was over before it was killed" >&2 && exit 1; }
sbatch study.sh
until_true is_over
merged resumed
cmp whole.csv resumed.csv
echo "a task killed with $left points left, and the array submitted again: the same"
