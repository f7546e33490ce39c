# A port of vcpkg: vcpkg install tuner --overlay-ports=packaging/vcpkg. To publish, take the release's archive
# (vcpkg_from_github with its SHA512) in place of the tree. Not tried: vcpkg was out of reach.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DTUNER_TESTS=OFF -DCMAKE_UNITY_BUILD=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tuner)
vcpkg_copy_tools(TOOL_NAMES tuner AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
