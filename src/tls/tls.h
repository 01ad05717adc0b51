#pragma once

#include "transport/transport.h"

/// TLS over TCP, by OpenSSL: the only room that knows it, and a library of its own.
namespace orbweaver::tls {

/// The transport "tls". Addresses as of tcp: "host:port" or "[v6]:port".
std::unique_ptr<transport::Transport> make_tls();

}  // namespace orbweaver::tls
