# Programs of tests: how their code is compiled, and how ctest finds the tests in them.

# orbweaver_compile_as_tests(TARGET…): compiles test code without optimisation in release builds, which halves the time
# of compiling it. The libraries under test keep theirs.
set(ORBWEAVER_TEST_OPTIMISATION "-O0" CACHE STRING "How release builds optimise the code of tests")
mark_as_advanced(ORBWEAVER_TEST_OPTIMISATION)
function(orbweaver_compile_as_tests)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${ORBWEAVER_TEST_OPTIMISATION}>)
  endforeach()
endfunction()

# GoogleTest's headers and what every test includes, parsed once for all test programs. Not with a compiler cache, which
# finds nothing again when a precompiled header differs by its folder; so a missing include is noticed there.
function(orbweaver_precompile_test_headers)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  set(empty ${PROJECT_BINARY_DIR}/test_headers.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "int main() {}\n")
  # A program and not a library: position-independent as the test programs are.
  add_executable(orbweaver_test_headers ${empty})
  target_link_libraries(orbweaver_test_headers PRIVATE orbweaver_flags GTest::gmock GTest::gtest)
  orbweaver_compile_as_tests(orbweaver_test_headers)
  target_precompile_headers(orbweaver_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <atomic> <chrono>
    <filesystem> <fstream> <functional> <random> <thread>)
endfunction()

# Seconds after which a test is ended as one that hangs, on a machine that is twenty times slower than usual. Long tests
# run a compiler or a model checker.
set(ORBWEAVER_TEST_TIMEOUT 1200)
set(ORBWEAVER_LONG_TEST_TIMEOUT 6000)

# Programs whose tests with "queue" in their names run one after the other: all POSIX message queues of a user together
# may take 819,200 bytes (RLIMIT_MSGQUEUE).
set(ORBWEAVER_TESTS_OF_MESSAGE_QUEUES platform_tests transport_tests orb_calls_tests orb_allocation_tests
  faults_tests limits_tests no_memory_tests client_no_memory_tests bench_tests)

# orbweaver_test(NAME SOURCES file… LIBRARIES target…): a GoogleTest program, one ctest entry a test.
function(orbweaver_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ORBWEAVER_TESTS)
    return()
  endif()
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE orbweaver_flags ${TEST_LIBRARIES} GTest::gmock GTest::gtest_main)
  orbweaver_compile_as_tests(${NAME})
  if(TARGET orbweaver_test_headers)
    target_precompile_headers(${NAME} REUSE_FROM orbweaver_test_headers)
  endif()
  # Parameters have names of their own (tests/names); what GoogleTest prints of a nameless one may be its bytes.
  set(how DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES NO_PRETTY_TYPES DISCOVERY_TIMEOUT 120)
  set(properties PROPERTIES TIMEOUT ${ORBWEAVER_TEST_TIMEOUT} LABELS ${NAME})
  if(NOT NAME IN_LIST ORBWEAVER_TESTS_OF_MESSAGE_QUEUES)
    gtest_discover_tests(${NAME} ${how} ${properties})
    return()
  endif()
  gtest_discover_tests(${NAME} TEST_LIST ${NAME}_without_queues TEST_FILTER "-*queue*:*Queue*" ${how} ${properties})
  gtest_discover_tests(${NAME} TEST_LIST ${NAME}_of_queues TEST_FILTER "*queue*:*Queue*" ${how} ${properties}
    RESOURCE_LOCK message_queues)
endfunction()
