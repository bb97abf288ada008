#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All tests of Prim, set-up included.
#   scripts/check.sh         the same as all: what runs on every commit
#   scripts/check.sh quick   release build, quick tests, benchdnn smoke inputs on the CPU engine and in part on PoCL
#   scripts/check.sh all     also half of those inputs on PoCL, the bridges, the second compiler of kernels (rusticl),
#                            the sanitizers, check_impls on a sample of each implementation, and a fixed sample of
#                            the inputs of types, layouts, attributes (ci) and edges of tiles
#   scripts/check.sh full    all, with those inputs whole, on PoCL and on rusticl, check_impls without samples,
#                            every kernel under every set of options, PoCL's optimiser for all: hours
# The end says how many steps passed and failed, and how many tests and cases were skipped and why.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

mode=${1:-all}
case $mode in
    quick | all | full) ;;
    *)
        sed -n '3,11s/^# //p' "$0"
        exit 2
        ;;
esac
drivers=()
for file in benchdnn/drivers/*_driver.c; do
    file=${file##*/}
    drivers+=("${file%_driver.c}")
done
pocl=/etc/OpenCL/vendors/pocl.icd
rusticl=/etc/OpenCL/vendors/rusticl.icd
passed=0
failures=()
skips=()
nskipped=0
started=$SECONDS

