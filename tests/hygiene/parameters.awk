# SPDX-License-Identifier: Apache-2.0
# What a kernel takes is declared once, in clh/shared/, which both compilers read: no kernel has a
# parameter of a struct, or by value of a vector, that a .cl or another header declares. Input: all .cl and
# the headers of clh/ but those of clh/shared/.

function complain(text) { print path ": " text; failed = 1 }

# What `file` and the headers it includes declare, and their macros.
function gather(file,    i, n, parts)
{
    if (file in seen) return
    seen[file] = 1
    declared = declared declares[file]
    n = split(macros[file], parts, " ")
    for (i = 1; i <= n; ++i) text_of[parts[i]] = text_of[parts[i]] macro_text[file, parts[i]]
    n = split(includes[file], parts, " ")
    for (i = 1; i <= n; ++i) gather(parts[i])
}

# `text` and that of the macros it names.
function expand(text,    all, word)
{
    all = text
    while (match(text, /[A-Z][A-Z_0-9]+/)) {
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (!(word in text_of) || word in expanded) continue
        expanded[word] = 1
        all = all " " expand(text_of[word])
    }
    return all
}

function check(    i, n, parts, named)
{
    split("", seen)
    split("", text_of)
    split("", expanded)
    declared = ""
    gather(path)
    named = expand(parameters[path])
    gsub(/__local[^,)]*/, "", named) # arrays of the kernel's own
    if (match(named, /[a-z](2|4|8|16) +[a-z]/))
        complain("a vector by value is no type of clh/shared/: …" substr(named, RSTART, 20) "…")
    n = split(declared, parts, " ")
    for (i = 1; i <= n; ++i) {
        if (named ~ "(^|[^A-Za-z0-9_])" parts[i] "([^A-Za-z0-9_]|$)")
            complain(parts[i] " is a parameter's type, and is not declared in clh/shared/")
    }
}

FNR == 1 {
    path = FILENAME
    sub(/.*\/clh\//, "clh/", path)
    paths[++npaths] = path
    depth = in_struct = in_macro = 0
}
/^#include "/ {
    name = $2
    gsub(/"/, "", name)
    includes[path] = includes[path] " " name
}
/^typedef struct/ { in_struct = 1 }
in_struct && /^}/ {
    name = $NF
    sub(/;.*/, "", name)
    declares[path] = declares[path] " " name
    in_struct = 0
}
/^#define [A-Z_]/ {
    macro = $2
    sub(/\(.*/, "", macro)
    macros[path] = macros[path] " " macro
    in_macro = 1
}
in_macro {
    macro_text[path, macro] = macro_text[path, macro] " " $0
    in_macro = /\\$/
}
# A kernel's list, from `void name(` to the parenthesis that closes it.
/__kernel/ && !/^\/\// { wants_list = 1 }
wants_list && /void [a-z_0-9]+\(/ {
    sub(/.*void [a-z_0-9]+/, "")
    wants_list = 0
    is_list = 1
    depth = 0
}
is_list {
    sub(/\/\/.*/, "")
    parameters[path] = parameters[path] " " $0
    depth += gsub(/\(/, "(") - gsub(/\)/, ")")
    is_list = depth > 0
    nlists += !is_list
}

END {
    for (i = 1; i <= npaths; ++i) {
        path = paths[i]
        if (path ~ /\.cl$/) check()
    }
    if (nlists < 100) {
        print "only " nlists " lists of parameters were found"
        failed = 1
    }
    exit failed
}
