# Builds the component in Java with JacORB: the program jacorb-stage, a script that starts the Java machine.
# Sets jacorb_missing to the reason if it cannot.
find_package(JacORB QUIET)
if(jacorb_missing)
  message(STATUS "tests/interop: the component in Java is not built: ${jacorb_missing}")
  return()
endif()

set(classes ${CMAKE_CURRENT_BINARY_DIR}/jacorb/classes)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/jacorb/idl)
file(GLOB java_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/jacorb/*.java)
add_custom_command(OUTPUT ${classes}/Stage.class
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${classes} ${generated}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${classes} ${generated}
  COMMAND ${JAVA} -cp ${jacorb_path} org.jacorb.idl.parser -DORBWEAVER_NO_ANNOTATIONS -d ${generated}
          ${idl}/sca/CF.idl ${idl}/orbweaver/Stream.idl
  COMMAND ${JAVAC} -nowarn -Xlint:none -cp ${jacorb_path} -sourcepath ${generated} -d ${classes}
          ${java_sources}
  DEPENDS ${java_sources} ${idl}/sca/CF.idl ${idl}/orbweaver/Stream.idl
  COMMENT "Java component" VERBATIM)
add_custom_target(jacorb_stage ALL DEPENDS ${classes}/Stage.class)
configure_file(jacorb/jacorb-stage.in ${CMAKE_CURRENT_BINARY_DIR}/jacorb-stage @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
