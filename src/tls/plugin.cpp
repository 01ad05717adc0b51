#include "tls/tls.h"

ORBWEAVER_TRANSPORT_PLUGIN(registry) { return registry.add(orbweaver::tls::make_tls()); }
