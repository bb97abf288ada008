# SPDX-License-Identifier: Apache-2.0
# Reads paths of .cl files, then the calls of the library as "from to symbol", and complains of those between rooms
# of src/gpu/ocl that go up, or from operation to operation, declared by a header or by `extern` (rooms.awk).
NF == 1 {
    sub(/^src\//, "")
    stem = $1
    sub(/.*\//, "", stem)
    sub(/\.cl$/, "", stem)
    kernels["gpu/ocl/cl/" stem "_cl.c"] = $1 # the generated source
    next
}
/^gpu\/ocl\// {
    to = $2 in kernels ? kernels[$2] : $2
    ncalls++
    if (!may_use($1, to)) {
        print $1 " calls " $3 " of " to
        failed = 1
    }
}
END {
    print ncalls + 0 " calls between files of src/gpu/ocl"
    exit failed || ncalls < 200
}
