#pragma once

#include <orbweaver/interceptors.h>

namespace orbweaver::interceptors {

/// Creates ProcessingModePolicy.
class ProcessingModeFactory final : public PortableInterceptor::PolicyFactory {
 public:
  CORBA::object_reference<CORBA::Policy> create_policy(CORBA::PolicyType type,
                                                       const CORBA::Any& value) override;
};

}  // namespace orbweaver::interceptors
