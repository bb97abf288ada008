# SPDX-License-Identifier: Apache-2.0
# The rules of layers.sh for the text of the files named on the command line, all in one pass. After rooms.awk.

function complain(text) { print text; failed = 1 }

function close_file()
{
    if (!path) return
    if (nlines > 500) complain(path " has more than 500 lines")
    if (!is_licensed) complain(path " lacks the SPDX line")
}

# What a file of a folder may include, beside its neighbours.
function allowed(file)
{
    if (file ~ /^include\/prim\//) return "^(prim_[a-z]+\\.h|prim/prim_version\\.h|CL/cl\\.h)$"
    if (file ~ /^src\/common\//) return "^(prim/|common/|operations\\.h$)"
    if (file ~ /^src\/cpu\//) return "^(prim/|common/|cpu/)"
    if (file ~ /^src\/gpu\/ocl\/clh\/shared\//) return "^CL/cl\\.h$"
    if (file ~ /^src\/gpu\/ocl\/(.*\.cl$|clh\/)/) return "^clh/"
    if (file ~ /^src\/gpu\/ocl\//) return "^(prim/|common/|CL/cl|gpu/ocl/)"
    if (file ~ /^impl_lists\//) return "^(common/(impl|engine)\\.h|impl_lists\\.h|operations\\.h)$"
    if (file ~ /^benchdnn\//) return "^(prim/|core/|drivers/|operations\\.h$)"
    if (file ~ /^bridges\/onnxruntime\/tests\//) return "^(support/unit_test\\.h|ep_cost\\.h)$"
    if (file ~ /^bridges\/onednn\//) return "^(prim/|oneapi/dnnl/|dnnl_tag_names\\.inc$)"
    if (file ~ /^bridges\/tvm_ffi\//) return "^(prim/|tvm/ffi/|ffi\\.h$)"
    if (file ~ /^bridges\//) return "^(prim/|graph\\.h$)"
    if (file ~ /^examples\//) return "^(prim/|CL/cl\\.h|(nets|train)/|example\\.h|graph\\.h$)"
    if (file ~ /^tests\/api\//) return "^(prim/|CL/cl\\.h|support/)"
    return ""
}

BEGIN {
    for (i = 1; i < ARGC; ++i) is_file[ARGV[i]] = 1
}

FNR == 1 {
    close_file()
    path = FILENAME
    folder = stem = path
    sub(/\/[^\/]*$/, "", folder)
    sub(/.*\//, "", stem)
    sub(/\.[a-z]+$/, "", stem)
    may_include = allowed(path)
    is_library = path ~ /^src\/.*\.c$/ && path !~ /^src\/common\/(log|status)\.c$/
    is_licensed = 0
}
{ nlines = FNR }
FNR <= 3 && /SPDX-License-Identifier: Apache-2.0/ { is_licensed = 1 }

may_include && /^#include ("|<prim\/|<CL\/)/ {
    name = $0
    sub(/^#include ["<]/, "", name)
    sub(/[">].*/, "", name)
    is_neighbour = name !~ /\// && (folder "/" name) in is_file
    is_up = path ~ /^src\/gpu\/ocl\// && name ~ /^gpu\/ocl\// && !may_use(substr(path, 5), name)
    if (!is_neighbour && (name !~ may_include || is_up)) complain(path " includes " name)
    if (index("src/" name, folder "/") == 1 && folder ~ /^src\/gpu/)
        complain(path " includes its neighbour as " name ", not by its bare name")
    if (path ~ /^include\// && path !~ /prim_ocl\.h$/ && name ~ /CL\/cl|prim_ocl/)
        complain(path " includes " name ": OpenCL outside prim_ocl.h")
}

# name = symbol = file: an implementation's object is named after its file.
/^const impl_t prim__[a-z0-9_]+ =/ {
    symbol = $3
    sub(/[^A-Za-z0-9_].*/, "", symbol)
    if (symbol != "prim__" stem) complain(path " defines " symbol)
    implementations[symbol] = path
}
path ~ /^impl_lists\/.*_list\.c$/ {
    rest = $0
    while (match(rest, /&prim__[a-z0-9_]+/)) {
        is_listed[substr(rest, RSTART + 1, RLENGTH - 1)] = 1
        rest = substr(rest, RSTART + RLENGTH)
    }
}

/^ *#if 0/ { complain(path ":" FNR ": dead code") }
is_library && /(^|[^A-Za-z0-9_])(abort|exit|printf|puts|assert_perror)\(/ {
    complain(path ":" FNR ": the library prints or exits: " $0)
}

END {
    close_file()
    for (symbol in implementations)
        if (!(symbol in is_listed)) complain(implementations[symbol] " is in no list")
    exit failed
}
