#pragma once

#include "transport/transport.h"

/// TLS over TCP. The only directory that uses OpenSSL; built as a plug-in library.
namespace orbweaver::tls {

/// Creates the transport "tls". Its addresses are those of tcp: "host:port" or "[v6]:port".
std::unique_ptr<transport::Transport> make_tls();

}  // namespace orbweaver::tls
