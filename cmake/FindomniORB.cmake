# Finds omniORB, which tests and benches run against: the target omniORB::omniORB, the programs omniORB_IDL
# and (if installed) omniORB_CATIOR, and omniorb_idl(TARGET target [ANY] FILES file.idl… [INCLUDES dir…]),
# which compiles IDL to C++ (foo.hh, fooSK.cc; for anys, fooDynSK.cc) and adds it to a target.
#
# Never link it into the same program as orbweaver: both define the namespace CORBA.
find_path(omniORB_INCLUDE_DIR omniORB4/CORBA.h)
find_library(omniORB_LIBRARY omniORB4)
find_library(omniORB_DYNAMIC_LIBRARY omniDynamic4)
find_library(omniORB_THREAD_LIBRARY omnithread)
find_program(omniORB_IDL omniidl)
find_program(omniORB_CATIOR catior)
mark_as_advanced(omniORB_INCLUDE_DIR omniORB_LIBRARY omniORB_DYNAMIC_LIBRARY omniORB_THREAD_LIBRARY
  omniORB_IDL omniORB_CATIOR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(omniORB
  REQUIRED_VARS omniORB_LIBRARY omniORB_DYNAMIC_LIBRARY omniORB_THREAD_LIBRARY omniORB_INCLUDE_DIR
  omniORB_IDL)

if(omniORB_FOUND AND NOT TARGET omniORB::omniORB)
  add_library(omniORB::omniORB INTERFACE IMPORTED)
  target_include_directories(omniORB::omniORB SYSTEM INTERFACE ${omniORB_INCLUDE_DIR})
  target_link_libraries(omniORB::omniORB INTERFACE ${omniORB_LIBRARY} ${omniORB_THREAD_LIBRARY}
    Threads::Threads)
endif()

function(omniorb_idl)
  cmake_parse_arguments(IDL "ANY" "TARGET" "FILES;INCLUDES" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${IDL_TARGET}_omniidl)
  file(MAKE_DIRECTORY ${out})
  set(flags -DORBWEAVER_NO_ANNOTATIONS)
  set(backend -bcxx)
  if(IDL_ANY)
    list(APPEND backend -Wba)
    target_link_libraries(${IDL_TARGET} PRIVATE ${omniORB_DYNAMIC_LIBRARY})
  endif()
  foreach(dir IN LISTS IDL_INCLUDES)
    get_filename_component(dir ${dir} ABSOLUTE)
    list(APPEND flags -I${dir})
  endforeach()
  foreach(file IN LISTS IDL_FILES)
    get_filename_component(source ${file} ABSOLUTE)
    get_filename_component(stem ${file} NAME_WE)
    set(outputs ${out}/${stem}.hh ${out}/${stem}SK.cc)
    if(IDL_ANY)
      list(APPEND outputs ${out}/${stem}DynSK.cc)
    endif()
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${omniORB_IDL} ${backend} -C${out} ${flags} ${source}
      DEPENDS ${source}
      COMMENT "omniidl ${file}"
      VERBATIM)
    target_sources(${IDL_TARGET} PRIVATE ${outputs})
    # Suppress warnings in generated code.
    set_source_files_properties(${outputs} PROPERTIES COMPILE_OPTIONS -w)
  endforeach()
  target_include_directories(${IDL_TARGET} SYSTEM PRIVATE ${out})
endfunction()
