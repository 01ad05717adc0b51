# orbweaver_idl(TARGET target FILES file.idl… [INCLUDES dir…] [DEFINES NAME[=VALUE]…] [OPTIONS option…] [AMI]
#   [AMH] [PROFILE micro])
#
# Compiles IDL to C++ and adds the result to an existing target. For foo.idl the headers fooC.h (client side
# and types) and fooS.h (servants) are visible to the target and its dependents. Included IDL files are
# dependencies, by a depfile that the compiler writes. AMI adds asynchronous calls, AMH servants that answer
# later (docs/asynchronous-calls.md). PROFILE micro: for a target that links orbweaver::orbweaver-micro in
# place of orbweaver::orbweaver (docs/micro.md).
set(ORBWEAVER_IDL_COMPILER "" CACHE FILEPATH
  "The program orbweaver-idl of this machine, for builds for another one; empty: the one of this build")
mark_as_advanced(ORBWEAVER_IDL_COMPILER)
function(orbweaver_idl)
  cmake_parse_arguments(IDL "AMI;AMH" "TARGET;PROFILE" "FILES;INCLUDES;DEFINES;OPTIONS" ${ARGN})
  if(NOT IDL_TARGET OR NOT IDL_FILES)
    message(FATAL_ERROR "orbweaver_idl: TARGET and FILES are required")
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${IDL_TARGET}_idl)
  file(MAKE_DIRECTORY ${out})
  set(compiler orbweaver::orbweaver-idl)
  if(ORBWEAVER_IDL_COMPILER)
    set(compiler ${ORBWEAVER_IDL_COMPILER})
  endif()
  set(flags ${IDL_OPTIONS})
  if(IDL_AMI)
    list(APPEND flags --ami)
  endif()
  if(IDL_AMH)
    list(APPEND flags --amh)
  endif()
  if(IDL_PROFILE STREQUAL "micro")
    list(APPEND flags --micro)
  elseif(IDL_PROFILE)
    message(FATAL_ERROR "orbweaver_idl: PROFILE ${IDL_PROFILE}: there is micro only")
  endif()
  foreach(dir IN LISTS IDL_INCLUDES)
    get_filename_component(dir ${dir} ABSOLUTE)
    list(APPEND flags -I ${dir})
  endforeach()
  foreach(define IN LISTS IDL_DEFINES)
    list(APPEND flags -D ${define})
  endforeach()
  foreach(file IN LISTS IDL_FILES)
    get_filename_component(source ${file} ABSOLUTE)
    get_filename_component(stem ${file} NAME_WE)
    set(outputs ${out}/${stem}C.h ${out}/${stem}C.cpp ${out}/${stem}S.h ${out}/${stem}S.cpp)
    # The IDL compiler does not rewrite unchanged files. Ninja accepts that; Make would run it at every build.
    set(touch)
    if(CMAKE_GENERATOR MATCHES "Makefiles")
      set(touch COMMAND ${CMAKE_COMMAND} -E touch ${outputs})
    endif()
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${compiler} --cpp -o ${out} --depfile ${out}/${stem}.d ${flags} ${source}
      ${touch}
      DEPENDS ${source} ${compiler}
      DEPFILE ${out}/${stem}.d
      COMMENT "IDL ${file}"
      VERBATIM)
    # Generated sources have names of their own in unnamed namespaces.
    set_source_files_properties(${outputs} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${IDL_TARGET} PRIVATE ${outputs})
  endforeach()
  target_include_directories(${IDL_TARGET} PUBLIC $<BUILD_INTERFACE:${out}>)
endfunction()
