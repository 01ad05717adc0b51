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

/// An ORB for a test. Several can exist in one process. The destructor destroys the ORB. The environment
/// variable ORB_TEST_OPTIONS has further options for all of them, separated by spaces. On a machine without
/// shared memory, a client that prefers shm uses Unix sockets.
class TestOrb {
 public:
  /// `options`: "-ORBWait", "spin", …
  explicit TestOrb(const Options& options = {});
  ~TestOrb() { destroy(); }
  TestOrb(const TestOrb&) = delete;
  TestOrb& operator=(const TestOrb&) = delete;
  void destroy();

  IDL::traits<CORBA::ORB>::ref_type orb;
  PoaRef root;  ///< Its POA manager is active.

  /// Activates the servant in the root POA. Returns its stringified reference.
  std::string serve(const ServantRef& servant);
  /// The stringified reference of a servant that is active in `poa`.
  std::string reference(const PoaRef& poa, const ServantRef& servant);
  /// The object of a stringified reference, narrowed to Calls.
  CallsRef at(const std::string& reference);
  /// As `at`, without a call to the object.
  CallsRef unchecked(const std::string& reference);

 private:
  bool destroyed_ = false;
};

/// Creates a child POA with these policies and its own active POA manager.
PoaRef make_poa(const PoaRef& parent, const std::string& name, const CORBA::PolicyList& policies = {});
/// Creates a POA with PERSISTENT and USER_ID: its references survive the server process.
PoaRef make_persistent_poa(const PoaRef& parent, const std::string& name);

/// A free port of the loopback interface, reserved for this process while it runs.
std::string free_port();
/// The detail of the exception that `call` raises, if it is an `Expected` with this minor code; else a text
/// that names the difference.
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

/// Numbers of threads and of open descriptors of this process.
std::size_t threads();
std::size_t descriptors();
using orbweaver::platform::testing::becomes_true;
using orbweaver::platform::testing::kHangTimeout;

}  // namespace orbtest
