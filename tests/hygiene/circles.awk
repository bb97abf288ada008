# SPDX-License-Identifier: Apache-2.0
# Reads `nm -A -P` of the library's objects ("path/common/alloc.c.o: symbol T value size"), draws the graph "file
# uses file" and prints its circles: strongly connected components of more than one file (R. Tarjan, Depth-first
# search and linear graph algorithms, 1972), with a symbol for each step. A graph ends at the borders of its
# folder, common, cpu or gpu/ocl: through impl_lists, common calls what lies above it, and is meant to.
# Circles in the folder `reported` are printed and do not fail.

# The folder whose files may not go in circles; "" for others.
function graph_of(file)
{
    if (match(file, /^(common|cpu|gpu\/ocl)\//)) return substr(file, 1, RLENGTH - 1)
    return ""
}

# Appends to `circles` each component that hangs from the file.
function visit(file,    n, i, next_files, other, text)
{
    order[file] = lowest[file] = ++nvisited
    stack[++depth] = file
    is_on_stack[file] = 1
    n = split(uses[file], next_files, " ")
    for (i = 1; i <= n; i++) {
        other = next_files[i]
        if (!(other in order)) visit(other)
        if (is_on_stack[other] && lowest[other] < lowest[file]) lowest[file] = lowest[other]
    }
    if (lowest[file] != order[file]) return
    text = ""
    do {
        other = stack[depth--]
        is_on_stack[other] = 0
        text = text " " other
    } while (other != file)
    if (text != " " file) circles[++ncircles] = substr(text, 2)
}

function print_circle(text,    n, i, members, is_member, m, other, targets)
{
    n = split(text, members, " ")
    printf "a circle of %d files of src:\n", n
    for (i = 1; i <= n; i++) is_member[members[i]] = 1
    for (i = 1; i <= n; i++) {
        m = split(uses[members[i]], targets, " ")
        for (other = 1; other <= m; other++)
            if (targets[other] in is_member)
                printf "  %s uses %s: %s\n", members[i], targets[other], why[members[i], targets[other]]
    }
}

{
    file = $1
    sub(/\.o:$/, "", file)
    sub(/^.*\.dir\/(\.\/)?/, "", file)
    if (graph_of(file) == "" || $2 !~ /^prim_/) next
    if ($3 ~ /^[TDBRVC]$/) owner[$2] = file
    else if ($3 == "U" || $3 == "w") wants[++nwants] = file " " $2
    files[file] = 1
}

END {
    for (i = 1; i <= nwants; i++) {
        split(wants[i], pair, " ")
        from = pair[1]
        to = owner[pair[2]]
        if (to == "" || to == from || graph_of(to) != graph_of(from)) continue
        if (!((from, to) in why)) {
            uses[from] = uses[from] " " to
            nuses++
        }
        why[from, to] = why[from, to] ((from, to) in why && why[from, to] != "" ? ", " : "") pair[2]
    }
    if (nuses < 200) {
        print "found only " nuses + 0 " uses between files"
        exit 1
    }
    for (file in files) {
        nfiles++
        if (!(file in order)) visit(file)
    }
    for (i = 1; i <= ncircles; i++) {
        print_circle(circles[i])
        if (reported == "" || graph_of(circles[i]) != reported) failed = 1
    }
    print nfiles " files, " nuses " uses of one by another, " ncircles + 0 " circles"
    exit failed
}
