#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# words.sh SOURCE_DIR: comments, strings and documents use the terms of the field, not the images that words.txt lists.
set -u
cd "$1" || exit 2
status=0
mapfile -t sources < <(find src include impl_lists bridges benchdnn examples tests -name '*.c' -o -name '*.h' -o -name '*.cl')
mapfile -t documents < <(find doc README.md CONTRIBUTING.md CHANGELOG.md -name '*.md' -not -path 'doc/notes/*')
[ "${#sources[@]}" -gt 100 ] && [ "${#documents[@]}" -gt 10 ] || exit 2
while IFS=$'\t' read -r pattern term; do
    case $pattern in '' | \#*) continue ;; esac
    whole="(^|[^[:alnum:]_])($pattern)([^[:alnum:]_]|$)"
    found=$({
        grep -inE "(//|\"|#error).*$whole" "${sources[@]}"
        grep -inE "$whole" "${documents[@]}"
    })
    [ -n "$found" ] || continue
    printf '%s\n    say: %s\n' "$found" "$term"
    status=1
done < tests/hygiene/words.txt
[ $status -eq 0 ] && echo "no image stands for a term"
exit $status
