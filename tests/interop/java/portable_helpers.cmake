# cmake -DFROM=FOLDER -DTO=FOLDER -P portable_helpers.cmake: copies code that JacORB's IDL compiler generated,
# and changes how values are inserted into anys. The streams of JacORB's anys write to the any; those of other
# ORBs have to be read by it.
file(GLOB_RECURSE sources RELATIVE ${FROM} ${FROM}/*.java)
foreach(source IN LISTS sources)
  file(READ ${FROM}/${source} text)
  string(REGEX REPLACE
    "any\\.type ?\\(type ?\\(\\)\\);[ \t\r\n]*write ?\\( ?any\\.create_output_stream ?\\(\\), ?s\\);"
    "org.omg.CORBA.portable.OutputStream written = any.create_output_stream();
		write(written, s);
		any.read_value(written.create_input_stream(), type());"
    text "${text}")
  file(WRITE ${TO}/${source} "${text}")
endforeach()
