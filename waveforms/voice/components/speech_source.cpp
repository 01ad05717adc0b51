#include "components/speech_source.h"

ORBWEAVER_COMPONENT(orbweaver::voice::SpeechSource)
