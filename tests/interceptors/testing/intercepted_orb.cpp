#include "interceptors/testing/intercepted_orb.h"

namespace orbtest {
namespace {

/// The functions of the ORB that this thread is creating; null: of another test's ORB.
thread_local const InterceptedOrb::Init* current_pre_init = nullptr;
thread_local const InterceptedOrb::Init* current_post_init = nullptr;

class Initializer final : public pi::ORBInitializer {
  void pre_init(InfoRef info) override {
    if (current_pre_init != nullptr && *current_pre_init) (*current_pre_init)(info);
  }
  void post_init(InfoRef info) override {
    if (current_post_init != nullptr && *current_post_init) (*current_post_init)(info);
  }
};

Options prepared(const InterceptedOrb::Init& pre_init, const Options& options,
                 const InterceptedOrb::Init& post_init) {
  [[maybe_unused]] static const bool once =
      (pi::register_orb_initializer(CORBA::make_reference<Initializer>()), true);
  current_pre_init = &pre_init;
  current_post_init = &post_init;
  return options;
}

}  // namespace

InterceptedOrb::InterceptedOrb(const Init& pre_init, const Options& options, const Init& post_init) try
    : TestOrb(prepared(pre_init, options, post_init)) {
  current_pre_init = current_post_init = nullptr;
} catch (...) {
  current_pre_init = current_post_init = nullptr;
}

}  // namespace orbtest
