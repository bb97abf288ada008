#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job of Prim on this machine: every layer of nine networks, verified against a reference
# in double precision and timed, on the first OpenCL device and on the CPU. Does all its set-up.
#   scripts/demo.sh [network…]       e.g. scripts/demo.sh resnet_50 bert_base
# PRIM_OCL_DEVICE=<index or part of a name> chooses another OpenCL device.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

networks=("$@")
[ $# -gt 0 ] || networks=(resnet_34 resnet_50 mobilenet_v1 mobilenet_v2 mobilenet_v3
    efficientnet_b0 vgg_16 unet bert_base)
# Drivers that have layers of some network, products first.
drivers=(conv ip matmul)
for folder in benchdnn/inputs/*/; do
    driver=$(basename "$folder")
    case $driver in conv | ip | matmul) continue ;; esac
    drivers+=("$driver")
done

mkdir -p build
need_packages "${build_packages[@]}"
say "building"
build release -DPRIM_BUILD_TESTS=OFF
bench=build/release/benchdnn/benchdnn
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# PoCL keeps compiled kernels of its own and compiles each once more to hand it out: the demo runs
# once, so Prim's cache would cost more than it gives.
export PRIM_CACHE_DIR=
# Threads that wait leave their core to the OpenCL device where it is the same processor.
export OMP_WAIT_POLICY=passive

say "devices"
build/release/examples/list_devices

# One line for each layer: perf,<driver>,<implementation>,<name>,<ms>,<operations>
template='perf,%driver%,%impl%,%name%,%-time%,%ops%'

# What a network's layers look like: inference, with bias, normalisation by given statistics.
options_of() { # driver
    case $1 in
    conv | ip) echo --dir=FWD_B ;;
    bnorm) echo --dir=FWD_I --flags=GCHR ;;
    lnorm | gnorm) echo --dir=FWD_I --flags=CH ;;
    pool | eltwise | softmax | resampling) echo --dir=FWD_I ;;
    esac
}

run_network() { # network engine
    local driver shapes out
    for driver in "${drivers[@]}"; do
        shapes=benchdnn/inputs/$driver/shapes_$1
        [ -f "$shapes" ] || continue
        out=$results/$1.$2.$driver
        printf '%-16s %-4s %-11s' "$1" "$2" "$driver"
        local status=0
        "$bench" --mode=CP --engine="$2" --max-ms-per-prb=30 "--$driver" \
            $(options_of "$driver") --perf-template="$template" --batch="shapes_$1" \
            >"$out" 2>&1 || status=$?
        grep -h '^tests:' "$out" || { echo "benchdnn failed:"; tail -5 "$out"; exit 1; }
        [ $status -eq 0 ] || { failed=1; grep -E '^[0-9]+:(FAILED|UNIMPLEMENTED|INVALID)' "$out" | head -5; }
    done
}

summarise() { # network engine → layers passed failed ms gflops
    cat "$results/$1.$2."* | awk -F'[,: ]' '
        /^perf,/ { n = 1; if (match($0, /\*[0-9]+/)) n = substr($0, RSTART + 1, RLENGTH - 1)
                   split($0, f, ","); ms += n * f[5]; ops += n * f[6] }
        /^tests:/ { tests += $2; passed += $4; failed += $14 }
        END { printf "%d %d %d %.2f %.1f", tests, passed, failed, ms, (ms > 0 ? ops / ms / 1e6 : 0) }'
}

say "layers: verified, then timed"
failed=0
for network in "${networks[@]}"; do
    for engine in gpu cpu; do run_network "$network" "$engine"; done
done

say "summary (ms and GFLOP/s: one image or sequence through all layers, as often as the network has them)"
printf '%-16s %6s %6s %6s | %10s %9s | %10s %9s\n' network layers passed failed \
    'gpu ms' GFLOP/s 'cpu ms' GFLOP/s
for network in "${networks[@]}"; do
    read -r layers passed bad gpu_ms gpu_rate <<<"$(summarise "$network" gpu)"
    read -r layers2 passed2 bad2 cpu_ms cpu_rate <<<"$(summarise "$network" cpu)"
    printf '%-16s %6d %6d %6d | %10s %9s | %10s %9s\n' "$network" $((layers + layers2)) \
        $((passed + passed2)) $((bad + bad2)) "$gpu_ms" "$gpu_rate" "$cpu_ms" "$cpu_rate"
done
echo
if [ $failed -ne 0 ]; then
    echo "Some layers failed; their lines above repeat them."
    exit 1
fi
echo "All layers passed on both engines."
