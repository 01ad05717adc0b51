#include "components/demodulator.h"

ORBWEAVER_COMPONENT(orbweaver::voice::DemodulatorComponent)
