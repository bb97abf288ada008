# SPDX-License-Identifier: Apache-2.0
# Reads headers and sources of src: a header declares the functions that the source file of its name defines, so that
# who looks for one finds it. What impl_lists define, common declares.

FNR == 1 {
    path = stem = FILENAME
    sub(/.*\//, "", stem)
    sub(/\.[a-z]+$/, "", stem)
    name = ""
}
/^[a-z][^={};"]*[ *]prim__[a-z0-9_]+\(/ && !/^(static|typedef) / {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (path ~ /\.h$/) {
        header[name] = path
        header_stem[name] = stem
    }
}
/;$/ { name = "" }
/^\{/ && name && path ~ /\.c$/ {
    source[name] = path
    source_stem[name] = stem
    name = ""
}

END {
    for (name in header) {
        # The self-tests are a list: each stands in a file of its own.
        if (!(name in source) || header_stem[name] == "ocl_selftest") continue
        n++
        if (header_stem[name] == source_stem[name]) continue
        print header[name] " declares " name "(), which " source[name] " defines"
        failed = 1
    }
    if (n < 300) {
        print "found only " n + 0 " functions that headers declare"
        failed = 1
    }
    exit failed
}
