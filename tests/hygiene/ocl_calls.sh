#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ocl_calls.sh SOURCE_DIR: every OpenCL function that the library calls, or asks the driver for by name, is in the
# table of the fault layer (tests/harness/ocl_calls.txt), so that it is among those that fail and are counted.
set -u
cd "$1" || exit 2
known=$(grep -v '^#' tests/harness/ocl_calls.txt | grep -oE '\bcl[A-Z][A-Za-z]+\(' | tr -d '(' | sort -u)
used=$(grep -rhoE '^[^/]*\bcl[A-Z][A-Za-z]+\(|"cl[A-Z][A-Za-z]+(KHR|EXT|INTEL)"' src --include='*.c' --include='*.h' |
    grep -oE '\bcl[A-Z][A-Za-z]+' | sort -u)
[ -n "$known" ] && [ -n "$used" ] || { echo "nothing was found to compare"; exit 1; }
missing=$(comm -13 <(echo "$known") <(echo "$used"))
[ -z "$missing" ] && { echo "all $(wc -l <<<"$used") are in the table"; exit 0; }
echo "not in tests/harness/ocl_calls.txt:" $missing
exit 1
