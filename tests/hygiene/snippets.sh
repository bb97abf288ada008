#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# snippets.sh SOURCE_DIR GENERATED_INCLUDE_DIR CC: the C programs in the documents compile. A block
# that starts with ```c is a program if it has a main().
set -u
source=$1 generated=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$source" -maxdepth 1 -name '*.md' -print0 -o -path "$source/doc/*.md" -print0 |
    xargs -0 awk -v work="$work" '
    /^```c$/ { is_in = 1; text = sprintf("#line %d \"%s\"\n", FNR + 1, FILENAME); next }
    /^```/ && is_in {
        is_in = 0
        if (text ~ /[ \n]main\(/) { out = work "/" ++n ".c"; printf "%s", text >out; close(out) }
    }
    is_in { text = text $0 "\n" }'
passed=0 failed=0
for program in "$work"/*.c; do
    if "$cc" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$source/include" -I"$generated" "$program"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
