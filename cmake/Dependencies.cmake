# Checks for the packages that the build uses. A package counts as found only if every target that is used of
# it exists: Debian, for example, has GoogleTest's two libraries in two packages.

# orbweaver_find(VARIABLE PACKAGE name [VERSION minimum] TARGETS target… DEBIAN package…)
#
# Sets VARIABLE to whether the package is usable. If it is not, sets VARIABLE_MISSING to the missing parts and
# the Debian packages to install, as a clause for a message.
function(orbweaver_find VARIABLE)
  cmake_parse_arguments(FIND "" "PACKAGE;VERSION" "TARGETS;DEBIAN" ${ARGN})
  find_package(${FIND_PACKAGE} ${FIND_VERSION} QUIET)
  set(missing)
  if(NOT ${FIND_PACKAGE}_FOUND)
    string(JOIN " " missing ${FIND_PACKAGE} ${FIND_VERSION})
  else()
    foreach(target IN LISTS FIND_TARGETS)
      if(NOT TARGET ${target})
        list(APPEND missing ${target})
      endif()
    endforeach()
    list(JOIN missing ", " missing)
  endif()
  if(missing)
    list(JOIN FIND_DEBIAN " " debian)
    set(${VARIABLE} FALSE PARENT_SCOPE)
    set(${VARIABLE}_MISSING "${missing} is not installed (Debian: ${debian})" PARENT_SCOPE)
  else()
    set(${VARIABLE} TRUE PARENT_SCOPE)
  endif()
endfunction()

# orbweaver_require(PART PACKAGE name [VERSION minimum] TARGETS target… DEBIAN package… [OPTION option])
#
# Ends the configuration with an error message if the package is not usable. PART is the part of Orbweaver
# that needs it, and OPTION is the CMake option that disables that part.
function(orbweaver_require PART)
  cmake_parse_arguments(REQUIRE "" "OPTION" "" ${ARGN})
  orbweaver_find(found ${REQUIRE_UNPARSED_ARGUMENTS})
  if(NOT found)
    set(or)
    if(REQUIRE_OPTION)
      set(or " -D${REQUIRE_OPTION}=OFF disables it.")
    endif()
    message(FATAL_ERROR "${PART} cannot be built: ${found_MISSING}.${or}")
  endif()
endfunction()
