# SPDX-License-Identifier: Apache-2.0
# prim_embed_tables(<target> <file.tune> …) adds a generated source that defines
# prim__ocl_measured_tables[] (src/gpu/ocl/tune/ocl_measured_rules.h): the texts of the files. Call
# it once.

set(PRIM_EMBED_TABLES_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_tables.cmake)

function(prim_embed_tables target)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE tables)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/tune/ocl_measured_tables.c)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} "-DTABLES=${tables}" -DOUTPUT=${output} -P ${PRIM_EMBED_TABLES_SCRIPT}
        DEPENDS ${tables} ${PRIM_EMBED_TABLES_SCRIPT}
        COMMENT "Embedding the tables of measured numbers" VERBATIM)
    # The target may live in another directory, whose rules do not see commands made here.
    add_custom_target(${target}_tables DEPENDS ${output})
    add_dependencies(${target} ${target}_tables)
    target_sources(${target} PRIVATE ${output})
    set_source_files_properties(${output} TARGET_DIRECTORY ${target} PROPERTIES GENERATED TRUE)
endfunction()
