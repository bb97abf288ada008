#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# embedded.sh SOURCE_DIR BUILD_DIR: kernels for units that no device of CI has compile as the library holds them, with
# the options that stand in their contract blocks. There headers come first, whatever #if stands around their include
# lines, so one that asks for an option stops programs that do not give it.
# Ends with 77 where there is no clang.
set -uo pipefail
export SOURCE=$1 CL=$2/src/gpu/ocl/cl
. "$SOURCE/tests/hygiene/clang.sh"

# unpack NAME…: the bytes of the C array that embed_cl.cmake made.
unpack() {
    local name
    for name; do
        perl -ne 'next unless /^(static const char text|0x|\s*0x)/; print chr(hex $1) while /0x([0-9a-f]{2}),/g' \
            "$CL/${name}_cl.c" >"$WORK/$name.cl"
    done
}

# compile NAME OPTION…
compile() {
    local name=$1 flags
    kernel_flags "$(find "$SOURCE/src/gpu/ocl" -name "$name.cl")" "${@:2}"
    "$CLANG" "${flags[@]}" -w "$WORK/$name.cl" 2>"$WORK/log.$$" && return
    echo "FAILED: $name ${*:2}"
    head -4 "$WORK/log.$$"
    return 1
}
export -f compile
unit_programs >"$WORK/programs"
mapfile -t names < <(cut -d' ' -f1 "$WORK/programs" | uniq)
unpack "${names[@]}"
status=0
xargs -L 1 -P 2 bash -c 'compile "$@"' compile <"$WORK/programs" || status=1
[ $status -eq 0 ] && echo "$(wc -l <"$WORK/programs") programs compile as they are embedded"
exit $status
