#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Read by embedded.sh and kernels.sh, with SOURCE set: clang as a compiler of OpenCL C 1.2 that is no driver, and what
# it has to be told of a program. Exports CLANG and WORK, a folder that goes when the script ends. Ends the script with
# 77 where there is no clang.
skip() {
    echo "skipped: $*"
    exit 77
}
CLANG=$(command -v clang || command -v clang-14) || skip "no clang"
WORK=$(mktemp -d)
export CLANG WORK
trap 'rm -rf "$WORK"' EXIT

# Kernels for units that no device of CI has, as "name options": the options stand in their contract blocks.
unit_programs() {
    local file
    find "$SOURCE/src/gpu/ocl" -name '*.cl' -exec grep -l 'checked with: ' {} + | sort | while read -r file; do
        grep -oE 'checked with: .*' "$file" | sed "s/^checked with:/$(basename "$file" .cl)/"
    done
}

# kernel_flags FILE OPTION…: sets `flags` to the flags of clang for a program with these options. FILE is the kernel's
# own: no extension, unless it asks for one by name. (clang declares vload_half with cl_khr_fp16 only; half arithmetic
# needs its pragma besides.)
kernel_flags() {
    local file=$1
    shift
    flags=(-x cl --target=spir64 -cl-std=CL1.2 -fsyntax-only "$@")
    # What came after 1.2 is declared by clang's header, not by its table of built-in functions.
    if [[ $* =~ -cl-std=CL[23] ]]; then
        flags+=(-cl-no-stdinc -include opencl-c.h)
    elif ! grep -q '^#pragma OPENCL EXTENSION' "$file"; then
        flags+=(-Xclang -cl-ext=-all,+cl_khr_fp16)
    fi
    # Inline PTX with its registers.
    if [[ $* =~ -D((MMA|RETARGET|ASYNC_COPY|LANE_SHUFFLE|CACHE_HINTS|FAST_EXP2|PACKED_BF16|PACKED_MAX|RELAXED_ATOMICS)=1|INT_DOT=2) ]]; then
        flags+=(--target=nvptx64)
    fi
}
export -f kernel_flags
