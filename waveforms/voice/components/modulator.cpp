#include "components/modulator.h"

ORBWEAVER_COMPONENT(orbweaver::voice::ModulatorComponent)
