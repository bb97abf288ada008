#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# layers.sh SOURCE_DIR: #include never goes up or sideways (the table of doc/architecture.md), every
# implementation is named like its file and listed, a header declares what its source file defines
# (declared.awk), and the rules of the tree that a compiler does not see (layers.awk).
set -u
cd "$1" || exit 2
status=0
mapfile -t files < <(find src include impl_lists bridges benchdnn examples tests \
    \( -name '*.c' -o -name '*.h' -o -name '*.cl' -o -name '*.sh' -o -path 'bridges/*.[ch]pp' \))
awk -f tests/hygiene/rooms.awk -f tests/hygiene/layers.awk "${files[@]}" || status=1
find src \( -name '*.c' -o -name '*.h' \) -not -path '*/clh/*' -exec awk -f tests/hygiene/declared.awk {} + || status=1

# File names are unique in the whole tree (build lists apart).
names=$(git ls-files 2>/dev/null | grep -vE 'CMakeLists.txt$|/inputs/|README' | sed 's|.*/||' | sort | uniq -d)
[ -z "$names" ] || { echo "file names that stand twice: $names"; status=1; }

# Implementations enqueue through ocl_launch.h: out-of-order queues and recordings need to know of
# every command.
direct=$(grep -rnE 'clEnqueue|prim__ocl_svm_api_' src/gpu/ocl --include='*.c' |
    grep -vE '^src/gpu/ocl/(device|feature|memory|queue|launch)/')
[ -z "$direct" ] || { printf 'commands past ocl_submission.h:\n%s\n' "$direct"; status=1; }

# Inline assembly is one vendor's: the rest of the kernels stays portable.
assembly=$(grep -rnE '\<_*asm_*\>' src/gpu/ocl | grep -v '^src/gpu/ocl/clh/nv/')
[ -z "$assembly" ] || { printf 'inline assembly outside clh/nv/:\n%s\n' "$assembly"; status=1; }

# Subjects of commits, as far as the history is here. One was merged too long; history is not rewritten.
subjects=$(git log --no-merges --format='%h %s' HEAD 2>/dev/null |
    grep -v " common, x64, ocl: one table of post-ops' operands, one way to set layouts$" | awk '
    { subject = substr($0, length($1) + 2) }
    length(subject) > 72 || subject ~ /\.$/ || subject !~ /^[^ ].*: ./')
[ -z "$subjects" ] || { printf 'commits whose subject is not "scope: what" in 72 characters:\n%s\n' "$subjects"; status=1; }

[ $status -eq 0 ] && echo "layers and names are as they should be"
exit $status
