# A room is a folder, a target and one idea. `orbweaver_room(NAME …)` makes the static library
# orbweaver_NAME from the folder's sources and, from its *_test.cpp, the program NAME_tests.

add_library(orbweaver_flags INTERFACE)
target_compile_features(orbweaver_flags INTERFACE cxx_std_20)
target_compile_options(orbweaver_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -fno-semantic-interposition)
# GCC 12 takes the comparison of two byte vectors for one of impossible sizes (GCC bug 105329).
target_compile_options(orbweaver_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
target_include_directories(orbweaver_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(orbweaver_flags INTERFACE Threads::Threads)
if(ORBWEAVER_SANITIZE)
  string(REPLACE ";" "," _sanitize "${ORBWEAVER_SANITIZE}")
  target_compile_options(orbweaver_flags INTERFACE
    -fsanitize=${_sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(orbweaver_flags INTERFACE -fsanitize=${_sanitize})
  if(_sanitize MATCHES "thread")
    # GCC's race detector does not see fences alone; what they order is seen through the atomics around them.
    target_compile_options(orbweaver_flags INTERFACE -Wno-tsan)
  endif()
endif()

# orbweaver_room(NAME LINK room… LIBRARIES target… TEST_LIBRARIES target…)
function(orbweaver_room NAME)
  cmake_parse_arguments(ROOM "" "" "LINK;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|(^|/)testing/")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  add_library(orbweaver_${NAME} STATIC ${sources})
  list(TRANSFORM ROOM_LINK PREPEND orbweaver_)
  target_link_libraries(orbweaver_${NAME} PUBLIC orbweaver_flags ${ROOM_LINK} ${ROOM_LIBRARIES})
  if(ORBWEAVER_TESTS AND tests)
    orbweaver_test(${NAME}_tests SOURCES ${tests} LIBRARIES orbweaver_${NAME} ${ROOM_TEST_LIBRARIES})
  endif()
endfunction()

# orbweaver_compile_as_tests(TARGET…): compiles test code without optimisation in release builds, which halves the time
# of compiling it. The libraries under test keep theirs.
set(ORBWEAVER_TEST_OPTIMISATION "-O0" CACHE STRING "How release builds optimise the code of tests")
mark_as_advanced(ORBWEAVER_TEST_OPTIMISATION)
function(orbweaver_compile_as_tests)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${ORBWEAVER_TEST_OPTIMISATION}>)
  endforeach()
endfunction()

# orbweaver_test(NAME SOURCES file… LIBRARIES target…): a GoogleTest program, one ctest entry a test.
function(orbweaver_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ORBWEAVER_TESTS)
    return()
  endif()
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE orbweaver_flags ${TEST_LIBRARIES} GTest::gmock GTest::gtest_main)
  orbweaver_compile_as_tests(${NAME})
  # Parameters have names of their own (tests/names); what GoogleTest prints of a nameless one may be its bytes.
  gtest_discover_tests(${NAME} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES NO_PRETTY_TYPES PROPERTIES TIMEOUT 120)
endfunction()