# step NAME command…: runs one step, keeps its output in build/check/NAME.log, goes on when it fails.
# begin NAME command… starts one beside the next steps, one at a time: finish says how it went.
step() {
    local status=0
    printf '%-52s' "$1"
    timed "$@" || status=$?
    report "$1" $status
}
begin() {
    beside=$1
    timed "$@" &
    beside_pid=$!
}
finish() {
    local status=0
    printf '%-52s' "$beside"
    wait $beside_pid || status=$?
    report "$beside" $status
}
log_of() { echo "build/check/${1// /_}.log"; }
timed() { # NAME command…
    local TIMEFORMAT='%R %U %S' log
    log=$(log_of "$1")
    { time "${@:2}" >"$log" 2>&1; } 2>"$log.time"
}
# Says how long a step took and how many cores it kept busy: one that waits for its last test shows there.
# Lines "SKIPPED count what: why" of its output are summed up for the end.
report() { # NAME STATUS
    local log skipped
    log=$(log_of "$1")
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        printf 'ok    '
    else
        failures+=("$1: $log")
        printf 'FAILED'
    fi
    awk 'END { printf "%5d s, %.1f cores\n", $1, ($2 + $3) / ($1 + 0.01) }' "$log.time"
    [ "$2" -eq 0 ] || grep -v '^SKIPPED ' "$log" | tail -40 | sed 's/^/    /' || true
    while read -r skipped; do
        nskipped=$((nskipped + ${skipped%% *}))
        skips+=("$1: $skipped")
    done < <(awk '$1 == "SKIPPED" { n = $2; sub(/^SKIPPED [0-9]+ /, ""); count[$0] += n }
        END { for (what in count) print count[what], what }' "$log" | sort -k2)
}

# bench_inputs BUILD ENGINE SETS [OPTION…]: every driver over benchdnn/inputs/<driver>/test_<driver>_SET,
# two at a time: most of the time goes to the OpenCL compiler, which has one thread. The set `tiles` is
# every test_… that is none of the others, and not the grammar (quick tests read that). SET/N is a fixed
# sample, one case in N, SET/N+M the one from number M on; where $SHARES has DRIVER=N, one in N of that driver's.
# A set that ends with - is built without the optimiser of PoCL, which takes longer than all else. $EMULATOR runs the
# programs. Ends with the failed cases again.
bench_one() { # DRIVER BATCH PART BUILD ENGINE [OPTION…]; a PART that ends with - is built without PoCL's optimiser
    local driver=$1 batch=$2 part=${3%-} build=$4 engine=$5 log
    [[ $3 != *- ]] || local -x POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
    shift 5
    log=$(mktemp)
    local status=0 failed
    ${EMULATOR:-} "build/$build/benchdnn/benchdnn" --mode=C --engine="$engine" --sample="$part" "$@" "--$driver" \
        --batch="$batch" >"$log" 2>&1 || status=$?
    grep -vE '^[0-9]+:(PASSED|SKIPPED|MISTRUSTED)' "$log" | sed "s/^/$batch: /"
    awk -f scripts/skips.awk "$log"
    failed=$(unknown_failures "$log")
    if [ "$status" -eq 1 ] && [ -n "${KNOWN_FAILURES:-}" ] && [ -z "$failed" ] && grep -q '^tests:' "$log"; then
        status=0
    fi
    # LeakSanitizer looks for leaks when all cases are done, by a thread that may die of a signal while it walks the
    # threads of PoCL (tests/CMakeLists.txt).
    if [ "$status" -eq 1 ] && [ -z "$failed" ] && grep -q '^tests:' "$log" &&
            grep -q 'LeakSanitizer has encountered a fatal error' "$log"; then
        echo "SKIPPED 1 leaks of $batch: LeakSanitizer died of a signal"
        status=0
    fi
    [ $status -eq 0 ] || printf '%s ended with %d\n%s\n' "$batch" $status "$failed" >>build/check/failed_cases
    rm -f "$log"
    return $status
}
# The failed cases of a log but those that match a line of $KNOWN_FAILURES, which are counted as skipped.
unknown_failures() { # LOG
    local known=${KNOWN_FAILURES:-/dev/null} nknown
    sort -u "$1" | awk '/^[0-9]+:/ && !/^[0-9]+:(PASSED|SKIPPED|MISTRUSTED)/' >"$1.failed"
    grep -v '^#' "$known" >"$1.known" || true
    grep -vEf "$1.known" "$1.failed" || true
    nknown=$(grep -Ef "$1.known" "$1.failed" | wc -l || true)
    [ "$nknown" -eq 0 ] || echo "SKIPPED $nknown cases: the device computes them wrongly ($known)" >&2
    rm -f "$1.failed" "$1.known"
}
export -f bench_one unknown_failures
# The largest first, and the two that take longest by halves.
batches() { # SETS: lines "DRIVER BATCH PART"
    local set name driver file share first flag
    for set in $1; do
        name=${set%%[/-]*}
        for driver in "${drivers[@]}"; do
            for file in "benchdnn/inputs/$driver/test_${driver}_"*; do
                case $name:${file##*_} in
                    tiles:tiny | tiles:smoke | tiles:ci | tiles:grammar | tiles:scenario) ;;
                    tiles:* | "${file##*_}:$name") echo "$(wc -c <"$file") $driver ${file##*/} $set" ;;
                esac
            done
        done
    done | sort -k1,1nr -k3 | while read -r _ driver file set; do
        share=1 first=0 flag=
        [[ $set != *- ]] || flag=-
        set=${set%-}
        [[ $set != *+* ]] || first=${set#*+}
        [[ $set != */* ]] || share=${set#*/} share=${share%+*}
        [[ " ${SHARES:-} " != *" $driver="* ]] || share=$(sed "s/.* $driver=\([0-9]*\) .*/\1/" <<<" $SHARES ")
        case $file in
            test_conv_smoke | test_matmul_tiles)
                printf '%s\n' "$driver $file $first/$((2 * share))$flag" \
                    "$driver $file $((first + share))/$((2 * share))$flag" ;;
            *) echo "$driver $file $first/$share$flag" ;;
        esac
    done
}
bench_inputs() {
    local build=$1 engine=$2 sets=$3
    local status=0
    shift 3
    rm -f build/check/failed_cases
    batches "$sets" | xargs -P2 -L1 bash -o pipefail -c 'bench_one "${@: -3}" "${@:1:$#-3}"' _ \
        "$build" "$engine" "$@" || status=1
    [ $status -eq 0 ] || cat build/check/failed_cases
    return $status
}
# Half of the smoke inputs on PoCL, whose optimiser gets the kernels of every eighth case.
smoke() {
    local sets="smoke/8 smoke/8+4- smoke/4+2-"
    [ "$mode" != full ] || sets=smoke
    bench_inputs release gpu "$sets"
}
# Under the sanitizers half of those, whose kernels PoCL's cache has from there.
smoke_asan() {
    local sets="smoke/8 smoke/8+4-"
    [ "$mode" != full ] || sets=smoke
    bench_inputs asan gpu "$sets"
}
# Under Oclgrind: a few shapes a driver.
tiny_one() { # DRIVER BATCH PART
    local driver=$1 status=0 out start=$SECONDS
    out=$(OCL_ICD_VENDORS=/nonexistent oclgrind --data-races --uninitialized --build-options -cl-opt-disable \
        build/release/benchdnn/benchdnn --mode=C --engine=gpu "--$driver" \
        --batch="$2" 2>&1) || status=1
    echo "$driver: $((SECONDS - start)) s"
    grep -E '^tests:|^[0-9]+:(FAILED|UNIMPL|INVALID)' <<<"$out" | sed "s/^/$driver: /" || true
    awk -f scripts/skips.awk <<<"$out"
    out=$(grep -vE '^[0-9]+:[A-Z]+' <<<"$out") # cases say "Invalid case", too
    if grep -qE 'Invalid|Uninitiali[sz]ed|data race|overrun' <<<"$out"; then
        grep -E -A6 'Invalid|Uninitiali[sz]ed|data race|overrun' <<<"$out" | head -30
        status=1
    fi
    return $status
}
export -f tiny_one
bench_tiny() { batches tiny | xargs -P2 -L1 bash -c 'tiny_one "$@"' _; }
# check_impls of the CPU engine, a sample of each implementation, two operations at a time.
emulated_one() { # DRIVER
    local build=build/aarch64
    $EMULATOR $build/tests/check_impls "$EMULATOR $build/benchdnn/benchdnn" cpu "--driver=$1" \
        --sample=1 --least=8
}
export -f emulated_one
emulated_implementations() { printf '%s\n' "${drivers[@]}" | grep -vx zeropad | xargs -P2 -I{} bash -c 'emulated_one {}'; }
downstream() { # an installed tree, used through CMake and through pkg-config
    local prefix=$PWD/build/check/prefix
    rm -rf "$prefix" build/check/downstream
    cmake --install build/release --prefix "$prefix"
    tests/downstream/try.sh "$prefix" build/check/downstream
}
tests() { # BUILD [CTEST OPTION…]; what was skipped comes last
    local log=build/$1/Testing/Temporary/LastTest.log out=build/check/ctest.out status=0
    rm -f "$log"
    (cd "build/$1" && ctest --output-on-failure "${@:2}") 2>&1 | tee "$out" || status=$?
    awk -f scripts/skips.awk "$log" "$out" || status=1
    return $status
}
# PoCL keeps a __local array that it did not take for one as a variable <kernel>.<array> of the library that
# it makes of the kernel: work-groups that run at the same time would share it.
local_arrays() {
    local symbols
    symbols=$(find "$POCL_CACHE_DIR" -name '*.so' -exec nm -A {} + 2>/dev/null)
    grep -q ' T _pocl_kernel' <<<"$symbols" || { echo "no kernels in $POCL_CACHE_DIR"; return 1; }
    ! grep -E ' [bd] [a-z0-9_]+\.[a-z]' <<<"$symbols"
}
# The library with another compiler as well, so that two see its sources.
build_threads() {
    local -x CC=clang CXX=clang++
    configure tsan && ninja -C build/tsan --quiet tests_threads
}
build_clang() {
    local -x CC=clang CXX=clang++
    configure release -B build/clang -DPRIM_CPU_RUNTIME=THREADPOOL -DPRIM_TEST_FAULT_STEP=12 &&
        ninja -C build/clang --quiet
}
# Many kernels, a few elements each: what PoCL's optimiser makes of kernels is seen with benchdnn's inputs.
not_optimised() {
    [ "$mode" = full ] || local -x POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
    "$@"
}
quick_tests() { not_optimised tests "$1" -L quick -j2 --timeout 300 "${@:2}"; }
# Of another build: what reads the sources, compares descriptors with a list, or runs benchdnn for the sake of its
# parsers, has said all it can; but for the sanitizers, under which the last two find other faults. Without OpenCL the
# code for each level of vector instructions is the same.
quick_tests_again() {
    local said='^(hygiene_|check_impls_options_|random_problems$)'
    case $1 in
        asan) said='^hygiene_' ;;
        no-ocl) said+='|^cpu_isa_' ;;
    esac
    quick_tests "$1" -E "$said"
}
# Keeps the tables of check_impls, for scripts/check_impls.py.
kernel_tests() {
    local status=0
    tests release -L kernels -j2 --timeout 3000 || status=$?
    cp build/release/Testing/Temporary/LastTest.log build/check/implementations.txt
    return $status
}
# Two at a time: most of them wait for the OpenCL compiler, which has one thread. Those that measure run alone.
long_tests() { not_optimised tests "$1" -L long -j2 --timeout 1200; }

