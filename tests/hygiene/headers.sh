#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh SOURCE_DIR GENERATED_INCLUDE_DIR CC CXX: every header compiles alone: the public ones in
# C11 and C++17 under harsh flags, the internal ones in C11.
set -u
source=$1 generated=$2 cc=$3 cxx=$4
failed=0 passed=0
compile() { # command…
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $*"; fi
}
harsh='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only'
for header in "$source"/include/prim/*.h; do
    compile "$cc" -std=c11 $harsh -I"$source/include" -I"$generated" -x c "$header"
    [ -n "$cxx" ] && compile "$cxx" -std=c++17 $harsh -I"$source/include" -I"$generated" -x c++ "$header"
done
while read -r header; do
    compile "$cc" -std=c11 $harsh -DCL_TARGET_OPENCL_VERSION=120 -I"$source/include" -I"$generated" \
        -I"$source/src" -x c "$header"
done < <(find "$source/src" -name '*.h' \( -not -path '*/clh/*' -o -path '*/clh/shared/*' \))
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
