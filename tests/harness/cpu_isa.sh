#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cpu_isa.sh LEVEL PRIM_INFO BENCHDNN: products on the CPU engine with the vector instructions of one
# level, which prim-info must report: the library's kernels are chosen by the same answer. All smoke inputs; of the ci
# inputs, which check.sh runs whole with the best level, each level has another quarter (PRIM_TEST_ISA_PARTS=1: all).
# Ends with 77 where the processor has no such instructions.
set -uo pipefail
level=$1 prim_info=$2 benchdnn=$3
export PRIM_MAX_CPU_ISA=$level
nparts=${PRIM_TEST_ISA_PARTS:-4}
instructions() { "$prim_info" | awk '/^cpu:/ { on = 1 } on && $1 == "instructions" { print $2; exit }'; }
used=$(instructions)
best=$(unset PRIM_MAX_CPU_ISA && instructions)
case $best:$level in
    portable:avx* | avx2:avx512* | avx512:avx512_* | avx512_vnni:avx512_[ab]* | avx512_bf16:avx512_amx)
        echo "skipped: the processor has $best at most"
        exit 77
        ;;
esac
if [ "$used" != "$level" ]; then
    echo "PRIM_MAX_CPU_ISA=$level gives \"$used\" on a processor that has \"$best\""
    exit 1
fi
case $level in
    avx2 | avx512_amx) part=1 ;;
    avx512) part=2 ;;
    avx512_vnni) part=3 ;;
    *) part=0 ;;
esac
status=0
for driver in conv ip matmul; do
    for set in "smoke 0/1" "ci $((part % nparts))/$nparts"; do
        "$benchdnn" --mode=C --engine=cpu --sample="${set#* }" "--$driver" --batch="test_${driver}_${set% *}" |
            grep -E '^tests:|FAILED|UNIMPLEMENTED|INVALID_ARG' || status=1
        [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
    done
done
exit $status
