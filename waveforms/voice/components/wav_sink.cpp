#include "components/wav_sink.h"

ORBWEAVER_COMPONENT(orbweaver::voice::WavSink)
