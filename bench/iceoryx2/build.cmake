# Builds the crate in CRATE with the cargo in the folder PEERS, or else with CARGO, and copies its library to
# the folder TO. Never fails: if the build fails or takes more than five minutes, a message says why iceoryx2
# is not benchmarked.
function(not_benchmarked WHY)
  message(NOTICE "iceoryx2 is not benchmarked: ${WHY}")
endfunction()

if(EXISTS ${PEERS}/cargo/bin/cargo)
  set(CARGO ${PEERS}/cargo/bin/cargo)
  set(ENV{CARGO_HOME} ${PEERS}/cargo)
  set(ENV{RUSTUP_HOME} ${PEERS}/rustup)
endif()
if(NOT CARGO)
  not_benchmarked("cargo is not installed; bench/lab/fetch-peers BUILD cargo gets it")
  return()
endif()
execute_process(
  COMMAND ${CARGO} build --release --quiet --manifest-path ${CRATE}/Cargo.toml --target-dir ${CRATE}/target
  TIMEOUT 300 RESULT_VARIABLE status ERROR_VARIABLE problem)
if(NOT status EQUAL 0)
  string(REGEX MATCH "error[^\n]*" first "${problem}")
  if(NOT first)
    set(first "${status}")
  endif()
  not_benchmarked("cargo failed: ${first}")
  return()
endif()
file(COPY ${CRATE}/target/release/liborbweaver_bench_iceoryx2.so DESTINATION ${TO})
