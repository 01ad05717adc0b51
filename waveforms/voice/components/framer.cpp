#include "components/framer.h"

ORBWEAVER_COMPONENT(orbweaver::voice::FramerComponent)
