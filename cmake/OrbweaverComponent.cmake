# orbweaver_component(NAME SOURCES file… [LIBRARIES target…] [PROFILES file.xml…])
#
# Builds a component from the same sources for both kinds of deployment: the program NAME for a process of its
# own, and the library NAME.so for a shared process. They and the PROFILES (its SPD, SCD and PRF) are placed
# in ${CMAKE_CURRENT_BINARY_DIR}, so that the SPD names them without a path:
#
#   <implementation id="process"><code type="Executable"><localfile name="NAME"/></code>…
#   <implementation id="module"><code type="SharedLibrary"><localfile name="NAME.so"/></code>…
#
# One of the sources must contain ORBWEAVER_COMPONENT(Class). docs/sca.md has a complete component.
#
# Static and object libraries among LIBRARIES are compiled as position-independent code, which NAME.so
# requires, unless their POSITION_INDEPENDENT_CODE is set otherwise.
function(orbweaver_component NAME)
  cmake_parse_arguments(COMPONENT "" "" "SOURCES;LIBRARIES;PROFILES" ${ARGN})
  _orbweaver_check_component(orbweaver_component ${NAME})
  _orbweaver_position_independent(${COMPONENT_LIBRARIES})
  add_library(${NAME}_objects OBJECT ${COMPONENT_SOURCES})
  set_target_properties(${NAME}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${NAME}_objects PUBLIC orbweaver::sca ${COMPONENT_LIBRARIES})
  if(TARGET orbweaver_flags)  # within Orbweaver's own tree
    target_link_libraries(${NAME}_objects PRIVATE orbweaver_flags)
  endif()

  add_executable(${NAME} ${ORBWEAVER_COMPONENT_MAIN})
  target_link_libraries(${NAME} PRIVATE ${NAME}_objects)
  add_library(${NAME}_module MODULE)
  # NAME.so does not export symbols of the static libraries in it.
  target_link_libraries(${NAME}_module PRIVATE ${NAME}_objects)
  target_link_options(${NAME}_module PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${NAME}_module PROPERTIES PREFIX "" SUFFIX .so OUTPUT_NAME ${NAME})
  set_target_properties(${NAME} ${NAME}_module PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  orbweaver_profiles(${NAME}_profiles FILES ${COMPONENT_PROFILES})
  add_dependencies(${NAME} ${NAME}_module ${NAME}_profiles)
endfunction()

# orbweaver_component_factory(NAME SOURCES file… [LIBRARIES target…] [PROFILES file.xml…])
#
# Builds the program NAME, which creates components in its process. It and the PROFILES (the SPD, SCD and PRF
# of the factory, and of its components) are placed in ${CMAKE_CURRENT_BINARY_DIR}. One of the sources must
# contain ORBWEAVER_COMPONENT_FACTORY(Class). docs/sca.md has a complete factory.
function(orbweaver_component_factory NAME)
  cmake_parse_arguments(COMPONENT "" "" "SOURCES;LIBRARIES;PROFILES" ${ARGN})
  _orbweaver_check_component(orbweaver_component_factory ${NAME})
  _orbweaver_add_program(${NAME} ${ORBWEAVER_COMPONENT_FACTORY_MAIN} orbweaver::sca)
endfunction()

# orbweaver_device(NAME SOURCES file… [LIBRARIES target…] [PROFILES file.xml…])
#
# Builds the program NAME, a device that a node starts. It and the PROFILES (its SPD, SCD and PRF, and the DCD
# of its node) are placed in ${CMAKE_CURRENT_BINARY_DIR}. One of the sources must contain
# ORBWEAVER_DEVICE(Class). The LIBRARIES do not link orbweaver::sca, which orbweaver::device contains.
# docs/sca.md has a complete device.
function(orbweaver_device NAME)
  cmake_parse_arguments(COMPONENT "" "" "SOURCES;LIBRARIES;PROFILES" ${ARGN})
  _orbweaver_check_component(orbweaver_device ${NAME})
  _orbweaver_add_program(${NAME} ${ORBWEAVER_DEVICE_MAIN} orbweaver::device)
endfunction()

# Checks the arguments of the functions above.
function(_orbweaver_check_component FUNCTION NAME)
  if(NOT COMPONENT_SOURCES)
    message(FATAL_ERROR "${FUNCTION}(${NAME}): SOURCES are required")
  endif()
  if(COMPONENT_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${FUNCTION}(${NAME}): '${COMPONENT_UNPARSED_ARGUMENTS}' "
                        "does not follow SOURCES, LIBRARIES or PROFILES")
  endif()
  foreach(profile IN LISTS COMPONENT_PROFILES)
    get_filename_component(profile ${profile} ABSOLUTE)
    if(NOT EXISTS ${profile})
      message(FATAL_ERROR "${FUNCTION}(${NAME}): there is no profile ${profile}")
    endif()
  endforeach()
endfunction()

# Builds the program NAME of the COMPONENT_ arguments, with this main() and library of the framework.
function(_orbweaver_add_program NAME MAIN FRAMEWORK)
  add_executable(${NAME} ${COMPONENT_SOURCES} ${MAIN})
  target_link_libraries(${NAME} PRIVATE ${FRAMEWORK} ${COMPONENT_LIBRARIES})
  if(TARGET orbweaver_flags)  # within Orbweaver's own tree
    target_link_libraries(${NAME} PRIVATE orbweaver_flags)
  endif()
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  orbweaver_profiles(${NAME}_profiles FILES ${COMPONENT_PROFILES})
  add_dependencies(${NAME} ${NAME}_profiles)
endfunction()

# Sets POSITION_INDEPENDENT_CODE for the static and object libraries of this build among the named targets and
# their dependencies.
function(_orbweaver_position_independent)
  foreach(library IN LISTS ARGN)
    if(NOT TARGET ${library})
      continue()
    endif()
    get_target_property(alias ${library} ALIASED_TARGET)
    if(alias)
      set(library ${alias})
    endif()
    get_target_property(imported ${library} IMPORTED)
    get_target_property(type ${library} TYPE)
    if(imported OR NOT type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|INTERFACE_LIBRARY)$")
      continue()
    endif()
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      get_target_property(set_already ${library} POSITION_INDEPENDENT_CODE)
      if(set_already STREQUAL "set_already-NOTFOUND")
        set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      endif()
    endif()
    get_target_property(next ${library} INTERFACE_LINK_LIBRARIES)
    if(next)
      list(REMOVE_ITEM next ${ARGN})
      _orbweaver_position_independent(${next})
    endif()
  endforeach()
endfunction()

# orbweaver_profiles(TARGET FILES file.xml…): copies profiles to ${CMAKE_CURRENT_BINARY_DIR} whenever they
# change. Use for the assembly (SAD), for profiles that several components share, and for those of the
# resource factory, ${ORBWEAVER_RESOURCE_FACTORY_PROFILES}, and of a node, ${ORBWEAVER_NODE_PROFILES}.
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
