#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernels.sh SOURCE_DIR BENCHDNN CHECK_IMPLS: every kernel file compiles without a warning under every
# set of options it gets in the smoke inputs and in check_impls' random problems, by a compiler that
# is no driver: clang, OpenCL C 1.2 without extensions. A file that gets none cannot be reached.
# Ends with 77 where there is no clang or no OpenCL device.
set -uo pipefail
export SOURCE=$1 BENCHDNN=$2 CHECK_IMPLS=$3
. "$SOURCE/tests/hygiene/clang.sh"
# The kernels' headers are libraries, of which a program uses a part.
WARNINGS="-Werror -Wall -Wextra -Wshadow \
-Wsometimes-uninitialized -Wpointer-arith -Wcast-qual -Wundef \
-Wshorten-64-to-32 -Wdouble-promotion -Wfloat-conversion -Wimplicit-int-conversion -Wno-unused-parameter -Wno-unused-function -Wno-unused-macros"
export WARNINGS

# Stands in for benchdnn: problems are listed as ever; those to be run are created, not executed, and the
# built programs are noted as "name options".
cat >"$WORK/create" <<'END'
#!/usr/bin/env bash
for arg; do
    [ "$arg" != --mode=L ] || exec "$BENCHDNN" "$@"
    shift
    set -- "$@" "${arg/#--mode=CB/--mode=I}"
done
PRIM_VERBOSE=profile_create "$BENCHDNN" "$@" 2>&1 |
    sed -nE 's/^prim_verbose,v1,ocl,build,([^,]*),[^,]*,[^,]*,/\1 /p' >"$WORK/builds.$$"
END
chmod +x "$WORK/create"

# What a driver builds. Without results check_impls is not content; it has its own test.
create() {
    local driver=$1 batch
    for batch in "$SOURCE/benchdnn/inputs/$driver"/test_*_smoke; do
        [ -e "$batch" ] && "$WORK/create" --mode=I --engine=gpu "--$driver" "--batch=$batch"
    done
    mkdir "$WORK/$driver" && cd "$WORK/$driver" || return
    "$CHECK_IMPLS" "$WORK/create" gpu --driver="$driver" --styles=150 --least=1 >/dev/null
}
export -f create
for file in "$SOURCE"/benchdnn/drivers/*_driver.c; do basename "$file" _driver.c; done |
    xargs -n 1 -P "$(nproc)" bash -c 'create "$1" || true' create
# Self-tests are built on devices that claim the feature; their options stand in their host sides.
for file in "$SOURCE"/src/gpu/ocl/feature/*.c; do
    name=$(basename "$file" .c)
    grep -oE '"-cl-std[^"]*"' "$file" | tr -d '"' | sed "s/^/$name /"
done >"$WORK/builds.selftest"
unit_programs >"$WORK/builds.units"
sort -u "$WORK"/builds.* >"$WORK/programs"
[ -s "$WORK/programs" ] || skip "no program was built: is there an OpenCL device?"

status=0
find "$SOURCE/src/gpu/ocl" -name '*.cl' | sort >"$WORK/files"
while read -r file; do
    grep -q "^$(basename "$file" .cl) " "$WORK/programs" || {
        echo "$file is built by no problem: nobody can reach it"
        status=1
    }
done <"$WORK/files"

# compile "NAME OPTIONS"…: the first warning of each that has one.
compile() {
    local program name words flags file result=0
    for program; do
        read -ra words <<<"$program"
        name=${words[0]}
        file=$(grep "/$name.cl$" "$WORK/files")
        kernel_flags "$file" "${words[@]:1}"
        # shellcheck disable=SC2086
        if ! "$CLANG" $WARNINGS -I"$SOURCE/src/gpu/ocl" "${flags[@]}" "$file" >"$WORK/log.$$" 2>&1; then
            printf 'FAILED: %s %s\n' "$name" "${flags[*]}"
            head -4 "$WORK/log.$$"
            result=1
        fi
    done
    return $result
}
export -f compile
xargs -d '\n' -n 8 -P "$(nproc)" bash -c 'compile "$@"' compile <"$WORK/programs" || status=1
[ $status -eq 0 ] && echo "$(wc -l <"$WORK/programs") programs of $(wc -l <"$WORK/files") files compile"
exit $status
