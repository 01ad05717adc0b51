// interop-orbweaver-bridge PORT: starts a server program of the environment variable INTEROP_BRIDGED, and
// serves a bridge to its workshop over TCP: no stub and no skeleton of the workshop is compiled into this
// program. Prints what the server programs print, and serves until it is killed.
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "bridge/bridge.h"
#include "call/signatures.h"
#include "server.h"

namespace {

using orbweaver::call::Idl;

/// Signatures of the operations of an interface, from its IDL.
class Signatures {
 public:
  Signatures(const std::string& file, std::string interface) : interface_(std::move(interface)) {
    auto idl = Idl::compile({{file}, {}, {}});
    if (!idl) throw std::runtime_error(idl.error().message);
    idl_ = *idl;
  }
  /// Null: there is no such operation. Any thread; valid as long as this object.
  const Signature* find(const std::string& operation) {
    const std::lock_guard lock(mutex_);
    auto [known, is_new] = known_.try_emplace(operation);
    if (is_new) known->second = read(operation);
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::optional<Signature> read(const std::string& operation) const {
    using Direction = orbweaver::call::Signature::Direction;
    const auto found = find_signature(*idl_, interface_, operation, 0);
    if (!found) return std::nullopt;
    Signature signature{found->result, {}, found->exceptions, found->oneway};
    for (const auto& each : found->parameters) {
      const CORBA::Flags mode = each.direction == Direction::in    ? CORBA::ARG_IN
                                : each.direction == Direction::out ? CORBA::ARG_OUT
                                                                   : CORBA::ARG_INOUT;
      signature.parameters.push_back({each.name, mode, each.type});
    }
    return signature;
  }

  std::shared_ptr<const Idl> idl_;
  const std::string interface_;
  std::mutex mutex_;
  std::map<std::string, std::optional<Signature>> known_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string port = argc > 1 ? argv[1] : "0";
    const char* const bridged = std::getenv("INTEROP_BRIDGED");
    if (bridged == nullptr) throw std::runtime_error("INTEROP_BRIDGED names no server program");
    const interop::Server server(bridged);
    Signatures signatures(INTEROP_IDL, "Interop::Workshop");

    std::vector<std::string> args = {"interop-orbweaver-bridge", "-ORBListen", "tcp:127.0.0.1:" + port};
    std::vector<char*> arguments;
    for (std::string& arg : args) arguments.push_back(arg.data());
    int count = static_cast<int>(arguments.size());
    auto orb = CORBA::ORB_init(count, arguments.data());
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    auto bridge = CORBA::make_reference<Bridge>(
        orb->string_to_object(server.ior()), "IDL:Interop/Workshop:1.0",
        [&signatures](const std::string& operation) { return signatures.find(operation); });
    std::printf("%s\ncorbaloc:iiop:1.2@127.0.0.1:%s/unused\n", orb->object_to_string(bridge->_this()).c_str(),
                port.c_str());
    std::fflush(stdout);
    orb->run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "interop-orbweaver-bridge: %s\n", problem.what());
    return 1;
  }
}
