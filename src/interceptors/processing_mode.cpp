#include "interceptors/processing_mode.h"

#include <string>

#include "interceptors/minor_codes.h"

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;

namespace {

class ProcessingModePolicyImpl final : public pi::ProcessingModePolicy {
 public:
  explicit ProcessingModePolicyImpl(pi::ProcessingMode mode) : mode_(mode) {}
  CORBA::PolicyType policy_type() const override { return pi::PROCESSING_MODE_POLICY_TYPE; }
  pi::ProcessingMode processing_mode() override { return mode_; }

 private:
  const pi::ProcessingMode mode_;
};

}  // namespace

CORBA::object_reference<CORBA::Policy> ProcessingModeFactory::create_policy(CORBA::PolicyType,
                                                                            const CORBA::Any& value) {
  pi::ProcessingMode mode = pi::LOCAL_AND_REMOTE;
  if (!(value >>= mode))
    throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE, "ProcessingModePolicy takes an any of type short");
  try {
    return make_processing_mode_policy(mode);
  } catch (const CORBA::BAD_PARAM& e) {
    throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE, e.detail());
  }
}

}  // namespace orbweaver::interceptors

namespace orbweaver {

CORBA::object_reference<CORBA::Policy> make_processing_mode_policy(PortableInterceptor::ProcessingMode mode) {
  using namespace PortableInterceptor;
  if (mode >= LOCAL_AND_REMOTE && mode <= LOCAL_ONLY)
    return CORBA::make_reference<interceptors::ProcessingModePolicyImpl>(mode);
  throw CORBA::BAD_PARAM(
      interceptors::minor::kBadOption, CORBA::CompletionStatus::COMPLETED_NO,
      "ProcessingModePolicy takes 0 (LOCAL_AND_REMOTE) to 2 (LOCAL_ONLY), not " + std::to_string(mode));
}

}  // namespace orbweaver
