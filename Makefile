# Common jobs. Other builds use CMake directly: see CMakePresets.json.
#   make demo    build without the tests, and run the voice radio on two minutes of speech; ARGS=--realtime
#                processes it at its sample rate
#   make test    build, and run every test; FETCH=0: does not fetch programs of tests that Debian does not
#                package without a daemon (packaging/fetch-test-programs)
#   make bench   build, run the experiments with their floors and other ORBs, and write
#                build/bench/report.html; QUICK=1: a short form; PEERS=0: does not install the systems that
#                are compared; FETCH=0: does not fetch those that Debian does not package (PyPI, Maven
#                Central, rustup, crates.io); RUNS="calls hops": these experiments or runs only; MINUTES=N:
#                limit of all runs together, instead of 30, or 3 of the short form
#   make asan / make tsan   the tests under a sanitizer
#   make test-foreign   tests of the run time, and calls between it and this machine, on a 32-bit big-endian
#                machine, which qemu emulates
#   make fuzz    run each fuzz target for SECONDS=60 under address and undefined-behaviour sanitizers (clang)
#   make check-sanitized    the tests of cdr, giop and transport in the fuzzing build
#   make check-format       the layout of the source files; make format: clang-format rewrites C++
#   make check-layers       sources include only headers of what their layer links
#   make check-tidy         clang-tidy on src, idlc and include; takes as long as a build
#   make docs               the reference of the public headers, build/docs/index.html (Doxygen); an
#                           undocumented public name is an error
# Each job first installs the Debian packages that it needs and that are missing (packaging/packages.txt).

JOBS ?= $(shell nproc)
# Tests mostly wait for processes and sockets: twice as many of them run at a time as compilations.
TEST_JOBS ?= $(shell expr 2 '*' $(JOBS))

SECONDS ?= 60

.PHONY: all demo test test-foreign bench asan tsan fuzz check-sanitized clean
.PHONY: check-format format check-layers check-tidy docs
.DEFAULT_GOAL := all

all:
	@packaging/install-packages build
	cmake --preset release --log-level=WARNING
	cmake --build build -j $(JOBS)

demo:
	@packaging/install-packages demo
	cmake --preset demo --log-level=WARNING
	cmake --build build -j $(JOBS) --target demo-parts
	waveforms/voice/demo build out/voice $(ARGS)

test:
	@packaging/install-packages test demo
	@FETCH=$(FETCH) packaging/fetch-test-programs build
	cmake --preset release --log-level=WARNING -DORBWEAVER_TESTS=REQUIRED
	cmake --build build -j $(JOBS)
	ctest --test-dir build --no-tests=error --output-on-failure -j $(TEST_JOBS)

# The folder build has the IDL compiler and the programs of this machine. CI does not run this job: from
# nothing it takes half an hour on two cores, 5 minutes of it for the tests.
test-foreign:
	@packaging/install-packages foreign
	cmake --preset release --log-level=WARNING -DORBWEAVER_TESTS=REQUIRED
	cmake --build build -j $(JOBS) --target orbweaver-idl foreign-natives
	cmake --preset foreign --log-level=WARNING
	cmake --build build-foreign -j $(JOBS) --target foreign-tests
	ctest --test-dir build-foreign --no-tests=error --output-on-failure -j $(TEST_JOBS) \
	  -L '^foreign_tests$$'

bench:
	@packaging/install-packages bench demo
	@[ "$(PEERS)" = 0 ] || packaging/install-packages --available peers
	@[ "$(PEERS)" = 0 ] || [ "$(FETCH)" = 0 ] || bench/lab/fetch-peers build || true
	cmake --preset release --log-level=WARNING -DORBWEAVER_TESTS=OFF
	cmake --build build -j $(JOBS) --target benches
	$(if $(filter 0,$(FETCH)),CARGO_NET_OFFLINE=true) cmake --build build --target bench-other-orbs
	bench/lab/run build build/bench $(if $(MINUTES),--minutes $(MINUTES)) $(RUNS)

# The presets name the folders of the run-time library, for tests of what it does not export, and of the
# plug-ins, for the sanitizers' dlopen; and they suppress leaks of other libraries.
asan tsan:
	@packaging/install-packages test demo
	@FETCH=$(FETCH) packaging/fetch-test-programs build-$@
	cmake --preset $@ --log-level=WARNING -DORBWEAVER_TESTS=REQUIRED
	cmake --build build-$@ -j $(JOBS)
	ctest --preset $@ --no-tests=error -j $(TEST_JOBS)

fuzz:
	@packaging/install-packages test fuzz
	cmake --preset fuzz --log-level=WARNING -DORBWEAVER_TESTS=REQUIRED
	cmake --build build-fuzz -j $(JOBS) --target fuzzers
	fuzz/run build-fuzz $(SECONDS)

# Uses the fuzzing build, which has already compiled the libraries.
check-sanitized:
	@packaging/install-packages test fuzz
	cmake --preset fuzz --log-level=WARNING -DORBWEAVER_TESTS=REQUIRED
	cmake --build build-fuzz -j $(JOBS) --target cdr_tests giop_tests transport_tests
	ctest --test-dir build-fuzz --no-tests=error --output-on-failure -j $(TEST_JOBS) \
	  -L '^(cdr|giop|transport)_tests$$'

check-format:
	@packaging/install-packages check
	tests/source/check-format

format:
	@packaging/install-packages check
	tests/source/check-format --fix

check-layers:
	@packaging/install-packages check
	tests/source/check-layers

# Builds first: sources include headers that the IDL compiler generates.
check-tidy:
	@packaging/install-packages test tidy
	cmake --preset release --log-level=WARNING
	cmake --build build -j $(JOBS)
	tests/source/check-tidy build -j $(JOBS)

docs:
	@packaging/install-packages check
	mkdir -p build
	doxygen docs/reference/Doxyfile

clean:
	rm -rf build build-dev build-asan build-tsan build-fuzz build-foreign out
