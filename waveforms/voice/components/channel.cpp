#include "components/channel.h"

ORBWEAVER_COMPONENT(orbweaver::voice::ChannelComponent)
