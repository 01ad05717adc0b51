# Builds the component in Java with JacORB: the program jacorb-stage, a script that starts the Java machine.
# Sets jacorb_missing to the reason if it cannot.
set(ORBWEAVER_JACORB "" CACHE PATH "Folder with the jars of JacORB, or a Maven repository")
set(jacorb_missing "")
set(jacorb_folder ${ORBWEAVER_JACORB})
if(NOT jacorb_folder AND IS_DIRECTORY $ENV{HOME}/.m2/repository)
  set(jacorb_folder $ENV{HOME}/.m2/repository)
endif()
find_program(JAVA java)
find_program(JAVAC javac)
mark_as_advanced(JAVA JAVAC)
if(NOT JAVA OR NOT JAVAC)
  set(jacorb_missing "there is no JDK (java, javac)")
elseif(NOT jacorb_folder)
  set(jacorb_missing "JacORB is not found: set ORBWEAVER_JACORB to the folder of its jars")
endif()
set(jacorb_jars)
# The last one has javax.rmi, which JDKs have no more since 11.
foreach(jar IN ITEMS jacorb jacorb-omgapi jacorb-idl-compiler java_cup slf4j-api jboss-rmi-api_1.0_spec)
  if(jacorb_missing)
    break()
  endif()
  # As in a folder of jars, and as in a Maven repository: org/jacorb/jacorb/3.9/jacorb-3.9.jar.
  file(GLOB found "${jacorb_folder}/${jar}-[0-9]*.jar" "${jacorb_folder}/org/jacorb/${jar}/3.9/${jar}-3.9.jar"
    "${jacorb_folder}/${jar}/${jar}/*/${jar}-[0-9]*.jar"
    "${jacorb_folder}/org/slf4j/${jar}/*/${jar}-[0-9]*.jar"
    "${jacorb_folder}/org/jboss/spec/javax/rmi/${jar}/*/${jar}-[0-9]*.jar")
  list(FILTER found EXCLUDE REGEX "-(sources|javadoc)\\.jar$")
  list(SORT found COMPARE NATURAL)
  if(NOT found)
    set(jacorb_missing "there is no ${jar}-*.jar of JacORB in ${jacorb_folder} (ORBWEAVER_JACORB)")
    break()
  endif()
  list(POP_BACK found newest)
  list(APPEND jacorb_jars ${newest})
endforeach()
if(jacorb_missing)
  message(STATUS "tests/interop: the component in Java is not built: ${jacorb_missing}")
  return()
endif()

list(JOIN jacorb_jars ":" jacorb_path)
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
