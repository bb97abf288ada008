#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All tests of Prim, set-up included, in under 25 minutes on 2 cores.
#   scripts/check.sh         the same as all: what runs on every commit
#   scripts/check.sh quick   release build, quick tests, benchdnn smoke inputs on PoCL
#   scripts/check.sh all     also the second compiler of kernels (rusticl), smoke inputs under the
#                            sanitizers, and every kernel under every set of options
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

mode=${1:-all}
drivers=(conv eltwise bnorm pool resampling reorder binary softmax matmul ip prelu sum concat)
pocl=/etc/OpenCL/vendors/pocl.icd
rusticl=/etc/OpenCL/vendors/rusticl.icd
passed=0
failures=()
started=$SECONDS

# step NAME command…: runs one step, keeps its output in build/check/NAME.log, goes on when it fails.
step() {
    local name=$1 start=$SECONDS log=build/check/${1// /_}.log
    shift
    printf '%-52s' "$name"
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        printf 'ok    %4d s\n' $((SECONDS - start))
    else
        failures+=("$name: $log")
        printf 'FAILED %3d s\n' $((SECONDS - start))
        tail -40 "$log" | sed 's/^/    /'
    fi
}

# bench_inputs BUILD ENGINE SET: every driver over benchdnn/inputs/<driver>/test_<driver>_SET, two at a
# time: most of the time goes to the OpenCL compiler, which has one thread.
bench_one() { # BUILD ENGINE SET DRIVER
    "build/$1/benchdnn/benchdnn" --mode=C --engine="$2" "--$4" --batch="test_$4_$3" 2>&1 |
        grep -vE '^[0-9]+:(PASSED|SKIPPED|MISTRUSTED)' | sed "s/^/$4: /"
}
export -f bench_one
bench_inputs() {
    printf '%s\n' "${drivers[@]}" |
        xargs -P2 -I{} bash -o pipefail -c 'bench_one "$@"' _ "$1" "$2" "$3" {}
}
bench_tiny() { # under Oclgrind: a few shapes a driver
    local driver status=0 out
    for driver in "${drivers[@]}"; do
        out=$(OCL_ICD_VENDORS=/nonexistent oclgrind --data-races --uninitialized --build-options -cl-opt-disable \
            build/release/benchdnn/benchdnn --mode=C --engine=gpu "--$driver" \
            --batch="test_${driver}_tiny" 2>&1) || status=1
        grep -E '^tests:|^[0-9]+:(FAILED|UNIMPL|INVALID)' <<<"$out" || true
        if grep -qE 'Invalid|Uninitiali[sz]ed|data race|overrun' <<<"$out"; then
            grep -E -A6 'Invalid|Uninitiali[sz]ed|data race|overrun' <<<"$out" | head -30
            status=1
        fi
    done
    return $status
}
downstream() { # an installed tree, used through CMake and through pkg-config
    local prefix=$PWD/build/check/prefix
    rm -rf "$prefix" build/check/downstream
    cmake --install build/release --prefix "$prefix"
    tests/downstream/try.sh "$prefix" build/check/downstream
}
quick_tests() { (cd "build/$1" && ctest -L quick -j2 --output-on-failure --timeout 300); }
long_tests() { (cd "build/$1" && ctest -L long -j1 --output-on-failure --timeout 1200); }

mkdir -p build/check
need_packages "${build_packages[@]}" "${test_packages[@]}"
export OCL_ICD_VENDORS=$pocl
# Never the user's folder. ctest sets its own; benchdnn keeps nothing, for PoCL compiles every kernel once
# more to give its binary out.
export PRIM_CACHE_DIR=
# Threads that wait leave their core to the OpenCL device, which is the same processor.
export OMP_WAIT_POLICY=passive

step "release build (gcc)" build release -DPRIM_BUILD_TESTS=ON
step "release tests, quick" quick_tests release
step "benchdnn smoke, gpu (PoCL)" bench_inputs release gpu smoke
step "benchdnn smoke, cpu" bench_inputs release cpu smoke
if [ "$mode" != quick ]; then
    step "release tests, long" long_tests release
    step "installed tree, downstream programs" downstream
    step "benchdnn tiny, gpu (Oclgrind)" bench_tiny
    step "clang build, thread pool runtime" env CC=clang bash -c \
        '. scripts/setup.sh; build release -B build/clang -DPRIM_CPU_RUNTIME=THREADPOOL && ninja -C build/clang --quiet'
    step "clang tests, quick" quick_tests clang
    step "no-ocl build" build no-ocl
    step "no-ocl tests, quick" quick_tests no-ocl
    step "asan build" build asan
    step "asan tests, quick" quick_tests asan
    step "tsan build" build tsan
    step "tsan tests, threads" bash -c 'cd build/tsan && ctest -L threads --output-on-failure --timeout 600'
fi

if [ "$mode" = all ]; then
    OCL_ICD_VENDORS=$rusticl RUSTICL_ENABLE=llvmpipe \
        step "benchdnn smoke, gpu (rusticl)" bench_inputs release gpu smoke
    step "benchdnn smoke under asan, gpu (PoCL)" bench_inputs asan gpu smoke
    step "kernels under all their options" bash -c 'cd build/release && ctest -L kernels -j2 --output-on-failure --timeout 3000'
fi

echo
echo "$passed passed, ${#failures[@]} failed"
for failure in "${failures[@]}"; do echo "    $failure"; done
echo "$(((SECONDS - started) / 60)) minutes"
[ ${#failures[@]} -eq 0 ]
