#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# snippets.sh SOURCE_DIR GENERATED_INCLUDE_DIR CC: the C code in the documents compiles, programs and
# the host side of an implementation alike: every block that starts with ```c and includes a header.
# What needs OpenCL's headers is left out where there are none.
set -u
source=$1 generated=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
with_ocl=0
echo '#include <CL/cl.h>' | "$cc" -DCL_TARGET_OPENCL_VERSION=120 -E -xc - >/dev/null 2>&1 && with_ocl=1
find "$source"/*.md "$source/doc" -name '*.md' -print0 |
    xargs -0 awk -v work="$work" -v with_ocl="$with_ocl" '
    /^```c$/ { is_in = 1; text = sprintf("#line %d \"%s\"\n", FNR + 1, FILENAME); next }
    /^```/ && is_in {
        is_in = 0
        needs_kernels = text ~ /clh\// || text ~ /__kernel/
        if (text ~ /\n#include/ && !needs_kernels && (with_ocl || text !~ /ocl/)) {
            out = work "/" ++n ".c"
            printf "%s", text >out
            close(out)
        }
    }
    is_in { text = text $0 "\n" }'
passed=0 failed=0
for program in "$work"/*.c; do
    if "$cc" -std=c11 -DCL_TARGET_OPENCL_VERSION=120 -Wall -Wextra -Werror -fsyntax-only -I"$source/include" -I"$generated" \
            -I"$source/src" "$program"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
