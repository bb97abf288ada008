#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# embedded.sh SOURCE_DIR BUILD_DIR: kernels for units that no device of CI has compile as the library holds them, with
# the options that stand in their contract blocks. There headers come first, whatever #if stands around their include
# lines, so one that asks for an option stops programs that do not give it.
# Ends with 77 where there is no clang.
set -uo pipefail
export SOURCE=$1 CL=$2/src/gpu/ocl/cl
CLANG=$(command -v clang || command -v clang-14) || {
    echo "skipped: no clang"
    exit 77
}
WORK=$(mktemp -d)
export CLANG WORK
trap 'rm -rf "$WORK"' EXIT

# The bytes of the C array that embed_cl.cmake made.
find "$SOURCE/src/gpu/ocl" -name '*.cl' -exec grep -l 'checked with: ' {} + | sort | while read -r file; do
    name=$(basename "$file" .cl)
    perl -ne 'next unless /^(static const char text|0x|\s*0x)/; print chr(hex $1) while /0x([0-9a-f]{2}),/g' \
        "$CL/${name}_cl.c" >"$WORK/$name.cl"
    grep -oE 'checked with: .*' "$file" | sed "s/^checked with:/$name/"
done >"$WORK/programs"

compile() {
    local name=$1 target=nvptx64
    shift
    # What came after 1.2 is declared by clang's header, not by its table of built-in functions.
    if [[ $* =~ -cl-std=CL[23] ]]; then
        target=spir64
        set -- "$@" -cl-no-stdinc -include opencl-c.h
    else
        set -- "$@" -Xclang -cl-ext=-all,+cl_khr_fp16
    fi
    "$CLANG" -x cl --target=$target -fsyntax-only -w "$@" "$WORK/$name.cl" 2>"$WORK/log.$$" && return
    echo "FAILED: $name $*"
    head -4 "$WORK/log.$$"
    return 1
}
export -f compile
status=0
xargs -L 1 -P 2 bash -c 'compile "$@"' compile <"$WORK/programs" || status=1
[ $status -eq 0 ] && echo "$(wc -l <"$WORK/programs") programs compile as they are embedded"
exit $status
