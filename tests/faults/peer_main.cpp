// faults-peer serve CALL-LOG [-ORB…]: serves a target until it is killed, and prints its reference.
// faults-peer call REFERENCE [-ORB…]: runs the script once; call-for-ever: repeatedly.
// faults-peer take REFERENCE [-ORB…]: asks for a reply of many frames.
#include <fcntl.h>

#include <iostream>

#include "target.h"
#include "testing/test_orb.h"

namespace {

using namespace faulttest;

int serve(const std::string& call_log_path, const orbtest::Options& options) {
  const CallLogPage call_log{orbweaver::platform::Fd(open(call_log_path.c_str(), O_RDWR | O_CLOEXEC))};
  orbtest::TestOrb broker(options);
  const auto servant = CORBA::make_reference<TargetServant>(*call_log);
  broker.root->activate_object(servant);
  std::cout << broker.orb->object_to_string(broker.root->servant_to_reference(servant)) << std::endl;
  broker.orb->run();
  return 0;
}

int call(const std::string& reference, const std::string& how, const orbtest::Options& options) {
  orbtest::TestOrb broker(options);
  const auto target = IDL::traits<Faults::Target>::narrow(broker.orb->string_to_object(reference));
  std::cout << "calling" << std::endl;
  do {
    if (how == "take") {
      target->give(16 << 20);
    } else {
      script(*target, [](const auto& make) { return make(), true; });
    }
  } while (how == "call-for-ever");
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc < 3) return 2;
  const std::string role = argv[1];
  const orbtest::Options options(argv + 3, argv + argc);
  if (role == "serve") return serve(argv[2], options);
  return call(argv[2], role, options);
} catch (const std::exception& e) {
  std::cerr << "faults-peer: " << e.what() << '\n';
  return 1;
}
