# SPDX-License-Identifier: Apache-2.0
# The operations, and what is named after them. A new operation is one line here. The word names its files
# (<word>_schema.c, <word>_list.c, <word>_driver.c, src/gpu/ocl/<word>/, inputs/<word>/), the name behind it is that
# of its functions in prim_ops.h, which say the directions. Build lists and C tables are made from these two.
set(PRIM_OPERATIONS
    "binary         binary"
    "bnorm          batch_normalization"
    "concat         concat"
    "conv           convolution"
    "deconv         deconvolution"
    "eltwise        eltwise"
    "gnorm          group_normalization"
    "ip             inner_product"
    "lnorm          layer_normalization"
    "lrn            lrn"
    "matmul         matmul"
    "pool           pooling"
    "prelu          prelu"
    "reduction      reduction"
    "reorder        reorder"
    "resampling     resampling"
    "shuffle        shuffle"
    "softmax        softmax"
    "sum            sum"
)

# PRIM_OPERATION_WORDS, and PRIM_PASSES: "<creator's name> <kind> <direction> <stem>" of each function that creates
# descriptors; the stem is that of the symbols, prim__<stem>_schema and prim__<stem>_lists.
set(PRIM_OPERATION_WORDS)
set(PRIM_PASSES)
set(header ${CMAKE_CURRENT_LIST_DIR}/../include/prim/prim_ops.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
file(STRINGS ${header} creators REGEX "^(PRIM_API prim_status_t )?prim_[a-z_0-9]+_desc_create\\(")
list(TRANSFORM creators REPLACE "^.*prim_([a-z_0-9]+)_desc_create\\(.*$" "\\1")
foreach(line ${PRIM_OPERATIONS})
    string(REGEX MATCH "^([a-z_]+) +([a-z_]+)$" line "${line}")
    set(word ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    list(APPEND PRIM_OPERATION_WORDS ${word})
    string(TOUPPER PRIM_${name} kind)
    foreach(pass "=FORWARD=" "_forward=FORWARD=_forward" "_backward=BACKWARD=_backward"
            "_backward_data=BACKWARD=_backward_data" "_backward_weights=BACKWARD_WEIGHTS=_backward_weights")
        string(REPLACE "=" ";" pass "${pass}")
        list(GET pass 0 suffix)
        list(GET pass 1 direction)
        list(GET pass 2 stem)
        if("${name}${suffix}" IN_LIST creators)
            list(REMOVE_ITEM creators ${name}${suffix})
            list(APPEND PRIM_PASSES "${kind} ${direction} ${word}${stem}")
        endif()
    endforeach()
endforeach()
if(creators)
    message(FATAL_ERROR "prim_ops.h creates descriptors of operations that cmake/operations.cmake does not list: ${creators}")
endif()

# operations.h: the same for C, as lists that a macro is applied to.
set(text "// Written by cmake/operations.cmake.\n#ifndef PRIM_OPERATIONS_H\n#define PRIM_OPERATIONS_H\n\n")
string(APPEND text "/// X(word) for each operation.\n#define FOR_EACH_OPERATION(X)")
foreach(word ${PRIM_OPERATION_WORDS})
    string(APPEND text " \\\n    X(${word})")
endforeach()
string(APPEND text "\n\n/// X(kind, direction, stem) for each pass of each operation that prim_ops.h offers.\n")
string(APPEND text "#define FOR_EACH_PASS(X)")
foreach(pass ${PRIM_PASSES})
    string(REPLACE " " ", " pass "${pass}")
    string(APPEND text " \\\n    X(${pass})")
endforeach()
string(APPEND text "\n\n#endif\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/src/include/operations.h CONTENT "${text}" @ONLY)

# prim_listed_implementations(<variable> <backend>): the stems of the implementations that impl_lists/ declares of a
# backend, each behind its operation's word: softmax/ocl_softmax_any.
function(prim_listed_implementations variable backend)
    set(stems)
    foreach(word ${PRIM_OPERATION_WORDS})
        set(list ${PROJECT_SOURCE_DIR}/impl_lists/${word}_list.c)
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
        file(STRINGS ${list} lines REGEX "^extern const impl_t prim__${backend}_[a-z0-9_]+;")
        list(TRANSFORM lines REPLACE "^.* prim__([a-z0-9_]+);.*$" "${word}/\\1")
        list(APPEND stems ${lines})
    endforeach()
    set(${variable} ${stems} PARENT_SCOPE)
endfunction()
