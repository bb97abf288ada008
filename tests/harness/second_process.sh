#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# second_process.sh SOURCE_DIR BENCHDNN: every layer of ResNet-50, MobileNetV2 and BERT base is created by
# one process for each operation, twice. The second time nothing is compiled and no feature tested: all
# programs come from the cache folder. Ends with 77 where there is no OpenCL device.
set -u
source=$1 benchdnn=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PRIM_CACHE_DIR=$work/cache PRIM_VERBOSE=profile_create,warn
status=0

# Creates all layers; the log goes to $work/NAME.
run() {
    local file driver
    for file in "$source"/benchdnn/inputs/*/shapes_{resnet_50,mobilenet_v2,bert_base}; do
        [ -e "$file" ] || continue
        driver=$(basename "$(dirname "$file")")
        "$benchdnn" --mode=I --engine=gpu "--$driver" "--batch=$file" || echo "FAILED: $driver $file"
    done >"$work/$1" 2>&1
}
count() { grep -cE "$2" "$work/$1"; }

run first
[ "$(count first 'primitive,create:cache_miss,gpu')" -gt 0 ] || {
    tail -3 "$work/first"
    echo "skipped: no primitive was created on a gpu engine"
    exit 77
}
run second
for name in first second; do
    printf '%s: %d primitives, %d programs built, %d loaded, %d features tested\n' $name \
        "$(count $name 'primitive,create:cache_miss,gpu')" "$(count $name ',ocl,build,[^,]*,source,')" \
        "$(count $name ',ocl,build,[^,]*,disk,')" "$(count $name ',ocl,selftest,.*,run,')"
    ! grep -E '^FAILED|failed:[1-9]|,warn,' "$work/$name" || status=1
done
[ "$(count first ',ocl,build,[^,]*,source,')" -gt 0 ] || { echo "the first process built nothing"; status=1; }
[ "$(count second ',ocl,build,[^,]*,source,|,ocl,selftest,.*,run,')" -eq 0 ] || {
    echo "the second process built:"
    grep -E ',ocl,build,[^,]*,source,|,ocl,selftest,.*,run,' "$work/second" | cut -c1-200
    status=1
}
exit $status
