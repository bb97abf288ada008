#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# circles.sh NM OBJECT_LIST: no two source files of a backend, or of src/common, need each other, directly or
# through others. What a file needs is what the linker would say: the functions and tables that its object
# leaves undefined and another one defines (circles.awk). OBJECT_LIST names the objects of the library, one a line.
set -u
nm=$1 list=$2
"$nm" --version >/dev/null 2>&1 || { echo "skipped: no nm"; exit 77; }
mapfile -t objects < <(grep '\.o$' "$list")
[ ${#objects[@]} -gt 50 ] || { echo "found only ${#objects[@]} objects in $list"; exit 1; }
"$nm" -A -P "${objects[@]}" | awk -f "$(dirname "$0")/circles.awk" -v reported=gpu/ocl
