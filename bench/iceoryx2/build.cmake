# Builds the crate in CRATE with CARGO and puts its library into the folder TO. Never fails: a peer that cannot
# be built is left out.
function(left_out WHY)
  message(NOTICE "iceoryx2 is left out of the benches: ${WHY}")
endfunction()

if(NOT CARGO)
  left_out("there is no cargo here")
  return()
endif()
execute_process(
  COMMAND ${CARGO} build --release --quiet --manifest-path ${CRATE}/Cargo.toml --target-dir ${CRATE}/target
  RESULT_VARIABLE status ERROR_VARIABLE problem)
if(NOT status EQUAL 0)
  string(REGEX MATCH "error[^\n]*" first "${problem}")
  left_out("cargo says: ${first}")
  return()
endif()
file(COPY ${CRATE}/target/release/liborbweaver_bench_iceoryx2.so DESTINATION ${TO})
