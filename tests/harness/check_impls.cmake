# SPDX-License-Identifier: Apache-2.0
# check_impls, which needs no cmocka: also for processors that programs are emulated for.
set(harness ${CMAKE_CURRENT_LIST_DIR})
list(TRANSFORM PRIM_OPERATION_WORDS REPLACE "(.+)" "${harness}/problems/\\1_problems.c" OUTPUT_VARIABLE problems)
set(sources check_impls impl_check impl_options impl_pool impl_tiles
    problem_attr problem_broadcast problem_draw problem_gen problem_image problem_product)
list(TRANSFORM sources REPLACE "(.+)" "${harness}/\\1.c")
add_executable(check_impls ${sources} ${problems})
prim_warnings(check_impls)
target_link_libraries(check_impls PRIVATE prim_objects)
target_include_directories(check_impls PRIVATE ${PROJECT_SOURCE_DIR}/src ${harness})
if(PRIM_GPU_RUNTIME STREQUAL "OCL")
    target_compile_definitions(check_impls PRIVATE PRIM_TEST_OCL=1 CL_TARGET_OPENCL_VERSION=120)
endif()
