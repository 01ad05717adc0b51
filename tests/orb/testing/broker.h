#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <string>
#include <vector>

#include "callsC.h"
#include "platform/testing/becomes_true.h"
#include "testing/servant.h"

namespace orbtest {

using CallsRef = IDL::traits<OrbTest::Calls>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using Options = std::vector<std::string>;

/// An ORB for a test, beside others in the same process. Destroyed with this object.
class Broker {
 public:
  /// `options`: "-ORBWait", "spin", …
  explicit Broker(const Options& options = {});
  ~Broker() { destroy(); }
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;
  void destroy();

  IDL::traits<CORBA::ORB>::ref_type orb;
  PoaRef root;  ///< Active.

  /// Activates the servant in the root POA; its reference, as text.
  std::string serve(const ServantRef& servant);
  /// The reference of a servant that is active in `poa`.
  std::string reference(const PoaRef& poa, const ServantRef& servant);
  /// The object behind the text, asked whether it is one.
  CallsRef at(const std::string& reference);
  /// The same without asking.
  CallsRef unchecked(const std::string& reference);

 private:
  bool destroyed_ = false;
};

/// A child POA with a manager of its own, active, and these policies.
PoaRef make_poa(const PoaRef& parent, const std::string& name, const CORBA::PolicyList& policies = {});
/// Persistent, ids from the user: its references survive the server.
PoaRef make_persistent_poa(const PoaRef& parent, const std::string& name);

/// A port of the loopback interface at which nobody listens, and which no other test gets while this process lives.
std::string free_port();
/// The detail of the system exception that `call` raises, which has to be an `Expected` with this minor code.
template <class Expected, class Call>
std::string raised_by(Call&& call, std::uint32_t minor) {
  try {
    call();
  } catch (const Expected& e) {
    return e.minor() == minor ? e.detail() : std::string("another minor code: ") + e.what();
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "nothing was raised";
}

std::size_t threads();
std::size_t descriptors();
using orbweaver::platform::testing::becomes_true;
using orbweaver::platform::testing::kHang;

}  // namespace orbtest
