# What others build on: the SDK's headers, libtuner, find_package(tuner) and pkg-config.
include(CMakePackageConfigHelpers)

set(TUNER_PACKAGE_DIR lib/cmake/tuner)
file(GLOB sdk_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tuner/plugin/sdk*.h)
set(abi_headers abi.h abi_abilities.h abi_observer.h abi_problem.h abi_strategy.h)
list(TRANSFORM abi_headers PREPEND ${PROJECT_SOURCE_DIR}/tuner/plugin/)
install(FILES ${sdk_headers} ${abi_headers} DESTINATION include/tuner/plugin)
install(TARGETS tuner_sdk EXPORT tunerTargets)
# The build tree has the library's headers where an installation has them.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/tuner)
foreach(header IN ITEMS tuner.h tuner_c.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tuner/library/${header}
       ${PROJECT_BINARY_DIR}/include/tuner/${header} SYMBOLIC)
endforeach()
if(NOT TUNER_PORTABLE)
  target_include_directories(tuner_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  install(TARGETS tuner_shared EXPORT tunerTargets LIBRARY DESTINATION lib)
  install(FILES ${PROJECT_SOURCE_DIR}/tuner/library/tuner.h
          ${PROJECT_SOURCE_DIR}/tuner/library/tuner_c.h DESTINATION include/tuner)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/tuner DESTINATION lib/tuner/python
          PATTERN __pycache__ EXCLUDE)
endif()
if(TUNER_PORTABLE)
  # Nothing links with a portable installation: an example of the library comes with it, built.
  add_executable(tuned_products ${PROJECT_SOURCE_DIR}/examples/library/tuned_products.cpp)
  target_include_directories(tuned_products PRIVATE ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(tuned_products PRIVATE tuner_settings tuner_library ${CMAKE_DL_LIBS})
  set_target_properties(tuned_products PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/examples)
  add_dependencies(program tuned_products)
  install(TARGETS tuned_products RUNTIME DESTINATION bin/examples)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/examples/library/tuned_products.sh DESTINATION bin/examples)
endif()
install(EXPORT tunerTargets NAMESPACE tuner:: DESTINATION ${TUNER_PACKAGE_DIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tunerConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tunerConfig.cmake INSTALL_DESTINATION ${TUNER_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tunerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tunerConfig.cmake ${PROJECT_BINARY_DIR}/tunerConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/TunerPlugin.cmake ${PROJECT_SOURCE_DIR}/cmake/plugin_exports.map
        DESTINATION ${TUNER_PACKAGE_DIR})

# The prefix is known when it is installed, not before.
install(CODE "set(PROJECT_VERSION ${PROJECT_VERSION})
configure_file(\"${PROJECT_SOURCE_DIR}/cmake/tuner-sdk.pc.in\"
  \"${PROJECT_BINARY_DIR}/tuner-sdk.pc\" @ONLY)
file(INSTALL \"${PROJECT_BINARY_DIR}/tuner-sdk.pc\" DESTINATION
  \"\${CMAKE_INSTALL_PREFIX}/lib/pkgconfig\")")

# Man pages and completions of shells are made of the program's own option tables and of what its
# plugins are called, so by the program.
find_package(Python3 COMPONENTS Interpreter)
if(TARGET tuner AND Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  get_property(plugins GLOBAL PROPERTY TUNER_PLUGIN_TARGETS)
  add_custom_command(OUTPUT ${manual}/man/man1/tuner.1
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/completions.py
            --tuner $<TARGET_FILE:tuner> --to ${manual}
    DEPENDS tuner ${plugins} ${PROJECT_SOURCE_DIR}/scripts/completions.py VERBATIM)
  add_custom_target(manual ALL DEPENDS ${manual}/man/man1/tuner.1)
  add_dependencies(program manual)
  install(DIRECTORY ${manual}/ DESTINATION share)
else()
  message(STATUS "no Python, or another machine's program: no man pages and completions")
endif()
