# Precompiled headers: what most sources include of libraries is compiled once, not once for each
# source. With clang's sanitizers a test takes a quarter less time to compile, a source of tuner/ a
# sixth.
#
# With them a source compiles that forgets one of these includes; so does one that is joined with others
# (CMAKE_UNITY_BUILD). So scripts/check.sh compiles everything in the preset `plain`, which does neither.
# scripts/lint.sh and the test that headers compile alone leave them out, too.
option(TUNER_PCH "Precompile the headers that most sources include (clang only)" OFF)

set(TUNER_PCH_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional>
    <map> <memory> <optional> <set> <span> <sstream> <string> <string_view> <utility> <vector>
    <fmt/format.h>)
set(TUNER_PCH_HEADERS_OF_rooms <nlohmann/json.hpp>)
set(TUNER_PCH_HEADERS_OF_plugins "")
set(TUNER_PCH_HEADERS_OF_tests <gtest/gtest.h> <nlohmann/json.hpp>)

# tuner_precompile(TARGET KIND [OPTION...]): TARGET uses the precompiled headers of its KIND: rooms,
# plugins or tests. All targets of a kind have the same compiler options; OPTION... are those that
# other kinds do not have. The first target of a kind must be in a folder with the options of all.
function(tuner_precompile target kind)
  if(NOT TUNER_PCH)
    return()
  endif()
  set(owner tuner_precompiled_${kind})
  if(NOT TARGET ${owner})
    set(no_source ${CMAKE_CURRENT_BINARY_DIR}/${owner}.cpp)
    file(CONFIGURE OUTPUT ${no_source} CONTENT "")
    add_library(${owner} OBJECT ${no_source})
    target_link_libraries(${owner} PRIVATE tuner_settings ${TUNER_FMT} nlohmann_json::nlohmann_json)
    target_compile_options(${owner} PRIVATE ${ARGN})
    # Else what ccache has kept is older than the header that CMake writes, and refused.
    target_compile_options(${owner} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    if(kind STREQUAL "tests")  # programs, which are compiled with -fPIE where libraries have -fPIC
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${owner} PRIVATE -fPIE)
      target_link_libraries(${owner} PRIVATE GTest::gtest)
    endif()
    target_precompile_headers(${owner} PRIVATE ${TUNER_PCH_HEADERS} ${TUNER_PCH_HEADERS_OF_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
