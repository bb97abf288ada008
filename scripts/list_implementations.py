#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""list_implementations.py [--check]: writes the lists of impl_lists/ into doc/implementations.md.

The part of the page below the line MARK is generated: one table for each operation, an entry a row, with the comment
that stands beside it in the list. With --check nothing is written; the exit status is 1 if the page is not up to date,
or if a variant word of the lists has no paragraph above the mark (a hygiene test).
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "doc", "implementations.md")
MARK = "<!-- Below: written by scripts/list_implementations.py -->"
ARRAY = re.compile(r"static const impl_t \*const (\w+)\[\] = \{\n(.*?)\n\};", re.S)
ANY = re.compile(r"(_backward(_data|_weights)?)?_any$")
ENTRY = re.compile(r"&prim__([a-z0-9]+)_(\w+),((?:\s*//[^\n]*)*)")


def entries(body):
    """(backend, operation and variant, comment) of an array; the comment may run over several lines."""
    for backend, words, comment in ENTRY.findall(body):
        yield backend, words, " ".join(re.sub(r"\s*//\s*", " ", comment).split())


def lists():
    """(operation, [(array, [(backend, variant, comment)])]). An array's operation is that of its last entry, "any" or
    "backward_any"."""
    for path in sorted(glob.glob(os.path.join(ROOT, "impl_lists", "*_list.c"))):
        with open(path, encoding="utf-8") as file:
            arrays = [(name, list(entries(body))) for name, body in ARRAY.findall(file.read())]
        operations = {}
        for name, rows in arrays:
            operation = next(ANY.sub("", words) for _, words, _ in rows if ANY.search(words))
            operations.setdefault(operation, []).append(
                (name, [(backend, words[len(operation) + 1:], comment) for backend, words, comment in rows]))
        yield from operations.items()


def generated():
    lines, variants, count = [MARK, ""], set(), 0
    for operation, arrays in lists():
        lines += [f"### {operation}", "", "| list | implementation | takes |", "|---|---|---|"]
        for name, rows in arrays:
            for backend, variant, comment in rows:
                if not comment:
                    sys.exit(f"{backend}:{operation}:{variant} has no comment in its list")
                lines.append(f"| {name.replace('_', ' ')} | `{backend}:{operation}:{variant}` | {comment} |")
                variants.add(re.sub(r"^backward_(data_|weights_)?", "", variant))
                count += 1
        lines.append("")
    return f"{count} implementations.", "\n".join(lines), variants


def main(arguments):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    above = text[:text.index(MARK)]
    count, below, variants = generated()
    status = 0
    for variant in sorted(variants):
        if f"**`{variant}`**" not in above:
            print(f"doc/implementations.md: no paragraph for the variant word {variant}")
            status = 1
    new = re.sub(r"\n[0-9]+ implementations\.\n", f"\n{count}\n", above) + below
    if arguments == ["--check"]:
        if new != text:
            print("doc/implementations.md is not up to date (scripts/list_implementations.py writes its lists)")
            status = 1
    else:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
