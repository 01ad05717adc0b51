# Finds GlassFish's ORB 5.0, which tests run against: glassfish_orb_path, the class path of its jars. If they
# are not found, glassfish_orb_missing has the reason. It has no IDL compiler: that of JacORB generates code
# for it.
set(ORBWEAVER_GLASSFISH_ORB "" CACHE PATH "Folder with the jars of GlassFish's ORB, or a Maven repository")
set(glassfish_orb_missing "")
set(glassfish_orb_folder ${ORBWEAVER_GLASSFISH_ORB})
if(NOT glassfish_orb_folder AND IS_DIRECTORY $ENV{HOME}/.m2/repository)
  set(glassfish_orb_folder $ENV{HOME}/.m2/repository)
endif()
if(NOT glassfish_orb_folder)
  set(glassfish_orb_missing
    "GlassFish's ORB is not found: set ORBWEAVER_GLASSFISH_ORB to the folder of its jars")
endif()
set(glassfish_orb_jars)
foreach(jar IN ITEMS corba/glassfish-corba-orb:5.0.0 corba/glassfish-corba-omgapi:5.0.0
    corba/glassfish-corba-internal-api:5.0.0 pfl/pfl-basic:* pfl/pfl-tf:* pfl/pfl-dynamic:*
    external/management-api:*)
  if(glassfish_orb_missing)
    break()
  endif()
  string(REGEX MATCH "^(.*)/(.*):(.*)$" all ${jar})
  set(name ${CMAKE_MATCH_2})
  # As in a folder of jars, and as in a Maven repository.
  file(GLOB found "${glassfish_orb_folder}/${name}-[0-9]*.jar"
    "${glassfish_orb_folder}/org/glassfish/${CMAKE_MATCH_1}/${name}/${CMAKE_MATCH_3}/${name}-[0-9]*.jar")
  list(FILTER found EXCLUDE REGEX "-(sources|javadoc)\\.jar$")
  list(SORT found COMPARE NATURAL)
  if(NOT found)
    set(glassfish_orb_missing
      "there is no ${name}-*.jar in ${glassfish_orb_folder} (ORBWEAVER_GLASSFISH_ORB)")
    break()
  endif()
  list(POP_BACK found newest)
  list(APPEND glassfish_orb_jars ${newest})
endforeach()
list(JOIN glassfish_orb_jars ":" glassfish_orb_path)
if(glassfish_orb_missing)
  set(GlassFishOrb_FOUND FALSE)
else()
  set(GlassFishOrb_FOUND TRUE)
endif()
