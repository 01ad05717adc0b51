// A plug-in of the tests that was built for a contract of long ago.
#include <orbweaver/transport.h>

static orbweaver::Result<void> add(orbweaver::transport::Registry&) { return {}; }
extern "C" const orbweaver::transport::Plugin orbweaver_transport_plugin = {0, &add};
