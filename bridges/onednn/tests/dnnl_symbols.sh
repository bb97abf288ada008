#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dnnl_symbols.sh LIBRARY SYMBOLS: the library exports the functions of the list and nothing else, under the name and
# without the versions that a stock libdnnl.so.3 has.
set -u
library=$1 list=$2 status=0
wanted=$(grep -v '^#' "$list" | sort)
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
[ "$(wc -l <<<"$wanted")" -gt 200 ] || { echo "the list has only $(wc -l <<<"$wanted") names"; status=1; }
diff <(echo "$wanted") <(echo "$exported") || { echo "listed (<) and exported (>) differ"; status=1; }
readelf -d "$library" | grep -q 'soname: \[libdnnl.so.3\]' || { echo "the soname is another"; status=1; }
[ $status -eq 0 ] && echo "$(wc -l <<<"$wanted") functions are exported"
exit $status
