#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# team_test.sh MPIEXEC TRAIN_DIGITS TRAIN_DIGITS_MPI: four processes give the losses of one process with the four-fold
# batch, and a process that is killed ends the run with an error.
set -u
mpiexec=$1 alone=$2 team=$3
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! "$mpiexec" -n 2 true 2>"$folder/why"; then
    echo "skipped: $mpiexec cannot start processes here: $(head -c 300 "$folder/why")"
    exit 77
fi

options=(cpu --norm=layer --epochs=1 --steps=5)
"$alone" "${options[@]}" --batch=64 --log="$folder/one.csv" || exit 1
"$mpiexec" -n 4 "$team" "${options[@]}" --batch=16 --log="$folder/four.csv" || exit 1
# The same sums in another order: rounding of f32, as in doc/training.md.
paste -d, "$folder/one.csv" "$folder/four.csv" | awk -F, '
    NR == 1 { next }
    { difference = $2 - $4; print "step " $1 ": " $2 " alone, " $4 " with four processes" }
    $1 != $3 || difference > 1e-5 || difference < -1e-5 { bad = 1 }
    END { if (NR != 6 || bad) { print "the losses differ"; exit 1 } }' || exit 1

"$mpiexec" -n 4 "$team" cpu --norm=layer --batch=16 --epochs=100000 --steps=1 >"$folder/out" 2>&1 &
run=$!
for _ in $(seq 300); do
    grep -q "epoch 2:" "$folder/out" && break
    sleep 0.2
done
victim=$(pgrep -P $run -f train_digits_mpi | tail -1)
if [ -z "$victim" ]; then
    echo "no process to kill:"
    cat "$folder/out"
    kill $run
    exit 1
fi
kill -KILL "$victim"
for _ in $(seq 150); do
    kill -0 $run 2>/dev/null || break
    sleep 0.2
done
if kill -0 $run 2>/dev/null; then
    echo "30 seconds after one process was killed the run goes on"
    kill $run
    exit 1
fi
wait $run
code=$?
echo "a killed process ends the run with exit code $code"
[ $code -ne 0 ]
