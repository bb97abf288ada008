#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# New random problems for every implementation, for so many minutes: check_impls with one new seed after
# the other, over all operations and all engines that are there.
#     scripts/soak.sh [MINUTES [DRIVER…]]
# SEED=n starts there, for the same problems again (the default is the time); ENGINES="cpu gpu" leaves engines
# out; BUILD=folder takes another build than build/release; DEVICE=word takes the OpenCL device whose platform
# or name has the word, as PRIM_OCL_DEVICE does. OCL_ICD_VENDORS and OCL_ICD_FILENAMES choose the driver.
# Prints each seed and each problem that fails. These stand in build/soak/<driver>, as a batch file, for
# benchdnn/inputs/<driver>/shapes_regression. Ends with 1 if there are any.
set -uo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-10}
shift || true
drivers=("$@")
if [ ${#drivers[@]} -eq 0 ]; then
    for file in benchdnn/drivers/*_driver.c; do
        file=${file##*/}
        drivers+=("${file%_driver.c}")
    done
fi
build=$(realpath "${BUILD:-build/release}")
benchdnn=$build/benchdnn/benchdnn
check_impls=$build/tests/harness/check_impls
for program in "$benchdnn" "$check_impls"; do
    [ -x "$program" ] || {
        echo "$program is missing: cmake --preset release -DPRIM_BUILD_TESTS=ON && ninja -C build/release"
        exit 2
    }
done
[ -z "${DEVICE:-}" ] || export PRIM_OCL_DEVICE=$DEVICE
# Kernels of problems that do not come again are not worth keeping; threads that wait leave their core to a
# device that is the same processor.
export PRIM_CACHE_DIR='' OMP_WAIT_POLICY=passive

out=$PWD/build/soak
mkdir -p "$out"
cd "$out" || exit 2
engines=()
for engine in ${ENGINES:-cpu gpu}; do
    if "$benchdnn" --mode=I "--engine=$engine" --sum 1 >engine.log 2>&1; then
        engines+=("$engine")
    else
        echo "no engine $engine: $(grep -m1 rror engine.log)"
    fi
done
[ ${#engines[@]} -gt 0 ] || exit 2

deadline=$((SECONDS + minutes * 60))
seed=${SEED:-$(date +%s)}
nfailed=0 nruns=0 nended=0
# soak ENGINE DRIVER: one draw; what is not done at the deadline is ended, and what it found until then counts.
soak() {
    local left=$((deadline - SECONDS)) log="$2.$1.log" status=0
    [ "$left" -gt 0 ] || return
    timeout "$left" "$check_impls" "$benchdnn" "$1" "--driver=$2" "--seed=$seed" --styles=120 --least=40 \
        --soak >"$log" 2>&1 || status=$?
    nruns=$((nruns + 1))
    [ "$status" != 124 ] || nended=$((nended + 1))
    [ "$status" = 0 ] || { [ "$status" = 124 ] && ! grep -q '^failed: ' "$log"; } || {
        grep -E 'FAILED|UNIMPLEMENTED|INVALID|ended|Error' "$log" | head -40
        grep '^failed: ' "$log" | sed 's/^failed: //' >>"$2"
        nfailed=$((nfailed + 1))
    }
}
while [ $SECONDS -lt $deadline ]; do
    echo "seed $seed"
    for driver in "${drivers[@]}"; do
        for engine in "${engines[@]}"; do soak "$engine" "$driver"; done
    done
    seed=$((seed + 1))
done
rm -f engine.log check_impls_*.batch
echo "$nruns draws on ${engines[*]}, $nended of them ended by time, $nfailed with failures$([ $nfailed = 0 ] || echo ": see $out/<driver>")"
[ $nfailed = 0 ]
