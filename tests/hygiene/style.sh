#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# style.sh SOURCE_DIR: functions of at most 60 lines; loops count by ++i; kernels have no loop that tests behind its body
# (doc/opencl_kernels.md); clang-format 14 has nothing to change in C files
# (device code is another language to it). Ends with 77 where there is no clang-format 14 and the rest
# is right.
set -u
cd "$1" || exit 2
status=0
# shellcheck disable=SC2046
awk 'FNR == 1 { start = 0; name = "" }
    /^[A-Za-z_].*\(/ { name = $0 }
    /^\{$/ { start = FNR }
    /^\}/ && start {
        if (FNR - start - 1 > 60) {
            print FILENAME ":" start ": " FNR - start - 1 " lines: " name
            failed = 1
        }
        start = 0
    }
    END { exit failed }' $(find src include impl_lists bridges benchdnn examples tests -name '*.c' -o -name '*.h' -o -name '*.cl') || status=1

if grep -rnE '; [A-Za-z_][A-Za-z_0-9.>-]*(\+\+|--)\)' src bridges benchdnn examples tests --include='*.c' --include='*.h' --include='*.cl'; then
    echo "these loops count by i++, the others by ++i"
    status=1
fi

if grep -rnE '\} while \(' src/gpu/ocl --include='*.h' --include='*.cl' | grep -v 'while (0)'; then
    echo "do … while in a kernel: llvmpipe loses the work-items that leave it before their neighbours"
    status=1
fi

formatter=
for name in clang-format-14 clang-format; do
    "$name" --version 2>/dev/null | grep -q 'version 14\.' && formatter=$name && break
done
if [ -n "$formatter" ]; then
    find src include impl_lists bridges benchdnn examples tests \( -name '*.c' -o -name '*.h' -o -path 'bridges/*.[ch]pp' \) -not -path '*/clh/*' -print0 |
        xargs -0 -n 40 -P 2 "$formatter" --dry-run -Werror || status=1
elif [ $status -eq 0 ]; then
    echo "skipped: no clang-format 14"
    exit 77
fi
[ $status -eq 0 ] && echo "the style is as it should be"
exit $status
