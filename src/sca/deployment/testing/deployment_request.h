#pragma once

#include <chrono>
#include <string>

#include "sca/deployment/deployment.h"
#include "sca/deployment/testing/assembly_builder.h"
#include "sca/deployment/testing/fake_domain.h"

namespace orbweaver::sca::testing {

/// Limit in ms of calls one of which hangs; the others reply within it on a busy machine.
inline constexpr int kHangingCallMs = 2'000;

/// The same limit for all calls: short where a test waits for it, long where it must not be reached.
inline DeploymentLimits limits(int ms = 120'000) {
  const std::chrono::milliseconds all(ms);
  return {all, all, all, all};
}

/// A request for an application 'radio' of this assembly, which must outlive it.
inline DeploymentRequest request(const Assembly& assembly) {
  return {assembly, "app_1", "radio", "DCE:radio", {}, {}, limits()};
}

/// The message of the CreateApplicationError that a deployment raises; "" if it raises none.
inline std::string error_of(const DeploymentRequest& request, FakeDomain& domain) {
  try {
    deploy(request, domain);
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    return e.msg();
  }
  return "";
}

/// Component a, which sends to b.
inline Assembly chain() { return AssemblyBuilder().add("a").add("b", "/dom/other").connect(0, 1).assembly; }

}  // namespace orbweaver::sca::testing
