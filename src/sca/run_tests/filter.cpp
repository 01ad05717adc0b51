// A component that passes packets on.
#include "sca/run_tests/filter.h"

ORBWEAVER_COMPONENT(orbweaver::sca::testing::Filter)
