#include "components/cvsd_decoder.h"

ORBWEAVER_COMPONENT(orbweaver::voice::CvsdDecoderComponent)
