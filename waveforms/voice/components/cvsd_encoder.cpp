#include "components/cvsd_encoder.h"

ORBWEAVER_COMPONENT(orbweaver::voice::CvsdEncoderComponent)
