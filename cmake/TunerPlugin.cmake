# tuner_add_plugin(NAME SOURCES... [LIBS...]): a module with hidden symbols, linked to tuner::sdk, that
# exports the one symbol which the program looks for. Part of the installation, for plugins of others;
# tuner's own are made by it, too.
set(TUNER_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/plugin_exports.map)

function(tuner_add_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tuner::sdk ${ARG_LIBS})
  # Hidden visibility does not reach the standard library's templates; the version script does.
  target_link_options(${name} PRIVATE ${TUNER_PLUGIN_LINK_OPTIONS}
    -Wl,--version-script=${TUNER_PLUGIN_EXPORTS})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
