# Packages of what is installed, made by cpack in a build tree: a .deb (-G DEB) and an archive (-G TGZ).
set(CPACK_PACKAGE_NAME tuner)
set(CPACK_PACKAGE_VENDOR "the tuner authors")
set(CPACK_PACKAGE_CONTACT "the tuner authors <tuner@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "autotuner of CUDA kernels")
set(CPACK_PACKAGE_DESCRIPTION "Compiles every variant of a CUDA kernel that a YAML study describes,
checks its answer, measures it, and exports the fastest for each problem size. Backends, search
strategies and exporters are plugins.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # Depends: is what the program is linked with
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
# The backend `cpu` compiles with g++; scripts of Kernel Tuner are read by python3.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, python3")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
