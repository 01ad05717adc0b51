// The ORB initializers of the program, and their call by ORB_init.
#include <orbweaver/interceptors.h>

#include <mutex>

#include "interceptors/codec.h"
#include "interceptors/minor_codes.h"
#include "interceptors/orb_init_info.h"
#include "interceptors/processing_mode.h"
#include "orb/core.h"

namespace orbweaver::interceptors {
namespace {

namespace pi = PortableInterceptor;
using Initializers = std::vector<CORBA::object_reference<pi::ORBInitializer>>;

struct Registry {
  std::mutex mutex;
  Initializers initializers;
};

Registry& registry() {
  // Never destroyed: the program may create an ORB while it ends.
  static Registry& all = *new Registry;
  return all;
}

Initializers registered() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.initializers;
}

/// Calls the initializers for a new ORB.
void initialize(orb::OrbImpl& orb, const std::vector<std::string>& arguments) {
  const Initializers initializers = registered();
  orb::Core& core = *orb.core();
  const auto interceptors = std::make_shared<OrbInterceptors>(
      orb.id(), IDL::traits<PortableServer::Current>::narrow(orb.resolve_initial_references("POACurrent")));
  interceptors->factories.emplace(pi::PROCESSING_MODE_POLICY_TYPE,
                                  CORBA::make_reference<ProcessingModeFactory>());
  const auto codecs = CORBA::make_reference<CodecFactoryImpl>(orb.core());
  orb.register_initial_reference("CodecFactory", codecs);
  orb.register_initial_reference("PICurrent", CORBA::make_reference<PiCurrent>(interceptors->slots));
  core.set_interception(interceptors);
  core.intercept_requests(true);  // of references that the initializers make
  const auto info = CORBA::make_reference<OrbInitInfo>(orb, *interceptors, arguments, codecs);
  const struct End {
    OrbInitInfo& info;
    ~End() { info.begin(OrbInitInfo::Phase::over); }
  } end{*info};
  for (const auto& each : initializers) each->pre_init(info);
  info->begin(OrbInitInfo::Phase::post_init);
  for (const auto& each : initializers) each->post_init(info);
  interceptors->slots->open();
  core.intercept_requests(!interceptors->client.empty() || !interceptors->server.empty());
}

}  // namespace
}  // namespace orbweaver::interceptors

namespace PortableInterceptor {

void register_orb_initializer(CORBA::object_reference<ORBInitializer> init) {
  using namespace orbweaver;
  if (!init) {
    throw CORBA::BAD_PARAM(interceptors::minor::kNilArgument, CORBA::CompletionStatus::COMPLETED_NO,
                           "register_orb_initializer: nil");
  }
  interceptors::Registry& all = interceptors::registry();
  const std::lock_guard lock(all.mutex);
  all.initializers.push_back(std::move(init));
  orb::initialize_orb.store(&interceptors::initialize, std::memory_order_release);
}

}  // namespace PortableInterceptor
