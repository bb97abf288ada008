# SPDX-License-Identifier: Apache-2.0
# What a step of check.sh did not run, one line each: "SKIPPED <count> <what>: <why>". Reads what
# benchdnn prints (cases, summed up by reason; those outside --sample were not asked for), ctest's
# LastTest.log (what cmocka's tests and programs that end with 77 say of themselves), and ctest's own
# output (programs that end with 77 without a word, or whose leak check died).
#     awk -f skips.awk LOG…

function add(n, what) {
    if (!(what in count)) order[++nreasons] = what
    count[what] += n
}

/^[0-9]+\/[0-9]+ Test: / { test = $3; said[test] = 0 }
/^"[^"]*" time elapsed/ { test = "" }
# The list at the end of a cmocka program repeats the names; its first line has the number.
/^\[  SKIPPED \] [0-9]+ test\(s\)/ { next }
/^\[  SKIPPED \] / { if (!((test, $4) in seen)) { seen[test, $4] = 1; add(1, test ": " $4) } said[test] = 1; next }
/^skipped: / { add(1, test ": " substr($0, 10)); said[test] = 1; next }
/^[0-9]+:SKIPPED \(/ {
    why = substr($0, index($0, "(") + 1)
    why = substr(why, 1, index(why, ")") - 1)
    if (why != "Not in the sample") add(1, "cases: " why)
}
/\*\*\*Skipped / { ended[$4] = 1 }
END {
    for (name in ended) if (!said[name]) add(1, name ": it ended with 77, or its leaks were not looked for")
    for (i = 1; i <= nreasons; ++i) print "SKIPPED", count[order[i]], order[i]
}
