#include "tls/openssl.h"
#include "tls/tls.h"

ORBWEAVER_TRANSPORT_PLUGIN(registry) {
  // OpenSSL's own clean-up at the end of the program would take away what threads of an ORB still use.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
  return registry.add(orbweaver::tls::make_tls());
}