mkdir -p build/check
[ "$mode" != full ] || export PRIM_TEST_ISA_PARTS=1
need_packages "${build_packages[@]}" "${test_packages[@]}"
[ "$mode" = quick ] || need_packages "${aarch64_packages[@]}"
export OCL_ICD_VENDORS=$pocl
# Never the user's folder. ctest sets its own; benchdnn keeps nothing, for PoCL compiles every kernel once
# more to give its binary out.
export PRIM_CACHE_DIR=
# Threads that wait leave their core to the OpenCL device, which is the same processor.
export OMP_WAIT_POLICY=passive
# PoCL's own cache: a kernel that another step has built is there (a second build of the same one takes a
# tenth of the time). It does not depend on what was run before outside of the checks.
export POCL_CACHE_DIR=$PWD/build/check/pocl
# What OpenCL drivers lose by themselves, as PoCL does the options that it is given so.
export LSAN_OPTIONS=suppressions=$PWD/tests/lsan_suppressions.txt:print_suppressions=0
# Objects of the copy in which mutants are planted are those of the release build.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

step "release build (gcc)" build release -DPRIM_BUILD_TESTS=ON
step "release tests, quick" quick_tests release
if [ "$mode" = quick ]; then
    step "benchdnn smoke, a sample, gpu (PoCL)" bench_inputs release gpu "smoke/64 smoke/16+8-"
