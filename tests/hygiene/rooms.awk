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
    rooms["launch"] = "device|program|memory|queue|tune"
    rooms["tune"] = "device"
    rooms["kit"] = "device|program|feature|memory|launch|tune"
    rooms["an operation"] = "device|program|feature|launch|tune|kit"
    rooms["backend"] = "device|program|feature|memory|queue|launch|tune|kit"
}

# The folder of a path "gpu/ocl/<folder>/<file>".
function folder_of(path)
{
    sub(/^gpu\/ocl\//, "", path)
    sub(/\/.*/, "", path)
    return path
}

# Whether `from` may use `to`, both "gpu/ocl/<folder>/<file>". Of memory/, operations see ocl_memory alone.
function may_use(from, to,  room, other)
{
    room = folder_of(from)
    other = folder_of(to)
    if (room == other) return 1
    if (to ~ /\/clh\/shared\//) return 1 # structs of both sides
    if (other ~ ("^(" rooms[room in rooms ? room : "an operation"] ")$")) return 1
    return !(room in rooms) && to ~ /\/memory\/ocl_memory\.[ch]$/
}
