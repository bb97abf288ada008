#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# random_problems.sh PYTHON BENCHDNN SCRIPTS: benchdnn reads every problem that scripts/random_problems.py draws, and
# gets the small ones right; a seed gives the same problems again; bench_compare.py --summary counts them.
set -u
python=$1 benchdnn=$2 scripts=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
complain() { echo "$*"; exit 1; }
draw() { "$python" "$scripts/random_problems.py" "$@"; }

families=$(draw --help | sed -n '/^positional/,$d; s/[{}]//g; s/,/ /gp' | tr -s ' \n' '\n' | grep -E '_(f32|f16|bf16|s8)$' | sort -u)
count=0
for family in $families; do
    driver=${family%%_*}
    draw "$family" --count=12 --seed=5 >"$dir/problems" || complain "$family cannot be drawn"
    draw "$family" --count=12 --seed=5 | cmp -s - "$dir/problems" || complain "$family: one seed, two lists"
    draw "$family" --count=12 --seed=6 | cmp -s - "$dir/problems" && complain "$family: two seeds, one list"
    "$benchdnn" --mode=L "--$driver" --batch="$dir/problems" >"$dir/run" 2>&1
    grep -q ' listed:12$' "$dir/run" || complain "$family: $(grep -v LISTED "$dir/run" | head -3)"
    draw "$family" --count=2 --max-mib=0.1 --max-gflop=0.0005 >"$dir/problems"
    "$benchdnn" --mode=C --engine=cpu "--$driver" --batch="$dir/problems" >"$dir/run" 2>&1
    grep -q '^tests:2 passed:2 ' "$dir/run" || complain "$family: $(tail -4 "$dir/run")"
    count=$((count + 1))
done
# Chains come behind the sizes, which they leave alone.
for family in matmul_f32 matmul_f16 matmul_bf16 conv_f32 conv_f16 conv_bf16; do
    driver=${family%%_*}
    draw "$family" --count=6 --seed=5 --chains=1 --max-mib=0.1 --max-gflop=0.0005 >"$dir/problems" || complain "$family has no chains"
    grep -q -e '--attr-post-ops=' "$dir/problems" || complain "$family: no post-op"
    grep -q -e '--bia-dt=' -e '--dir=FWD_B' "$dir/problems" || complain "$family: no bias"
    "$benchdnn" --mode=C --engine=cpu "--$driver" --batch="$dir/problems" >"$dir/run" 2>&1
    grep -q '^tests:6 passed:6 ' "$dir/run" || complain "$family with chains: $(tail -4 "$dir/run")"
    draw "$family" --count=12 --seed=5 | sed 's/.* //' >"$dir/plain"
    draw "$family" --count=12 --seed=5 --chains=0.5 | sed 's/.* //' | cmp -s - "$dir/plain" || complain "$family: chains change the sizes"
done
draw softmax_f32 --count=1 --chains=1 >"$dir/problems" 2>&1 && complain "softmax has chains"
[ $count -ge 30 ] || complain "only $count families are known"

perf() { printf 'perf,gpu,impl,,--softmax %sx%s,0,0,%s,0,%s,0\n' "$1" "$1" "$2" "$2"; }
{ perf 1 1; perf 2 2; perf 3 0.006; } >"$dir/prim.log"
{ perf 1 2; perf 2 1; perf 3 0.002; } >"$dir/peer.log"
"$python" "$scripts/bench_compare.py" --summary "$dir/prim.log" "$dir/peer.log" >"$dir/summary" || exit 1
grep -q '^2 problems .* geometric mean 1.00, 10th percentile 0.50' "$dir/summary" || complain "$(cat "$dir/summary")"
grep -q '^1 shorter ones: .* at most +4.0: 3x3' "$dir/summary" || complain "$(cat "$dir/summary")"
echo "$count families"
