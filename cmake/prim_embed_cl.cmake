# SPDX-License-Identifier: Apache-2.0
# Turns OpenCL C sources into C arrays at build time. prim_embed_cl(<target> <file.cl> …) adds, for
# each file, a generated source that defines `const ocl_source_t prim__<stem>_cl`. Included headers
# are pasted in at build time, each once; they are looked up beside the includer and in src/gpu/ocl. Call it once for a
# target in a directory.

set(PRIM_EMBED_CL_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_cl.cmake)

function(prim_embed_cl target)
    set(include_dir ${PROJECT_SOURCE_DIR}/src/gpu/ocl)
    file(GLOB headers CONFIGURE_DEPENDS ${include_dir}/clh/*.h ${include_dir}/clh/*.inc
        ${include_dir}/clh/shared/*.h ${include_dir}/clh/nv/*.h)
    foreach(source ${ARGN})
        get_filename_component(stem ${source} NAME_WE)
        set(output ${CMAKE_CURRENT_BINARY_DIR}/cl/${stem}_cl.c)
        add_custom_command(OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/${source}
                -DINCLUDE_DIR=${include_dir} -DOUTPUT=${output}
                -P ${PRIM_EMBED_CL_SCRIPT}
            DEPENDS ${source} ${headers} ${PRIM_EMBED_CL_SCRIPT}
            COMMENT "Embedding ${source}" VERBATIM)
        list(APPEND outputs ${output})
    endforeach()
    # The target may live in another directory, whose rules do not see commands made here.
    string(MAKE_C_IDENTIFIER "${target}_cl_${CMAKE_CURRENT_SOURCE_DIR}" embedding)
    add_custom_target(${embedding} DEPENDS ${outputs})
    add_dependencies(${target} ${embedding})
    target_sources(${target} PRIVATE ${outputs})
    set_source_files_properties(${outputs} TARGET_DIRECTORY ${target} PROPERTIES GENERATED TRUE)
endfunction()
