# What the build takes from the system. A package counts as found if every target of it that is used is there,
# and not because one of its neighbours is: Debian has GoogleTest's two libraries in two packages, for
# example.

# orbweaver_find(VARIABLE PACKAGE name [VERSION least] TARGETS target… DEBIAN package…)
#
# Sets VARIABLE to whether the package is usable and, where it is not, VARIABLE_MISSING to what is missing and
# how to get it, as a part of a sentence.
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

# orbweaver_require(PART PACKAGE name [VERSION least] TARGETS target… DEBIAN package… [OPTION option])
#
# Ends the configuration with one sentence if the package is not usable. PART is what needs it, and OPTION
# leaves that part out.
function(orbweaver_require PART)
  cmake_parse_arguments(REQUIRE "" "OPTION" "" ${ARGN})
  orbweaver_find(found ${REQUIRE_UNPARSED_ARGUMENTS})
  if(NOT found)
    set(or)
    if(REQUIRE_OPTION)
      set(or " -D${REQUIRE_OPTION}=OFF leaves it out.")
    endif()
    message(FATAL_ERROR "${PART} cannot be built: ${found_MISSING}.${or}")
  endif()
endfunction()
