# A layer is a folder with one purpose that is built as one target. `orbweaver_layer(NAME …)` makes the static
# library orbweaver_NAME from the folder's sources and, from its *_test.cpp, the program NAME_tests.

add_library(orbweaver_flags INTERFACE)
target_compile_features(orbweaver_flags INTERFACE cxx_std_20)
target_compile_options(orbweaver_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -fno-semantic-interposition)
# GCC warns of impossible sizes in operations of strings and byte vectors (GCC bugs 105329 and 105651), and
# since GCC 13 of each reference returned by a function with a temporary argument.
target_compile_options(orbweaver_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread
  -Wno-array-bounds -Wno-stringop-overflow>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(orbweaver_flags INTERFACE -Wno-dangling-reference)
endif()
# By default GCC collects its garbage as soon as a source takes 128 MiB, which costs a twentieth of the time
# and saves a tenth of the memory. Not with a compiler cache, whose entries depend on the options.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  target_compile_options(orbweaver_flags INTERFACE --param=ggc-min-heapsize=524288)
endif()
target_include_directories(orbweaver_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(orbweaver_flags INTERFACE Threads::Threads)
# 32-bit machines: sizes of files and times of 64 bits, and, where the processor has no 64-bit atomic
# operations, the library that replaces them. Headers use such operations: programs link it, too.
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  target_compile_definitions(orbweaver_flags INTERFACE _FILE_OFFSET_BITS=64 _TIME_BITS=64)
endif()
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <atomic>
#include <cstdint>
std::atomic<std::uint64_t> word;
int main() { return static_cast<int>(++word); }" ORBWEAVER_ATOMICS_WITHOUT_LIBRARY)
set(ORBWEAVER_ATOMIC_LIBRARY)
if(NOT ORBWEAVER_ATOMICS_WITHOUT_LIBRARY)
  set(ORBWEAVER_ATOMIC_LIBRARY atomic)
  target_link_libraries(orbweaver_flags INTERFACE ${ORBWEAVER_ATOMIC_LIBRARY})
endif()
# orbweaver_sanitize(TARGET SCOPE): the sanitizers of ORBWEAVER_SANITIZE. For targets that do not link
# orbweaver_flags, such as programs that see only the headers of the micro library.
function(orbweaver_sanitize TARGET SCOPE)
  if(ORBWEAVER_SANITIZE)
    string(REPLACE ";" "," sanitizers "${ORBWEAVER_SANITIZE}")
    target_compile_options(${TARGET} ${SCOPE}
      -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
    target_link_options(${TARGET} ${SCOPE} -fsanitize=${sanitizers})
  endif()
  if("undefined" IN_LIST ORBWEAVER_SANITIZE)
    # The check of virtual tables needs those of servants, which the tests of the layer orb do not link.
    target_compile_options(${TARGET} ${SCOPE} -fno-sanitize=vptr)
  endif()
  if("thread" IN_LIST ORBWEAVER_SANITIZE)
    # GCC's thread sanitizer does not support fences on their own; it sees the ordering through the atomics
    # around them.
    target_compile_options(${TARGET} ${SCOPE} -Wno-tsan)
  endif()
endfunction()
orbweaver_sanitize(orbweaver_flags INTERFACE)

# orbweaver_precompile(TARGET): precompiles the common headers of the standard library for all sources of the
# target, which takes half a second from each. Disabled with a compiler cache, which misses when a precompiled
# header is in another folder; missing includes are found by such builds.
function(orbweaver_precompile TARGET)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${TARGET} PRIVATE <algorithm> <atomic> <condition_variable> <cstdint> <cstring>
      <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread>
      <unordered_map> <utility> <vector>)
  endif()
endfunction()

# orbweaver_reuse_headers(HEADERS target…): the targets use the precompiled headers of the target HEADERS,
# which is compiled with the same options: position-independent as a library, and with this optimisation.
function(orbweaver_reuse_headers HEADERS)
  get_target_property(precompiled ${HEADERS} PRECOMPILE_HEADERS)
  if(precompiled)
    set_target_properties(${ARGN} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM ${HEADERS})
  endif()
endfunction()

# orbweaver_unity(target…): with ORBWEAVER_UNITY, the sources of the targets are compiled six at a time, which
# halves the time of a build from nothing; after a change, more is compiled again. Each source must not depend
# on what another one includes: builds without the option find that. For tests and tools, and what is compiled
# for size; the sources of calls are always compiled one at a time. Sources with options of their own,
# generated ones, and those of orbweaver_compile_alone() stay alone.
option(ORBWEAVER_UNITY "Compile the sources of tests and tools several at a time" OFF)
function(orbweaver_unity)
  if(ORBWEAVER_UNITY)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# orbweaver_compile_alone(file…): sources that define names which others of their target define, too, such as
# the tests of two versions of an interface.
function(orbweaver_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# orbweaver_combine(NAME OUT file…): with ORBWEAVER_UNITY, replaces these sources of the layer of this folder
# by generated ones that include eight of them each, and sets OUT to those; otherwise sets OUT to the files.
# For sources with options of their own, which CMake does not combine. Those of orbweaver_compile_alone() stay
# alone. Called after orbweaver_layer() and orbweaver_compile_alone().
function(orbweaver_combine NAME OUT)
  set(${OUT} ${ARGN} PARENT_SCOPE)
  if(NOT ORBWEAVER_UNITY)
    return()
  endif()
  get_property(target DIRECTORY PROPERTY ORBWEAVER_LAYER)
  set(alone)
  foreach(file IN LISTS ARGN)
    get_source_file_property(is_alone ${file} SKIP_UNITY_BUILD_INCLUSION)
    if(is_alone)
      list(APPEND alone ${file})
    endif()
  endforeach()
  if(alone)
    list(REMOVE_ITEM ARGN ${alone})
  endif()
  set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
  set(combined)
  while(ARGN)
    list(LENGTH combined number)
    list(SUBLIST ARGN 0 8 batch)
    list(REMOVE_ITEM ARGN ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"")
    list(JOIN batch "\n" text)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_${NAME}_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n")
    list(APPEND combined ${file})
  endwhile()
  target_sources(${target} PRIVATE ${combined})
  set(${OUT} ${combined} ${alone} PARENT_SCOPE)
endfunction()

# Precompiled headers of the layers, and of the libraries of tools.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "// Only for precompiled headers.\n")
foreach(headers IN ITEMS orbweaver_layer_headers orbweaver_tool_headers)
  add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
  target_link_libraries(${headers} PRIVATE orbweaver_flags)
  orbweaver_precompile(${headers})
endforeach()
target_compile_options(orbweaver_tool_headers PRIVATE $<$<CONFIG:Release>:-O2>)
# Every program has its own copies of inline functions: exported, their names would take a tenth of the shared
# library. The sanitizers compare types by addresses.
set(ORBWEAVER_LAYER_OPTIONS)
if(NOT ORBWEAVER_SANITIZE)
  set(ORBWEAVER_LAYER_OPTIONS $<$<CONFIG:Release>:-fvisibility-inlines-hidden>)
endif()
target_compile_options(orbweaver_layer_headers PRIVATE ${ORBWEAVER_LAYER_OPTIONS})

# orbweaver_layer(NAME LINK layer… INSIDE layer… LIBRARIES target… TEST_LIBRARIES target…)
# Sources include only headers of the layers that LINK reaches and of LIBRARIES (tests/source/check-layers).
# INSIDE names layers that are in the shared library orbweaver, whose headers are included although they are
# not public.
function(orbweaver_layer NAME)
  cmake_parse_arguments(LAYER "" "" "LINK;INSIDE;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
    CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|(^|/)testing/")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  add_library(orbweaver_${NAME} STATIC ${sources})
  if(ORBWEAVER_LINK_TIME_OPTIONS)
    target_link_options(orbweaver_${NAME} INTERFACE -fno-lto)  # tests take the code as it was compiled
  endif()
  set_property(DIRECTORY PROPERTY ORBWEAVER_LAYER orbweaver_${NAME})
  orbweaver_reuse_headers(orbweaver_layer_headers orbweaver_${NAME})
  target_compile_options(orbweaver_${NAME} PRIVATE ${ORBWEAVER_LAYER_OPTIONS})
  list(TRANSFORM LAYER_LINK PREPEND orbweaver_)
  list(TRANSFORM LAYER_INSIDE REPLACE "(.+)" "orbweaver_\\1_for_programs")
  foreach(library IN LISTS LAYER_INSIDE)
    if(TARGET ${library})
      list(APPEND LAYER_LINK ${library})
    endif()
  endforeach()
  target_link_libraries(orbweaver_${NAME} PUBLIC orbweaver_flags ${LAYER_LINK} ${LAYER_LIBRARIES})
  if(ORBWEAVER_TESTS AND tests)
    orbweaver_test(${NAME}_tests SOURCES ${tests} LIBRARIES orbweaver_${NAME} ${LAYER_TEST_LIBRARIES})
  endif()
endfunction()

# orbweaver_compile_for_size(file…): compiles sources outside the path of calls and samples for size in
# release builds: options, references, connections while they are made, descriptions of errors. The linker
# takes the copy of an inline function from the first object that has one: these sources come last in
# liborbweaver.so, so that they do not replace the optimised copies of others. Those of the layers of
# liborbweaver.so are optimised together when it is linked (ORBWEAVER_LINK_TIME_OPTIONS).
function(orbweaver_compile_for_size)
  orbweaver_combine(for_size files ${ARGN})
  orbweaver_options_for_size(${files})
  if(ORBWEAVER_LINK_TIME_OPTIONS)
    set_property(SOURCE ${files} APPEND PROPERTY
      COMPILE_OPTIONS "$<$<CONFIG:Release>:${ORBWEAVER_LINK_TIME_OPTIONS};-ffat-lto-objects>")
  endif()
  list(TRANSFORM files REPLACE "^.*/" "")
  list(TRANSFORM files REPLACE "(.+)\\.cpp$" "/\\1[.]cpp[.]o$")
  set_property(GLOBAL APPEND PROPERTY ORBWEAVER_OBJECTS_FOR_SIZE ${files})
endfunction()

# orbweaver_keep_for_programs(file…): sources of a layer of liborbweaver.so that only programs and other
# libraries of the project call: processes, folders. They are compiled for size, are not in liborbweaver.so,
# and are linked by each layer that names this one in INSIDE. Without objects of static storage duration: a
# process may have several copies. Called after orbweaver_layer(), whose static library orbweaver_NAME
# contains them, too.
function(orbweaver_keep_for_programs)
  get_property(target DIRECTORY PROPERTY ORBWEAVER_LAYER)
  orbweaver_combine(for_programs files ${ARGN})
  orbweaver_options_for_size(${files})
  list(TRANSFORM files REPLACE "^.*/" "")
  list(TRANSFORM files REPLACE "(.+)\\.cpp$" "/\\1[.]cpp[.]o$")
  set_property(GLOBAL APPEND PROPERTY ORBWEAVER_OBJECTS_FOR_PROGRAMS ${files})
  list(JOIN files "|" files)
  add_library(${target}_for_programs STATIC $<FILTER:$<TARGET_OBJECTS:${target}>,INCLUDE,${files}>)
  set_target_properties(${target}_for_programs PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# orbweaver_options_for_size(file…): the options of sources that are compiled for size.
function(orbweaver_options_for_size)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os;-ffunction-sections;-fdata-sections>")
endfunction()

# orbweaver_compile_moderately(file…): compiles sources with -O2 in release builds: those of calls whose cost
# is in system calls, in copies, or in waiting. With -O3 they are half as large again.
function(orbweaver_compile_moderately)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2;-ffunction-sections;-fdata-sections>")
endfunction()

# orbweaver_pack_relocations(TARGET): writes relative relocations in one bit each, if the linker and the
# dynamic linker of the C library know the form (binutils 2.38, glibc 2.36, which is Debian 12).
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,--fatal-warnings,-z,pack-relative-relocs ORBWEAVER_LINKER_PACKS_RELOCATIONS)
check_cxx_source_compiles("#include <features.h>
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 36)
#error
#endif
int main() {}" ORBWEAVER_LOADER_UNPACKS_RELOCATIONS)
function(orbweaver_pack_relocations TARGET)
  if(ORBWEAVER_LINKER_PACKS_RELOCATIONS AND ORBWEAVER_LOADER_UNPACKS_RELOCATIONS)
    target_link_options(${TARGET} PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
endfunction()

# orbweaver_command_line(file…): compiles sources that parse a command line with -O1 in release builds.
# CLI11's templates take twice as long to compile with all optimisations, and a program parses its command
# line once.
function(orbweaver_command_line)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
endfunction()

# orbweaver_compile_as_tools(TARGET…): compiles code outside the path of calls and samples with -O2 in release
# builds. -O3 makes the empty call 7 % shorter, and compilation a quarter longer.
function(orbweaver_compile_as_tools)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "EXECUTABLE")
      orbweaver_reuse_headers(orbweaver_tool_headers ${target})
    endif()
    orbweaver_unity(${target})
  endforeach()
endfunction()
