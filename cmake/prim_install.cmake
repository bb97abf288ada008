# SPDX-License-Identifier: Apache-2.0
# Install rules: library, headers, CMake package (find_package(prim), target prim::prim), pkg-config.
include(CMakePackageConfigHelpers)

install(TARGETS ${PRIM_TARGETS} EXPORT prim_targets)
install(FILES
    include/prim/prim.h include/prim/prim_attr.h include/prim/prim_gemm.h include/prim/prim_ocl.h include/prim/prim_ops.h
    include/prim/prim_query.h include/prim/prim_recording.h include/prim/prim_tags.h include/prim/prim_threadpool.h
    include/prim/prim_tune.h include/prim/prim_types.h
    ${PROJECT_BINARY_DIR}/src/include/prim/prim_version.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/prim)
install(EXPORT prim_targets NAMESPACE prim:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/prim)

# The build tree is a package, too: -Dprim_DIR=<build folder>.
export(EXPORT prim_targets NAMESPACE prim:: FILE ${PROJECT_BINARY_DIR}/prim_targets.cmake)

list(GET PRIM_TARGETS 0 PRIM_MAIN_TARGET)
configure_package_config_file(cmake/prim-config.cmake.in ${PROJECT_BINARY_DIR}/prim-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/prim)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/prim-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/prim-config.cmake ${PROJECT_BINARY_DIR}/prim-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/prim)

set(PRIM_PC_REQUIRES "")
if(PRIM_GPU_RUNTIME STREQUAL "OCL")
    set(PRIM_PC_REQUIRES "OpenCL")
endif()
set(PRIM_PC_LIBS "-lm -lpthread")
if(PRIM_CPU_RUNTIME STREQUAL "OMP")
    string(APPEND PRIM_PC_LIBS " ${OpenMP_C_FLAGS}")
endif()
# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH PRIM_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/prim.pc.in ${PROJECT_BINARY_DIR}/prim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/prim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
