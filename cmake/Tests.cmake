# Test programs: how their code is compiled, and how ctest discovers their tests.

# orbweaver_compile_googletest(): a build for another machine compiles GoogleTest, of which Debian installs
# the libraries of this machine and the sources. Then find_package(GTest) finds the result.
set(ORBWEAVER_GOOGLETEST_SOURCES /usr/src/googletest CACHE PATH
  "GoogleTest's sources, for the tests of builds for another machine")
mark_as_advanced(ORBWEAVER_GOOGLETEST_SOURCES)
function(orbweaver_compile_googletest)
  if(NOT CMAKE_CROSSCOMPILING OR NOT EXISTS ${ORBWEAVER_GOOGLETEST_SOURCES}/CMakeLists.txt)
    return()
  endif()
  set(INSTALL_GTEST OFF)
  add_subdirectory(${ORBWEAVER_GOOGLETEST_SOURCES} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/googletest/package/GTestConfig.cmake
    CONTENT "# The targets are those of ${ORBWEAVER_GOOGLETEST_SOURCES}.\n")
  set(GTest_DIR ${PROJECT_BINARY_DIR}/googletest/package CACHE PATH "" FORCE)
endfunction()

# orbweaver_compile_as_tests(TARGET…): compiles test code without optimisation in release builds, for other
# machines and with sanitizers, which halves its compilation time. The libraries under test keep their
# optimisation.
set(ORBWEAVER_TEST_OPTIMISATION "-O0" CACHE STRING
  "How release builds, builds for other machines and builds with sanitizers optimise the code of tests")
mark_as_advanced(ORBWEAVER_TEST_OPTIMISATION)
function(orbweaver_compile_as_tests)
  if(ORBWEAVER_SANITIZE OR CMAKE_CROSSCOMPILING)
    set(options ${ORBWEAVER_TEST_OPTIMISATION})
  else()
    set(options $<$<CONFIG:Release>:${ORBWEAVER_TEST_OPTIMISATION}>)
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${options})
  endforeach()
endfunction()

# Precompiles GoogleTest's headers and the common headers for all test programs. Disabled with a compiler
# cache, which misses when a precompiled header is in another folder; missing includes are found by such
# builds.
function(orbweaver_precompile_test_headers)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  set(empty ${PROJECT_BINARY_DIR}/test_headers.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "int main() {}\n")
  # A program rather than a library, so that it is position-independent like the test programs.
  add_executable(orbweaver_test_headers ${empty})
  target_link_libraries(orbweaver_test_headers PRIVATE orbweaver_flags GTest::gmock GTest::gtest)
  orbweaver_compile_as_tests(orbweaver_test_headers)
  target_precompile_headers(orbweaver_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <atomic> <chrono>
    <filesystem> <fstream> <functional> <random> <thread>)
endfunction()

# orbweaver_test_objects(TARGET…): object libraries that only test programs link are compiled as these are,
# and use their precompiled headers.
function(orbweaver_test_objects)
  orbweaver_compile_as_tests(${ARGN})
  orbweaver_unity(${ARGN})
  if(TARGET orbweaver_test_headers)
    foreach(target IN LISTS ARGN)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIE)
      target_precompile_headers(${target} REUSE_FROM orbweaver_test_headers)
    endforeach()
  endif()
endfunction()

# Seconds after which a test is killed as hanging, for a machine that is twenty times slower than usual. Long
# tests run a compiler or a model checker.
set(ORBWEAVER_TEST_TIMEOUT 1200)
set(ORBWEAVER_LONG_TEST_TIMEOUT 6000)

# Programs whose tests with "queue" in their names run one at a time: all POSIX message queues of a user
# together are limited to 819,200 bytes (RLIMIT_MSGQUEUE).
set(ORBWEAVER_TESTS_OF_MESSAGE_QUEUES platform_tests transport_tests orb_calls_tests orb_allocation_tests
  faults_tests limits_tests no_memory_tests client_no_memory_tests async_tests bench_tests
  process_exit_tests)

# orbweaver_link_internals(TARGET): the program links the library with all symbols instead of the installed
# one, which does not export all of them (src/liborbweaver.map). Not in its list of libraries: CMake would ask
# for an order of the folders of two libraries with the same name.
function(orbweaver_link_internals TARGET)
  set(library $<TARGET_FILE:orbweaver_with_internals>)
  target_link_options(${TARGET} PRIVATE "LINKER:-rpath,$<TARGET_FILE_DIR:orbweaver_with_internals>"
    "LINKER:--push-state,--no-as-needed" ${library} "LINKER:--pop-state")
  set_property(TARGET ${TARGET} APPEND PROPERTY LINK_DEPENDS ${library})
  add_dependencies(${TARGET} orbweaver_with_internals)
endfunction()

# orbweaver_child_programs(TARGET…): programs that tests start. In a build for another machine that an
# emulator runs, NAME becomes a script, which starts the emulator with the program itself, NAME.elf: this
# machine does not execute it. Called once for each program, in its folder.
function(orbweaver_child_programs)
  if(NOT CMAKE_CROSSCOMPILING OR NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  string(JOIN " " emulator ${CMAKE_CROSSCOMPILING_EMULATOR})
  foreach(target IN LISTS ARGN)
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.sh)
    file(GENERATE OUTPUT ${script}
      CONTENT "#!/bin/sh\nexec ${emulator} $<TARGET_FILE:${target}>.elf \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -E rename $<TARGET_FILE:${target}> $<TARGET_FILE:${target}>.elf
      COMMAND ${CMAKE_COMMAND} -E copy ${script} $<TARGET_FILE:${target}>)
    set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "")
  endforeach()
endfunction()

# orbweaver_test(NAME SOURCES file… LIBRARIES target…): a GoogleTest program with one ctest entry per test. If
# LIBRARIES names orbweaver, the tests may call its internal functions.
function(orbweaver_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ORBWEAVER_TESTS)
    return()
  endif()
  add_executable(${NAME} ${TEST_SOURCES})
  if(orbweaver IN_LIST TEST_LIBRARIES)
    orbweaver_link_internals(${NAME})
  endif()
  target_link_libraries(${NAME} PRIVATE orbweaver_flags ${TEST_LIBRARIES} GTest::gmock GTest::gtest_main)
  orbweaver_compile_as_tests(${NAME})
  orbweaver_unity(${NAME})
  if(TARGET orbweaver_test_headers)
    target_precompile_headers(${NAME} REUSE_FROM orbweaver_test_headers)
  endif()
  # Test parameters have names (tests/test_names); GoogleTest may print a nameless one as bytes.
  set(how DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES NO_PRETTY_TYPES DISCOVERY_TIMEOUT 120)
  set(properties PROPERTIES TIMEOUT ${ORBWEAVER_TEST_TIMEOUT} LABELS ${NAME})
  if(NOT NAME IN_LIST ORBWEAVER_TESTS_OF_MESSAGE_QUEUES)
    gtest_discover_tests(${NAME} ${how} ${properties})
    return()
  endif()
  gtest_discover_tests(${NAME} TEST_LIST ${NAME}_without_queues
    TEST_FILTER "-*queue*:*Queue*" ${how} ${properties})
  gtest_discover_tests(${NAME} TEST_LIST ${NAME}_of_queues TEST_FILTER "*queue*:*Queue*" ${how} ${properties}
    RESOURCE_LOCK message_queues)
endfunction()
