#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# measured.sh SOURCE_DIR: every key of measured numbers (ocl_measured.h) is asked for by an algorithm, beside its rule.
# That each has a line in a table, and each line a key, is ocl_measured_test's.
set -u
cd "$1/src/gpu/ocl" || exit 2
keys=$(grep -oE '^    MEASURED_[A-Z0-9_]+,' tune/ocl_measured.h | tr -d ' ,' | sort -u)
used=$(grep -rhoE '\bMEASURED_[A-Z0-9_]+' . --include='*.c' --exclude='ocl_measured*.c' | sort -u)
[ -n "$keys" ] && [ -n "$used" ] || { echo "nothing was found to compare"; exit 1; }
unread=$(comm -23 <(echo "$keys") <(echo "$used"))
[ -z "$unread" ] && { echo "all $(wc -l <<<"$keys") keys are read"; exit 0; }
echo "nobody reads:" $unread
exit 1
