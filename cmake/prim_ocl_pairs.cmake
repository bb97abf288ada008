# SPDX-License-Identifier: Apache-2.0
# prim_ocl_pairs(<target> <folder/stem> …) adds pairs of a host side <stem>.c and a kernel <stem>.cl, the latter as a C
# array; an implementation that launches the kernels of others has no <stem>.cl. Call it once for a target in a
# directory.

function(prim_ocl_pairs target)
    set(kernels)
    foreach(stem ${ARGN})
        target_sources(${target} PRIVATE ${stem}.c)
        if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cl)
            list(APPEND kernels ${stem}.cl)
        endif()
    endforeach()
    prim_embed_cl(${target} ${kernels})
endfunction()
