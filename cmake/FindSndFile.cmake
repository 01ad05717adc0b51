# Finds libsndfile (sound files): the target SndFile::SndFile.
find_path(SndFile_INCLUDE_DIR sndfile.h)
find_library(SndFile_LIBRARY sndfile)
mark_as_advanced(SndFile_INCLUDE_DIR SndFile_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SndFile REQUIRED_VARS SndFile_LIBRARY SndFile_INCLUDE_DIR)

if(SndFile_FOUND AND NOT TARGET SndFile::SndFile)
  add_library(SndFile::SndFile UNKNOWN IMPORTED)
  set_target_properties(SndFile::SndFile PROPERTIES IMPORTED_LOCATION "${SndFile_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SndFile_INCLUDE_DIR}")
endif()
