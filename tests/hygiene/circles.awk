# SPDX-License-Identifier: Apache-2.0
# Reads the steps of a graph, "from to why", and prints its circles: strongly connected components of more than one
# node (R. Tarjan, Depth-first search and linear graph algorithms, 1972). Fails if there are any.

# Appends to `circles` each component that hangs from the node.
function visit(node,    n, i, targets, other, text)
{
    order[node] = lowest[node] = ++nvisited
    stack[++depth] = node
    is_on_stack[node] = 1
    n = split(steps[node], targets, " ")
    for (i = 1; i <= n; i++) {
        other = targets[i]
        if (!(other in order)) visit(other)
        if (is_on_stack[other] && lowest[other] < lowest[node]) lowest[node] = lowest[other]
    }
    if (lowest[node] != order[node]) return
    text = ""
    do {
        other = stack[depth--]
        is_on_stack[other] = 0
        text = text " " other
    } while (other != node)
    if (text != " " node) circles[++ncircles] = substr(text, 2)
}

function print_circle(text,    n, i, members, is_member, m, j, targets)
{
    n = split(text, members, " ")
    print "a circle of " n " files:"
    for (i = 1; i <= n; i++) is_member[members[i]] = 1
    for (i = 1; i <= n; i++) {
        m = split(steps[members[i]], targets, " ")
        for (j = 1; j <= m; j++)
            if (targets[j] in is_member) print "  " members[i] " -> " targets[j] ":" why[members[i], targets[j]]
    }
}

{
    nodes[$1] = nodes[$2] = 1
    if (!(($1, $2) in why)) {
        steps[$1] = steps[$1] " " $2
        nsteps++
    }
    why[$1, $2] = why[$1, $2] " " $3
}

END {
    if (nsteps < 200) {
        print "found only " nsteps + 0 " steps from file to file"
        exit 1
    }
    for (node in nodes) {
        nnodes++
        if (!(node in order)) visit(node)
    }
    for (i = 1; i <= ncircles; i++) {
        print_circle(circles[i])
        failed = 1
    }
    print nnodes " files, " nsteps " steps from one to another, " ncircles + 0 " circles"
    exit failed
}
