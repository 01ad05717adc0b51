// A component that checks what it receives.
#include "sca/run_tests/sink.h"

ORBWEAVER_COMPONENT(orbweaver::sca::testing::Sink)
