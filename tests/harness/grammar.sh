#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# grammar.sh BENCHDNN DRIVER: test_<driver>_grammar is read to its end, with as many cases as its first line says; each
# repro line read again is the same line; and in mode C every case has a status, whatever the library lacks.
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
echo "$driver: $expected cases"
