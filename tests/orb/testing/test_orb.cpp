#include "testing/test_orb.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "platform/testing/reserved_port.h"
#include "transport/transport.h"

namespace orbtest {

TestOrb::TestOrb(const Options& options) {
  static std::atomic<int> count{0};
  std::vector<std::string> words = {"test"};
  // Raw peers connect over TCP.
  if (std::find(options.begin(), options.end(), "-ORBListen") == options.end()) {
    words.insert(words.end(), {"-ORBListen", "inproc,shm,unix,tcp"});
  }
  // Calls over UDP have a long timeout, unless the test sets one.
  words.insert(words.end(), {"-ORBTune", "udp-call-timeout-ms=120000"});
  if (const char* const given = std::getenv("ORB_TEST_OPTIONS")) {
    std::istringstream more(given);
    words.insert(words.end(), std::istream_iterator<std::string>(more), {});
  }
  for (std::string word : options) {
    if (word == "shm" && !orbweaver::transport::kHasSharedMemory && words.back() == "-ORBTransportPreference")
      word = "unix";
    words.push_back(std::move(word));
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  orb = CORBA::ORB_init(argc, argv.data(), "test " + std::to_string(++count));
  root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
}

void TestOrb::destroy() {
  if (destroyed_) return;
  destroyed_ = true;
  root = nullptr;
  orb->destroy();
}

std::string TestOrb::serve(const ServantRef& servant) {
  root->activate_object(servant);
  return reference(root, servant);
}

std::string TestOrb::reference(const PoaRef& poa, const ServantRef& servant) {
  return orb->object_to_string(poa->servant_to_reference(servant));
}

CallsRef TestOrb::at(const std::string& reference) {
  return IDL::traits<OrbTest::Calls>::narrow(orb->string_to_object(reference));
}

CallsRef TestOrb::unchecked(const std::string& reference) {
  const ObjectRef object = orb->string_to_object(reference);
  return CallsRef::adopt(OrbTest::Calls::_make(object->_reference()));
}

PoaRef make_poa(const PoaRef& parent, const std::string& name, const CORBA::PolicyList& policies) {
  PoaRef poa = parent->create_POA(name, nullptr, policies);
  poa->the_POAManager()->activate();
  return poa;
}

PoaRef make_persistent_poa(const PoaRef& parent, const std::string& name) {
  using namespace PortableServer;
  return make_poa(parent, name,
                  {parent->create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
                   parent->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)});
}

std::string free_port() { return orbweaver::platform::testing::reserve_port(); }

static std::size_t entries_of(const char* directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}
std::size_t threads() { return entries_of("/proc/self/task"); }
std::size_t descriptors() { return entries_of("/proc/self/fd"); }

}  // namespace orbtest
