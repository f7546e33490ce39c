# Language level, warnings, sanitizers, third-party packages, output folders.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# The build tree is laid out like an installation, so that the program in it finds its plugins.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(TUNER_PLUGIN_SUBDIR lib/tuner/plugins)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

if(TUNER_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a ${CMAKE_FIND_LIBRARY_SUFFIXES})
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS program_options context)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json 3.9 REQUIRED)
find_package(fmt 8 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)

add_library(tuner_settings INTERFACE)
target_include_directories(tuner_settings INTERFACE ${PROJECT_SOURCE_DIR})

# What plugins are built with: headers only.
add_library(tuner_sdk INTERFACE)
add_library(tuner::sdk ALIAS tuner_sdk)
set_target_properties(tuner_sdk PROPERTIES EXPORT_NAME sdk)
target_compile_features(tuner_sdk INTERFACE cxx_std_20)
target_include_directories(tuner_sdk INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include>)

target_compile_options(tuner_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
# A type that a switch forgets, or a field that a table's row does, would be found by users.
target_compile_options(tuner_settings INTERFACE -Werror=switch -Werror=missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees uninitialised strings in `throw InputError(Complaint{{}, a + b, ""})`, wrongly, and
  # overlapping copies in `"'" + name` (its bug 105651).
  target_compile_options(tuner_settings INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A tenth of g++'s time went into collecting garbage. It waits until a GiB is there, which few sources reach.
  target_compile_options(tuner_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Of joined sources g++ takes what one declares for itself for a global name to the next one, and a
  # source for a header; g++ 12 and 13 also see null pointers and ends of arrays that are none.
  target_compile_options(tuner_settings INTERFACE -Wno-shadow -Wno-array-bounds -Wno-nonnull
                         $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # In place of clang-tidy's bugprone-reserved-identifier, which takes a fifth of its time.
  target_compile_options(tuner_settings INTERFACE -Wreserved-identifier)
endif()
if(TUNER_WERROR)
  target_compile_options(tuner_settings INTERFACE -Werror)
endif()
if(TUNER_SANITIZE)
  target_compile_options(tuner_settings INTERFACE -fsanitize=address,undefined
                         -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(tuner_settings INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(tuner_settings INTERFACE TUNER_SANITIZED)
  # lld, where it is installed, links programs with sanitizers in a fifth of the usual linker's time.
  # Like that it must let a plugin miss a symbol that is exported: some of the tests' plugins do.
  set(lld -fuse-ld=lld -Wl,--undefined-version)
  include(CheckLinkerFlag)
  check_linker_flag(CXX "${lld}" TUNER_HAS_LLD)
  if(TUNER_HAS_LLD)
    target_link_options(tuner_settings INTERFACE ${lld})
  endif()
endif()
# A plugin that misses a symbol is found out when it is linked; clang leaves those of its sanitizers
# to the program.
if(NOT (TUNER_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES Clang))
  set(TUNER_PLUGIN_LINK_OPTIONS -Wl,-z,defs)
endif()
if(TUNER_PORTABLE)
  # Unused parts of the static libstdc++ go: its random_device would ask for the newest glibc.
  target_link_options(tuner_settings INTERFACE -static-libstdc++ -static-libgcc
                      -Wl,--exclude-libs,ALL -Wl,--gc-sections)
  # Debian has no static fmt.
  set(TUNER_FMT fmt::fmt-header-only)
  set(TUNER_YAML_CPP ${CMAKE_CURRENT_BINARY_DIR}/unused)
  find_library(TUNER_YAML_CPP_STATIC libyaml-cpp.a REQUIRED)
  set(TUNER_YAML_CPP ${TUNER_YAML_CPP_STATIC})
else()
  set(TUNER_FMT fmt::fmt)
  set(TUNER_YAML_CPP yaml-cpp)
endif()
