#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wrap_markdown.py [--check] FILE...: wraps the prose of Markdown files at 120 columns.

Paragraphs and list items are filled anew; code, tables, headings and code spans stay as they are. With --check no file
is written: each line of prose that is longer than that and could be broken is named, and the exit status is 1. The
hygiene test of documents runs the check.
"""
import re
import sys

WIDTH = 120
ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])(\s+)(?=\S)")
GLUE = "\0"  # a blank at which a line must not end


def glued(text):
    """Code spans stay in one piece, and no line may begin with what Markdown would take for a marker."""
    text = re.sub(r"`+[^`]*`+", lambda span: span.group().replace(" ", GLUE), text)
    return re.sub(r" (\||([-*+>#=]+|\d+[.)])(?= |$))", GLUE + r"\1", text)


def filled(text, first, rest):
    lines, line = [], first
    is_empty = True
    for word in glued(" ".join(text.split())).split(" "):
        if not is_empty and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, is_empty = rest, True
        line += word if is_empty else " " + word
        is_empty = False
    return [line.replace(GLUE, " ") for line in lines + [line]]


def is_kept(line, previous_is_blank, in_item):
    """Lines that no paragraph begins with: tables, headings, HTML and indented code."""
    if re.match(r"\s*(\|.*\|\s*$|#{1,6} |<|\[[^]]+\]: )", line):
        return True
    return previous_is_blank and not in_item and line.startswith("    ")


def wrapped(lines):
    out, i, fence, in_item, in_code = [], 0, None, False, False
    while i < len(lines):
        line = lines[i]
        mark = re.match(r"\s*(```|~~~)", line)
        blank_before = i == 0 or not lines[i - 1].strip()
        in_code = line.startswith("    ") and (in_code or (blank_before and not in_item))
        if fence or mark or in_code or not line.strip() or is_kept(line, blank_before, in_item):
            if mark:
                fence = None if fence else mark.group(1)
            elif line.strip() and not fence and not line.startswith(" "):
                in_item = False
            out.append(line)
            i += 1
            continue
        item = ITEM.match(line)
        in_item = bool(item) or (in_item and line.startswith(" "))
        first = item.group() if item else re.match(r"\s*", line).group()
        rest = " " * len(first)
        words = [line[len(first):]]
        i += 1
        while i < len(lines) and lines[i].strip() and not ITEM.match(lines[i]) \
                and not re.match(r"\s*(\|.*\|\s*$|#{1,6} |```|~~~|<)", lines[i]):
            words.append(lines[i].strip())
            i += 1
        out += filled(" ".join(words), first, rest)
    return out


def long_lines(lines):
    """Numbers of the lines of prose that are too long, though filled() would break them."""
    good = set(wrapped(lines))
    return [n for n, line in enumerate(lines, 1) if len(line) > WIDTH and line not in good]


def main(arguments):
    check = arguments[:1] == ["--check"]
    status = 0
    for path in arguments[1:] if check else arguments:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        if check:
            for n in long_lines(lines):
                print(f"{path}:{n}: prose beyond {WIDTH} columns (scripts/wrap_markdown.py wraps it)")
                status = 1
            continue
        new = "\n".join(wrapped(lines))
        if new != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
