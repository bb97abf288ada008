# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=x.cl -DINCLUDE_DIR=dir -DOUTPUT=x_cl.c -P embed_cl.cmake
# Writes the bytes of a kernel file, preceded by the headers it includes, as a C array. Headers are
# taken depth first, each once; the include lines themselves become comments of the same length, and
# bytes beyond ASCII (in comments) become '.', which every compiler takes. A file x.inc, which is for
# several lengths or types, is pasted in the place of each of its include lines instead.
cmake_minimum_required(VERSION 3.20)

set(hex_all "")
set(seen "")

function(append_file path)
    if(path IN_LIST seen)
        return()
    endif()
    list(APPEND seen ${path})
    get_filename_component(folder ${path} DIRECTORY)
    file(STRINGS ${path} lines REGEX "^#include \"" ENCODING UTF-8)
    foreach(line IN LISTS lines)
        if(line MATCHES "\\.inc\"")
            continue()
        endif()
        string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" name "${line}")
        if(EXISTS ${folder}/${name})
            append_file(${folder}/${name})
        else()
            append_file(${INCLUDE_DIR}/${name})
        endif()
    endforeach()
    file(READ ${path} hex HEX)
    list(FILTER lines INCLUDE REGEX "\\.inc\"")
    list(REMOVE_DUPLICATES lines)
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" name "${line}")
        file(READ ${INCLUDE_DIR}/${name} body HEX)
        string(HEX "#include \"${name}\"" include_line)
        string(REPLACE "${include_line}" "${body}" hex "${hex}")
    endforeach()
    # "#include " -> "//nclude "
    string(REPLACE "23696e636c75646520" "2f2f6e636c75646520" hex "${hex}")
    set(hex_all "${hex_all}${hex}" PARENT_SCOPE)
    set(seen "${seen}" PARENT_SCOPE)
endfunction()

append_file(${SOURCE})
get_filename_component(stem ${SOURCE} NAME_WE)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex_all}")
string(REGEX REPLACE "0x[89a-f].," "0x2e," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
    "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made from ${stem}.cl by embed_cl.cmake.
#include \"gpu/ocl/program/ocl_source.h\"

static const char text[] = {\n${bytes}0x00};

const ocl_source_t prim__${stem}_cl = {\"${stem}\", text, sizeof text - 1};
")
