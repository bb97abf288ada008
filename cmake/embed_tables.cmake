# SPDX-License-Identifier: Apache-2.0
# cmake -DTABLES="a.tune;b.tune" -DOUTPUT=tables.c -P embed_tables.cmake
# Writes the bytes of the tables as C strings, and prim__ocl_measured_tables, which lists them.
cmake_minimum_required(VERSION 3.20)

set(arrays "")
set(list "")
foreach(table IN LISTS TABLES)
    get_filename_component(name ${table} NAME_WE)
    file(READ ${table} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "0x[89a-f].," "0x2e," bytes "${bytes}") # in comments: '.'
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
        "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const char ${name}[] = {\n${bytes}0x00};\n\n")
    string(APPEND list "${name}, ")
endforeach()
file(WRITE ${OUTPUT} "// Made from the tables by embed_tables.cmake.
#include \"gpu/ocl/tune/ocl_measured_rules.h\"

${arrays}const char *const prim__ocl_measured_tables[] = {${list}NULL};
")
