#include "tls/openssl.h"
#include "tls/tls.h"

ORBWEAVER_TRANSPORT_PLUGIN(registry) {
  // Without OpenSSL's exit handler, which would free what an ORB's threads still use.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
  return registry.add(orbweaver::tls::make_tls());
}
