#include "components/deframer.h"

ORBWEAVER_COMPONENT(orbweaver::voice::DeframerComponent)
