# SPDX-License-Identifier: Apache-2.0
# The rooms of src/gpu/ocl and their order (doc/architecture.md), for layers.awk, which looks at includes, and for
# calls.awk, which looks at calls.

BEGIN {
    # Which rooms a room may use, the lowest first. A folder that is not named is an operation's.
    rooms["device"] = "-"
    rooms["program"] = "device"
    rooms["feature"] = "device|program"
    rooms["memory"] = "device|feature"
    rooms["queue"] = "device|memory"
    rooms["launch"] = "device|program|memory|queue"
    rooms["tune"] = "device"
    rooms["kit"] = "device|program|feature|memory|launch|tune"
    rooms["an operation"] = "device|program|feature|launch|tune|kit"
    rooms["backend"] = "device|program|feature|memory|queue|launch|tune|kit"

    # Ties that are still to be cut, as "file folder": operations nest instead.
    tie("ip/ocl_ip_mma_split_k.c matmul")
    tie("ip/ocl_ip_gemv_nt.c matmul")
    tie("ip/ocl_ip_mma.c matmul")
    tie("ip/ocl_ip_pipeline.c matmul")
    tie("ip/ocl_ip_packed_cpu.c matmul")
    tie("ip/ocl_ip_gemv_nn.c matmul")
    tie("ip/ocl_ip_tiled.c matmul")
    tie("ip/ocl_ip_wgmma.c matmul")
    tie("ip/ocl_ip_wgmma_gather.c matmul")
}

function tie(text) { ties[text] = 0 }

# The folder of a path "gpu/ocl/<folder>/<file>".
function folder_of(path)
{
    sub(/^gpu\/ocl\//, "", path)
    sub(/\/.*/, "", path)
    return path
}

# Whether `from` may use `to`, both "gpu/ocl/<folder>/<file>". Of memory/, operations see ocl_memory alone.
function may_use(from, to,  room, other, tied)
{
    room = folder_of(from)
    other = folder_of(to)
    if (room == other) return 1
    if (to ~ /\/clh\/shared\//) return 1 # structs of both sides
    if (other ~ ("^(" rooms[room in rooms ? room : "an operation"] ")$")) return 1
    if (!(room in rooms) && to ~ /\/memory\/ocl_memory\.[ch]$/) return 1
    tied = substr(from, length("gpu/ocl/") + 1) " " other
    return tied in ties && ++ties[tied]
}
