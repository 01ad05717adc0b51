#pragma once

#include <orbweaver/orb.h>

#include <string>

#include "server/server_options.h"

namespace orbweaver::server {

/// Creates the ORB `id` of a server program, with an endpoint for each of its options. Raises the exceptions
/// of ORB_init, and BAD_PARAM for a word that is no ORB option.
IDL::traits<CORBA::ORB>::ref_type make_orb(const ServerOptions& options, const std::string& id);

/// The corbaloc URL of the object `key` at the TCP endpoint that `reference`, a stringified IOR, names; empty
/// if it names none.
std::string url_of(const std::string& reference, const std::string& key);

}  // namespace orbweaver::server
