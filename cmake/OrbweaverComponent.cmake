# orbweaver_component(NAME SOURCES file… [LIBRARIES target…] [PROFILES file.xml…])
#
# Makes a component, both ways of deploying it, from the same sources: the program NAME for a process of
# its own, and the library NAME.so for a process that it shares. They and the PROFILES (its SPD, SCD and
# PRF) are put into ${CMAKE_CURRENT_BINARY_DIR}, so that the SPD names them without a path:
#
#   <implementation id="process"><code type="Executable"><localfile name="NAME"/></code>…
#   <implementation id="module"><code type="SharedLibrary"><localfile name="NAME.so"/></code>…
#
# One of the sources says ORBWEAVER_COMPONENT(Class). docs/sca.md has a whole component.
function(orbweaver_component NAME)
  cmake_parse_arguments(COMPONENT "" "" "SOURCES;LIBRARIES;PROFILES" ${ARGN})
  if(NOT COMPONENT_SOURCES)
    message(FATAL_ERROR "orbweaver_component(${NAME}): SOURCES are required")
  endif()
  add_library(${NAME}_objects OBJECT ${COMPONENT_SOURCES})
  target_link_libraries(${NAME}_objects PUBLIC orbweaver_flags orbweaver_sca_component ${COMPONENT_LIBRARIES})

  add_executable(${NAME})
  target_link_libraries(${NAME} PRIVATE ${NAME}_objects orbweaver_sca_main)
  add_library(${NAME}_module MODULE)
  # The library carries the framework that it was built with and shows nothing but its entry point.
  target_link_libraries(${NAME}_module PRIVATE ${NAME}_objects)
  target_link_options(${NAME}_module PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${NAME}_module PROPERTIES PREFIX "" SUFFIX .so OUTPUT_NAME ${NAME})
  set_target_properties(${NAME} ${NAME}_module PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  orbweaver_profiles(${NAME}_profiles FILES ${COMPONENT_PROFILES})
  add_dependencies(${NAME} ${NAME}_module ${NAME}_profiles)
endfunction()

# orbweaver_profiles(TARGET FILES file.xml…): copies profiles to ${CMAKE_CURRENT_BINARY_DIR} whenever they
# change. For the assembly (SAD) and for profiles that several components share.
function(orbweaver_profiles TARGET)
  cmake_parse_arguments(PROFILES "" "" "FILES" ${ARGN})
  set(copies)
  foreach(file IN LISTS PROFILES_FILES)
    get_filename_component(source ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME)
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/${name})
    add_custom_command(OUTPUT ${copy} DEPENDS ${source}
      COMMAND ${CMAKE_COMMAND} -E copy ${source} ${copy} COMMENT "Profile ${name}" VERBATIM)
    list(APPEND copies ${copy})
  endforeach()
  add_custom_target(${TARGET} ALL DEPENDS ${copies})
endfunction()