else
    step "benchdnn smoke, gpu (PoCL)" smoke
fi
step "benchdnn smoke, cpu" bench_inputs release cpu smoke
if [ "$mode" = quick ]; then
    step "benchdnn ci, a sample, cpu" bench_inputs release cpu ci/4
else
    step "benchdnn ci, cpu" bench_inputs release cpu ci
    step "release tests, long" long_tests release
    step "installed tree, downstream programs" downstream
    # Python keeps one core busy, and compilers the other one.
    begin "bridges" scripts/bridges.sh quick
    step "benchdnn tiny, gpu (Oclgrind)" bench_tiny
    step "tsan build (clang, thread pool runtime)" build_threads
    step "no-ocl build" build no-ocl
    finish
    step "mutants, a sample of 17" not_optimised scripts/mutate.py --ci
    if [ "$mode" = full ]; then
        step "clang build, thread pool runtime" build_clang
        step "clang tests, quick" quick_tests_again clang
    fi
    step "no-ocl tests, quick" quick_tests_again no-ocl
    # With the library that the bridges need, which are built in the same folder.
    step "asan build" build asan -DPRIM_LIBRARY_TYPE=SHARED
    step "asan tests, quick" quick_tests_again asan
    begin "bridges under asan" scripts/bridges.sh asan
    step "aarch64 build (cross compiler)" build aarch64
    EMULATOR=$aarch64_emulator step "benchdnn smoke, ci in part, cpu (aarch64, QEMU)" \
        bench_inputs aarch64 cpu "smoke ci/20"
    EMULATOR=$aarch64_emulator step "implementations, cpu (aarch64, QEMU)" emulated_implementations
    finish
    step "tsan tests, threads" tests tsan -L threads --timeout 600
    # llvmpipe compiles a kernel again for most cases: of the drivers with hundreds of them a part runs, all with
    # `full`. One implementation gives other values from run to run there: doc/devices.md.
    [ "$mode" = full ] || shares="softmax=128 eltwise=64 conv=64 reduction=64 ip=16 deconv=32 bnorm=16 lnorm=16 gnorm=16 \
pool=32 binary=16 prelu=16 sum=16 resampling=16 matmul=8 lrn=8 concat=8 reorder=8"
    OCL_ICD_VENDORS=$rusticl RUSTICL_ENABLE=llvmpipe KNOWN_FAILURES=scripts/llvmpipe_failures.txt SHARES=${shares:-} \
        step "benchdnn smoke, gpu (rusticl)" bench_inputs release gpu smoke \
        --global-skip-impl=ocl:pool:backward_nchw_tile
    step "benchdnn smoke under asan, gpu (PoCL)" smoke_asan
    step "implementations, starts, far, gpu (PoCL)" kernel_tests
    step "local arrays of PoCL's kernels" local_arrays
fi

# Numbers of cases that take about a minute on two cores, and the same in every run.
if [ "$mode" = all ]; then
    step "benchdnn ci and tiles, samples, gpu (PoCL)" bench_inputs release gpu "ci/30 tiles/24 tiles/24+12-"
elif [ "$mode" = full ]; then
    step "every implementation, gpu (PoCL)" tests release -L impls -j2 --timeout 7200
    step "benchdnn ci, gpu (PoCL)" bench_inputs release gpu ci
    step "benchdnn tiles, gpu (PoCL)" bench_inputs release gpu tiles
    OCL_ICD_VENDORS=$rusticl RUSTICL_ENABLE=llvmpipe \
        step "benchdnn ci, gpu (rusticl)" bench_inputs release gpu ci
    OCL_ICD_VENDORS=$rusticl RUSTICL_ENABLE=llvmpipe \
        step "benchdnn tiles, gpu (rusticl)" bench_inputs release gpu tiles
fi

echo
if [ ${#skips[@]} -gt 0 ]; then
    echo "skipped:"
    printf '    %s\n' "${skips[@]}"
    echo
fi
if [ ${#failures[@]} -gt 0 ]; then
    echo "failed:"
    printf '    %s\n' "${failures[@]}"
    echo
fi
echo "$(((SECONDS - started) / 60)) minutes; steps that passed and failed, tests and cases that were skipped:"
echo "$passed passed, ${#failures[@]} failed, $nskipped skipped"
[ ${#failures[@]} -eq 0 ]
