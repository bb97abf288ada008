#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# grammar.sh BENCHDNN DRIVER: test_<driver>_grammar is read to its end, with as many cases as its first line says; each
# repro line read again is the same line; in mode C every case has a status, and what the library lacks is
# skipped; each line of inputs/<driver>/refused, which contradicts itself, is refused.
set -u
benchdnn=$1
driver=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
complain() { echo "$driver: $*"; exit 1; }

file=$(dirname "$benchdnn")/inputs/$driver/test_${driver}_grammar
expected=$(sed -n '1s/^# \([0-9]*\) cases.*/\1/p' "$file")
[ -n "$expected" ] || complain "the first line of $file does not say how many cases there are"

"$benchdnn" --mode=L "--$driver" --batch="$file" >"$dir/listed" 2>"$dir/errors" ||
    complain "exit code $? in mode L: $(cat "$dir/errors")"
grep -q "^tests:$expected .* listed:$expected\$" "$dir/listed" ||
    complain "not $expected cases, but: $(grep '^tests:' "$dir/listed")"

repros() { sed -n 's/^[0-9]*:LISTED __REPRO: //p' "$1"; }
repros "$dir/listed" >"$dir/first"
sed "s/^--mode=L --$driver /--reset /" "$dir/first" >"$dir/batch"
"$benchdnn" --mode=L "--$driver" --batch="$dir/batch" >"$dir/again" 2>"$dir/errors" ||
    complain "exit code $? for its own repro lines: $(cat "$dir/errors")"
repros "$dir/again" | diff "$dir/first" - >"$dir/diff" ||
    complain "repro lines that are read as something else: $(head -4 "$dir/diff")"

"$benchdnn" --mode=C --summary=no-failures "--$driver" --batch="$file" >"$dir/run" 2>"$dir/errors"
code=$?
[ $code -le 1 ] || complain "exit code $code in mode C: $(tail -3 "$dir/errors")"
grep -q "^tests:$expected " "$dir/run" || complain "mode C ends early: $(tail -3 "$dir/run" "$dir/errors")"
! grep -E '^[0-9]+:(UNTESTED_)?FAILED' "$dir/run" || complain "cases fail"

# What does not exist is skipped, not run without it and not refused by the library; its neutral form runs.
# Backward directions are skipped by drivers that do not name them.
source=$(dirname "$0")/../../benchdnn/drivers/${driver}_driver.c
known=$(grep -o 'DIRECTION_BIT(BWD_[A-Z]*)' "$source" | tr '()' '  ' | cut -d' ' -f2)
missing=$(for direction in BWD_D BWD_W BWD_WB BWD_DW; do grep -qx "$direction" <<<"$known" || printf '|--dir=%s ' $direction; done)
absent='--encoding=:*[a-zA-Z]|--oflag=|attr_post_op_dw|[=+]dw:|--attr-dropout|rounding-mode=[^ ]*[sS]tochastic|msrc[0-9]+:per_|empty_window'$missing
! grep -E '^[0-9]+:.*__REPRO' "$dir/run" | grep -E -e "$absent" | grep -v '^[0-9]*:SKIPPED' || complain "cases are not skipped"
neutral='--encoding=:* |--attr-rounding-mode=dst:environment '
! grep -E '^[0-9]+:SKIPPED' "$dir/run" | grep -vE -e "$absent" | grep -E -e "$neutral" || complain "cases are skipped without need"

# What contradicts itself ends with 1 and a sentence.
refuse() {
    "$benchdnn" --mode=L "--$driver" "$@" >"$dir/run" 2>"$dir/errors" </dev/null
    local code=$?
    if [ $code -ne 1 ] || ! grep -q "^$driver: ERROR: ." "$dir/errors"; then
        complain "$* ends with $code: $(cat "$dir/errors")"
    fi
}
refused=$(dirname "$file")/refused
nrefused=0
if [ -f "$refused" ]; then
    while read -ra words; do
        [[ ${#words[@]} -eq 0 || ${words[0]} == \#* ]] && continue
        refuse "${words[@]}"
        nrefused=$((nrefused + 1))
    done <"$refused"
fi
echo "$driver: $expected cases, $nrefused refused"
