# SPDX-License-Identifier: Apache-2.0
# What the head of a kernel file promises (doc/opencl_kernels.md): the parameters, the grid, the
# numerics, the -D list; and an #error for each -D of its own that is missing.

function complain(text) { print path ": " text; failed = 1 }

# Whether `file`, or a header it includes, has an #error that names the option.
function checks(file, name,    i, n, parts)
{
    if (index(checked[file], " " name " ") || index(checked[file], " " name "_DT ")) return 1
    n = split(includes[file], parts, " ")
    for (i = 1; i <= n; ++i)
        if (checks(parts[i], name)) return 1
    return 0
}

function check_kernel_file(    name)
{
    if (heads[path] !~ /[Gg]rid:? /) complain("the contract lacks the grid")
    if (heads[path] !~ /Numerics|f32|exact|every bit/) complain("the contract lacks the numerics")
    if (heads[path] !~ /-D:/) complain("the contract lacks the -D list (\"-D: none.\" if there is none)")
    if (heads[path] !~ /\/\/   [a-z…_]/) complain("the contract lacks the parameters")
    if (!(path in has_kernel)) complain("holds no kernel")
    # Options in capitals of the -D list; those of headers are checked by the headers.
    list = heads[path]
    sub(/.*-D:/, "", list)
    gsub(/[Tt]hose of clh\/[a-z_\/]+\.h/, "", list)
    while (match(list, /[A-Z][A-Z0-9_]+/)) {
        name = substr(list, RSTART, RLENGTH)
        list = substr(list, RSTART + RLENGTH)
        # Values of options (POOL_…) and derived names (SRC_T) are none.
        if (name ~ /(_|_T)$/ || !index(used[path], " " name)) continue
        if (!checks(path, name)) complain("no #error where -D" name " is missing")
    }
}

FNR == 1 {
    path = FILENAME
    sub(/.*\/clh\//, "clh/", path)
    paths[++npaths] = path
    used[path] = " "
    in_head = 1
}
in_head && /^\/\// { heads[path] = heads[path] $0 "\n" }
!/^\/\// { in_head = 0 }
/^#include "/ {
    name = $2
    gsub(/"/, "", name)
    includes[path] = includes[path] " " name
}
/__kernel .*void/ { has_kernel[path] = 1 }
!/^\/\// {
    is_test = /^#if/ || is_going_on
    is_going_on = is_test && /\\$/
    text = $0
    while (match(text, /[A-Z][A-Z0-9_]+/)) {
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (is_test) pending = pending " " word
        used[path] = used[path] word " "
    }
}
/^#error/ { checked[path] = checked[path] pending " " }
!/^#error/ && !/^#if/ && !is_test { pending = "" }

END {
    for (i = 1; i <= npaths; ++i) {
        path = paths[i]
        if (path ~ /\.cl$/) check_kernel_file()
    }
    exit failed
}
