#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# functions.sh SOURCE_DIR: every function of the public headers is used by a test: a fuzz program, benchdnn, a unit or
# an API test (comments and strings do not count). untested.txt lists the exceptions, a function and a reason a line;
# one that is tested after all has to go.
set -u
cd "$1" || exit 2
status=0
public=$(awk '/^PRIM_API/ { text = "" } { text = text " " $0 }
    /^PRIM_API/, /;/ { if (/;/ && match(text, /prim_[a-z0-9_]+\(/)) print substr(text, RSTART, RLENGTH - 1) }
    ' include/prim/*.h | sort -u)
declared=$(grep -c '^PRIM_API' <(cat include/prim/*.h))
tested=$(find tests/fuzz tests/unit tests/api benchdnn -name '*.c' -exec sed -e 's|//.*||' -e 's/"[^"]*"//g' {} + |
    grep -oE '\bprim_[a-z0-9_]+\b' | sort -u)
exceptions=$(grep -v '^#' tests/hygiene/untested.txt | cut -f 1 | sort -u)
[ "$(wc -w <<<"$public")" -eq "$declared" ] && [ "$declared" -gt 100 ] && [ -n "$tested" ] || {
    echo "of $declared declarations $(wc -w <<<"$public") names were read"
    exit 1
}
while read -r name; do
    echo "no test uses $name"
    status=1
done < <(comm -23 <(echo "$public") <(sort -u <<<"$tested"$'\n'"$exceptions"))
while IFS=$'\t' read -r name reason; do
    case $name in '' | \#*) continue ;; esac
    [ -n "$reason" ] || { echo "untested.txt: $name has no reason"; status=1; }
    grep -qxF -- "$name" <<<"$public" || { echo "untested.txt: there is no function $name"; status=1; }
    grep -qxF -- "$name" <<<"$tested" && { echo "untested.txt: $name is tested"; status=1; }
done < tests/hygiene/untested.txt
[ $status -eq 0 ] && echo "all $declared public functions are used by tests, but for $(wc -w <<<"$exceptions")"
exit $status
