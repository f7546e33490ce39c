# What others build on: the SDK's headers, libtuner, find_package(tuner) and pkg-config.
include(CMakePackageConfigHelpers)

set(TUNER_PACKAGE_DIR lib/cmake/tuner)
file(GLOB sdk_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tuner/plugin/sdk*.h)
install(FILES ${sdk_headers} ${PROJECT_SOURCE_DIR}/tuner/plugin/abi.h
        ${PROJECT_SOURCE_DIR}/tuner/plugin/abi_strategy.h DESTINATION include/tuner/plugin)
install(TARGETS tuner_sdk EXPORT tunerTargets)
if(TARGET tuner_library)
  install(TARGETS tuner_library EXPORT tunerTargets LIBRARY DESTINATION lib)
  install(FILES ${PROJECT_SOURCE_DIR}/tuner/library/tuner.h
          ${PROJECT_SOURCE_DIR}/tuner/library/tuner_c.h DESTINATION include/tuner)
  install(FILES ${PROJECT_SOURCE_DIR}/python/tuner.py DESTINATION lib/tuner/python)
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
