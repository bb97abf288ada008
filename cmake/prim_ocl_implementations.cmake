# SPDX-License-Identifier: Apache-2.0
# prim_ocl_implementations(<target> <folder/stem> …) adds OpenCL implementations: of each, the host
# side <stem>.c, and <stem>.cl as a C array. Call it once for a target in a directory.

function(prim_ocl_implementations target)
    list(TRANSFORM ARGN APPEND .c OUTPUT_VARIABLE host_sources)
    list(TRANSFORM ARGN APPEND .cl OUTPUT_VARIABLE kernels)
    target_sources(${target} PRIVATE ${host_sources})
    prim_embed_cl(${target} ${kernels})
endfunction()
