# Finds liquid-dsp (signal processing): the target Liquid::Liquid.
find_path(Liquid_INCLUDE_DIR liquid/liquid.h)
find_library(Liquid_LIBRARY liquid)
mark_as_advanced(Liquid_INCLUDE_DIR Liquid_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Liquid REQUIRED_VARS Liquid_LIBRARY Liquid_INCLUDE_DIR)

if(Liquid_FOUND AND NOT TARGET Liquid::Liquid)
  add_library(Liquid::Liquid UNKNOWN IMPORTED)
  set_target_properties(Liquid::Liquid PROPERTIES IMPORTED_LOCATION "${Liquid_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Liquid_INCLUDE_DIR}")
endif()
