#include "naming/naming_server.h"

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include "naming/hosted_names.h"
#include "platform/file_size_signal.h"
#include "platform/freed_memory.h"
#include "platform/process.h"
#include "server/server_orb.h"
#include "server/server_process.h"

namespace orbweaver::naming {
namespace {

Result<void> announce(const server::ServerOptions& options, const std::string& reference) {
  const std::string url = server::url_of(reference, kRootKey);
  return server::announce(
      options, reference,
      (url.empty() ? "callers on this host, with --ior-file or --print-ior" : url) + ", " +
          (options.state_file.empty() ? "names are lost when it ends" : "state in " + options.state_file));
}

}  // namespace

Result<void> serve_names(const server::ServerOptions& options) {
  platform::TerminationSignals signals;
  platform::ignore_file_size_signal();
  platform::return_freed_memory();
  NamingFile file;
  if (!options.state_file.empty()) {
    auto opened = open_naming_file(options.state_file);
    if (!opened) return opened.take_error();
    file = std::move(*opened);
  }
  IDL::traits<CORBA::ORB>::ref_type orb;
  Result<void> result;
  try {
    orb = server::make_orb(options, "naming");
    const auto root = host_names(orb, std::move(file)).root;
    IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
        ->the_POAManager()
        ->activate();
    result = announce(options, orb->object_to_string(root));
    if (result) server::wait_for_signal(signals);
  } catch (const CORBA::INITIALIZE& e) {
    const std::string hint = options.listen.empty() ? "; another naming service may use it: end that one, or "
                                                      "give --port N and, to clients, the same port"
                                                    : std::string();
    result = Error{ErrorKind::unavailable, "cannot listen: " + e.detail() + hint};
  } catch (const CORBA::SystemException& e) {
    result = Error{ErrorKind::invalid, e.detail()};
  }
  if (orb) orb->destroy();
  return result;
}

}  // namespace orbweaver::naming
