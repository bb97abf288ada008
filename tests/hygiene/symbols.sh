#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# symbols.sh SOURCE_DIR SHARED_LIBRARY STATIC_LIBRARY: the shared library exports exactly the functions
# the public headers declare; every global symbol of the static one has the prefix.
set -u
source=$1 shared=$2 static=$3
status=0
declared=$(cat "$source"/include/prim/*.h | tr '\n' ' ' | grep -oE 'PRIM_API [^;]*;' |
    grep -oE '\bprim_[a-z0-9_]+ ?\(' | tr -d ' (' | grep -v '_t$' | sort -u)
exported=$(nm -D --defined-only "$shared" | awk '$2 ~ /[TDBR]/ {print $3}' | sort -u)
[ "$(wc -l <<<"$declared")" -gt 100 ] || { echo "found only $(wc -l <<<"$declared") declarations"; status=1; }
if ! diff <(echo "$declared") <(echo "$exported") >/tmp/prim_symbols.$$; then
    echo "declared (<) and exported (>) differ:"
    cat /tmp/prim_symbols.$$
    status=1
fi
rm -f /tmp/prim_symbols.$$
foreign=$(nm --defined-only "$static" 2>/dev/null | awk 'NF == 3 && $2 ~ /[TDBRVC]/ {print $3}' |
    grep -vE '^prim_' | sort -u)
[ -z "$foreign" ] || { echo "global symbols without the prefix: $foreign"; status=1; }
internal=$(nm --defined-only "$static" | awk 'NF == 3 && $2 ~ /[TDBRVC]/ {print $3}' |
    grep -vE '^prim__' | sort -u)
extra=$(comm -13 <(echo "$declared") <(echo "$internal"))
[ -z "$extra" ] || { echo "internal functions named like public ones: $extra"; status=1; }
[ $status -eq 0 ] && echo "$(wc -l <<<"$declared") functions declared and exported"
exit $status
