#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# parameters.sh SOURCE_DIR: structs and vectors that kernels take are declared once, in clh/shared/
# (parameters.awk); no comment promises that another declaration is kept alike by hand.
set -u
cd "$1" || exit 2
status=0
# shellcheck disable=SC2046
awk -f tests/hygiene/parameters.awk $(find src/gpu/ocl -name '*.cl' -o -path '*/clh/*.h' -not -path '*/shared/*') || status=1
if grep -rnwiE 'twins? of' src; then
    echo "one declaration, in a header that both read, instead of two that are kept alike by hand"
    status=1
fi
[ $status -eq 0 ] && echo "parameters of kernels are declared once"
exit $status
