# Writes HEADER with the commit of SOURCE. Does not rewrite an unchanged file, so that nothing is recompiled.
cmake_minimum_required(VERSION 3.24)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#pragma once\n#define ORBWEAVER_BENCH_COMMIT \"@commit@\"\n" @ONLY)
