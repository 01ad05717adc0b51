# Builds the component in Python with omniORBpy: the program omniorbpy-stage, a script that starts Python.
# Sets omniorbpy_missing to the reason if it cannot.
set(ORBWEAVER_OMNIORBPY "" CACHE FILEPATH "Python interpreter that has omniORBpy")
find_program(ORBWEAVER_PYTHON python3)
mark_as_advanced(ORBWEAVER_PYTHON)
# The one that packaging/fetch-test-programs has fetched is a program of its own.
set(omniorbpy_python "")
foreach(candidate IN ITEMS ${ORBWEAVER_OMNIORBPY}
    ${PROJECT_BINARY_DIR}/test-programs/omniorbpy/omniorbpy-python ${ORBWEAVER_PYTHON})
  execute_process(COMMAND ${candidate} -c "import omniORB.PortableServer, CosNaming"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(omniorbpy_python ${candidate})
    break()
  endif()
endforeach()
set(omniorbpy_missing "")
if(NOT omniorbpy_python)
  set(omniorbpy_missing "no Python has omniORBpy: set ORBWEAVER_OMNIORBPY to one that has")
endif()
if(NOT omniorbpy_missing)
  # Its IDL compiler has the back end for Python, which the one of Debian's package omniidl has not.
  get_filename_component(folder ${omniorbpy_python} DIRECTORY)
  foreach(candidate IN ITEMS ${folder}/omniidl ${omniORB_IDL})
    execute_process(COMMAND ${candidate} -bpython -u RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(omniorbpy_idl ${candidate})
      break()
    endif()
  endforeach()
  if(NOT omniorbpy_idl)
    set(omniorbpy_missing "there is no omniidl with the back end for Python in ${folder}")
  endif()
endif()
if(omniorbpy_missing)
  message(STATUS "tests/interop: the component in Python is not built: ${omniorbpy_missing}")
  return()
endif()

set(generated ${CMAKE_CURRENT_BINARY_DIR}/omniorbpy)
file(MAKE_DIRECTORY ${generated})
add_custom_command(OUTPUT ${generated}/CF_idl.py ${generated}/Stream_idl.py
  COMMAND ${omniorbpy_idl} -bpython -C${generated} -DORBWEAVER_NO_ANNOTATIONS ${idl}/sca/CF.idl
          ${idl}/orbweaver/Stream.idl
  DEPENDS ${idl}/sca/CF.idl ${idl}/orbweaver/Stream.idl
  COMMENT "Python component" VERBATIM)
add_custom_target(omniorbpy_stage ALL DEPENDS ${generated}/CF_idl.py ${generated}/Stream_idl.py)
configure_file(omniorbpy/omniorbpy-stage.in ${CMAKE_CURRENT_BINARY_DIR}/omniorbpy-stage @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
