// Test plug-in that was built for version 0 of the transport contract.
#include <orbweaver/transport.h>

static orbweaver::Result<void> add(orbweaver::transport::Registry&) { return {}; }
extern "C" const orbweaver::transport::Plugin orbweaver_transport_plugin = {0, &add};
