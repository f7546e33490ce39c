# Sources that are joined into one (CMAKE_UNITY_BUILD): what headers cost is paid once for them all.
# Where they are precompiled, fewer sources are compiled again after a change.
set(TUNER_JOINED_SOURCES 32)
if(TUNER_PCH)
  set(TUNER_JOINED_SOURCES 8)
endif()

# What computes is optimised fully. The rest reads, writes and calls: with -Og, which leaves out what costs the compiler
# much, it is compiled in half of the time of -O3. A list of 18,132 configurations then takes 0.11 s in place of 0.09.
set(TUNER_COMPUTES base expression space model plugin resolve files measure deploy search strategies classic cpu cuda
    opencl)
function(tuner_optimise target name)
  if(NOT name IN_LIST TUNER_COMPUTES)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  endif()
endfunction()

# tuner_room(NAME FLOOR_BELOW... [LIBS ...]): one static library for each room of the house.
# Sources are globbed: a room is its folder.
function(tuner_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.h)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(compiled ${sources})
  list(FILTER compiled INCLUDE REGEX "\\.cpp$")
  if(compiled)
    add_library(tuner_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(tuner_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(tuner_${name} ${scope} tuner_settings ${ARG_LIBS})
  if(compiled)
    if(TUNER_FUZZ)
      set(fuzzed -fsanitize=fuzzer-no-link)  # shared with the tests
    endif()
    target_compile_options(tuner_${name} PRIVATE ${fuzzed})
    tuner_optimise(tuner_${name} ${name})
    set_target_properties(tuner_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${TUNER_JOINED_SOURCES})
    tuner_precompile(tuner_${name} rooms ${fuzzed})
  endif()
  foreach(room IN LISTS ARG_DEPENDS)
    target_link_libraries(tuner_${name} ${scope} tuner_${room})
  endforeach()
endfunction()

# tuner_plugin(NAME SOURCES... LIBS...): a module with hidden symbols, placed where the program
# looks for plugins. It sees tuner/plugin/abi.h and sdk.h and nothing else of the house.
# An object library of the same sources serves the plugin's unit tests.
function(tuner_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(tuner_plugin_${name}_objects OBJECT ${ARG_SOURCES})
  target_link_libraries(tuner_plugin_${name}_objects PUBLIC tuner_settings ${ARG_LIBS})
  tuner_optimise(tuner_plugin_${name}_objects ${name})
  tuner_precompile(tuner_plugin_${name}_objects plugins)
  set_target_properties(tuner_plugin_${name}_objects PROPERTIES
    UNITY_BUILD_BATCH_SIZE ${TUNER_JOINED_SOURCES})
  tuner_add_plugin(tuner_plugin_${name} LIBS tuner_plugin_${name}_objects)
  set_target_properties(tuner_plugin_${name} PROPERTIES
    OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${TUNER_PLUGIN_SUBDIR})
  if(NOT TARGET program)
    add_custom_target(program)  # what a user needs: the program and its plugins, no tests
  endif()
  add_dependencies(program tuner_plugin_${name})
  set_property(GLOBAL APPEND PROPERTY TUNER_PLUGIN_TARGETS tuner_plugin_${name})
  install(TARGETS tuner_plugin_${name} LIBRARY DESTINATION ${TUNER_PLUGIN_SUBDIR})
endfunction()

# tuner_embed_by_name(TARGET FUNCTION NAMESPACE FILE...): `std::string_view FUNCTION(std::string_view)`
# of TARGET, which answers a file's name with its text; a header of TARGET declares it.
function(tuner_embed_by_name target function namespace)
  set(rows "")
  foreach(path IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    get_filename_component(name ${path} NAME)
    string(APPEND rows "  if (name == \"${name}\") return R\"tuner_text(${text})tuner_text\";\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded/${function}.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT "// Made by tuner_embed_by_name() of cmake/TunerTargets.cmake.
#include <string_view>

namespace @namespace@ {

std::string_view @function@(std::string_view name);
std::string_view @function@(std::string_view name) {
@rows@  return {};
}

}  // namespace @namespace@
")
  target_sources(${target} PRIVATE ${generated})
endfunction()

# tuner_embed(TARGET CONSTANT TYPE NAMESPACE FILE...): the files' joined text as a constant of TARGET,
# `extern const TYPE CONSTANT` in NAMESPACE, which a header of TARGET declares. With DROP_INCLUDES
# lines that mean nothing in joined text go: #pragma once, and #include of a file beside them.
function(tuner_embed target constant type namespace)
  cmake_parse_arguments(ARG "DROP_INCLUDES" "" "" ${ARGN})
  set(TUNER_TEXT "")
  foreach(file IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(path ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    if(ARG_DROP_INCLUDES)
      string(REGEX REPLACE "#(pragma once|include \"[a-z_]+\\.h\")\n" "\n" text "${text}")
    endif()
    string(APPEND TUNER_TEXT "${text}")
  endforeach()
  set(TUNER_CONSTANT ${constant})
  set(TUNER_TYPE ${type})
  set(TUNER_NAMESPACE ${namespace})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded/${constant}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in ${generated} @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
