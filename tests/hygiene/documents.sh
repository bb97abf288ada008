#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# documents.sh SOURCE_DIR: links between documents lead somewhere, every public function has a doc
# comment, every kernel file its contract (contracts.awk), every operation a page, every environment
# variable a row in doc/build.md (the library reads them in common/environment.c alone), prose is
# wrapped at 120 columns, plots show what their tables hold,
# doc/implementations.md the lists.
set -u
cd "$1" || exit 2
status=0
complain() { echo "$*"; status=1; }

while IFS=: read -r file link; do
    target=${link#*](}
    target=${target%)}
    target=${target%%#*}
    case $target in '' | http* | doc/primitives/) continue ;; esac
    [ -e "$(dirname "$file")/$target" ] || complain "$file: the link to $target leads nowhere"
done < <(grep -oHE '\]\([^) ]+\)' ./*.md $(find doc bridges examples benchdnn -name '*.md'))

awk '/^PRIM_API/ && previous !~ /^\/\/\// { print FILENAME ":" FNR ": no doc comment: " $0; failed = 1 }
    { previous = $0 }
    END { exit failed }' include/prim/*.h || status=1

# shellcheck disable=SC2046
awk -f tests/hygiene/contracts.awk $(find src/gpu/ocl -name '*.cl' -o -path '*/clh/*.h') || status=1

# Every source file that a page names is there; "example" is the guide's own, notes tell of the past.
names=$(git ls-files 2>/dev/null | sed 's|.*/||' | sort -u)
[ -z "$names" ] || while read -r name; do
    grep -qxF -- "$name" <<<"$names" || complain "documents name $name, which is not there"
done < <(grep -ohE '`[A-Za-z0-9_/.-]*[a-z0-9_]+\.(c|h|cl|sh|py)\b' ./*.md doc/*.md doc/primitives/*.md |
    sed 's|.*[/`]||' | grep -v '^ocl_eltwise_example\.\|^x\.h$' | sort -u)

for list in impl_lists/*_list.c; do
    operation=$(basename "$list" _list.c)
    case $operation in engine | impl) continue ;; esac
    grep -qE "\`(ocl|ref):$operation:any\`" doc/primitives/*.md ||
        complain "no page of doc/primitives names \`ref:$operation:any\`"
done

for variable in $(grep -oE '"(PRIM|XDG)_[A-Z_]+"|"HOME"' src/common/environment.c | tr -d '"'); do
    grep -q "^| .*\`$variable\`" doc/build.md || complain "doc/build.md: no row for $variable"
done
if grep -rnE '\bgetenv\b' src --include='*.c' --include='*.h' | grep -v '^src/common/environment\.'; then
    complain "environment variables are read in src/common/environment.c alone"
fi
# shellcheck disable=SC2046
if command -v python3 >/dev/null; then
    scripts/wrap_markdown.py --check ./*.md $(find doc bridges examples benchdnn -name '*.md') || status=1
    scripts/plot_training.py --check || status=1
    scripts/plot_results.py --check || status=1
    scripts/list_implementations.py --check || status=1
fi
[ $status -eq 0 ] && echo "documents are complete"
exit $status
