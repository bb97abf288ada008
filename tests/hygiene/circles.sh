#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# circles.sh SOURCE_DIR NM OBJECT_LIST: no two source files of a backend, or of src/common, need each other,
# directly or through others; no header includes itself through others. What a source file needs is what the linker
# would say: the functions and tables that its object leaves undefined and another one defines. OBJECT_LIST names
# the objects of the library, one a line. circles.awk finds the circles. The same calls show whether the rooms of
# src/gpu/ocl use only those below them (calls.awk).
set -u
cd "$1" || exit 2
nm=$2 list=$3
status=0

# "file used-file symbol" for files of one folder: common, cpu or gpu/ocl. Through impl_lists, common calls what lies
# above it, and is meant to.
uses() {
    "$nm" -A -P "$@" | awk '
        {
            file = $1
            sub(/\.o:$/, "", file)
            sub(/^.*\.dir\/(\.\/)?/, "", file)
            if (!match(file, /^(common|cpu|gpu\/ocl)\//) || $2 !~ /^prim_/) next
            folder[file] = substr(file, 1, RLENGTH)
            if ($3 ~ /^[TDBRVC]$/) owner[$2] = file
            else if ($3 ~ /^[Uw]$/) wants[++nwants] = file " " $2
        }
        END {
            for (i = 1; i <= nwants; i++) {
                split(wants[i], pair, " ")
                to = owner[pair[2]]
                if (to != "" && to != pair[1] && folder[to] == folder[pair[1]]) print pair[1], to, pair[2]
            }
        }'
}

# "header included-header include" by names alone: they are unique in the tree.
includes() {
    find include src bridges benchdnn examples tests -name '*.h' -print0 | xargs -0 awk '
        match($0, /^ *# *include ("|<prim\/)[a-z0-9_\/]+\.h/) {
            from = FILENAME
            to = substr($0, RSTART, RLENGTH)
            sub(/.*\//, "", from)
            sub(/.*["<\/]/, "", to)
            print from, to, "#include"
        }'
}

if "$nm" --version >/dev/null 2>&1; then
    mapfile -t objects < <(grep '\.o$' "$list")
    calls=$(uses "${objects[@]}")
    awk -f tests/hygiene/circles.awk <<<"$calls" || status=1
    # A build without OpenCL has no rooms.
    if grep -q '^gpu/ocl/' <<<"$calls"; then
        { find src/gpu/ocl -name '*.cl' && echo "$calls"; } |
            awk -f tests/hygiene/rooms.awk -f tests/hygiene/calls.awk || status=1
    fi
else
    echo "no nm: sources were not looked at"
fi
includes | awk -f tests/hygiene/circles.awk || status=1
exit $status
