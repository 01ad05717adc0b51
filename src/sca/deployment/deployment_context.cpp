#include "sca/deployment/deployment_context.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "base/printable.h"
#include "sca/cf/call_error.h"
#include "sca/deployment/late_calls.h"

namespace orbweaver::sca {
namespace {

/// Length of a peer's reason in a message.
constexpr std::size_t kMostReason = 1000;
/// Time for which the event of a process's end is awaited after a call to it has failed.
constexpr std::chrono::milliseconds kEndEventTime{500}, kEndEventPoll{10};

}  // namespace

DeploymentContext::DeploymentContext(const DeploymentRequest& deployment, DeploymentDomain& in_domain,
                                     std::vector<DeploymentDevice> present_devices,
                                     const DeploymentPlan& of_plan, DeploymentRecord& to_record)
    : request(deployment), domain(in_domain), plan(of_plan), record(to_record),
      calls(in_domain.orb(), deployment.limits.call), late_calls(in_domain.orb(), kLateLimit),
      undo_calls(in_domain.orb(), deployment.limits.release), devices(std::move(present_devices)),
      factories(of_plan.parts.size()), component_factories(of_plan.parts.size()),
      components(of_plan.parts.size()), ports(of_plan.parts.size()), own_components(of_plan.parts.size()) {}

const DeploymentDevice& DeploymentContext::device_of(std::size_t part) const {
  const DeploymentPart& planned = plan.parts[part];
  const DeploymentPart& executed = planned.factory ? plan.parts[*planned.factory] : planned;
  return devices[placement.components[executed.placed].device];
}

const Implementation* DeploymentContext::implementation_of(std::size_t part) const {
  const DeploymentPart& planned = plan.parts[part];
  if (planned.factory) return nullptr;
  const std::size_t chosen = placement.components[planned.placed].implementation;
  return &planned.package->implementations[planned.implementations[chosen]];
}

std::vector<const Implementation*> DeploymentContext::packages_of(std::size_t part) const {
  const Implementation* const root = implementation_of(part);
  if (root == nullptr) return {};
  const auto& chosen = placement.components[plan.parts[part].placed].packages;
  const auto chosen_of = [&](const PackageDependency& dependency) -> const Implementation* {
    for (const PlacedPackage& each : chosen) {
      if (each.package != dependency.file) continue;
      const Implementation& implementation =
          request.assembly.dependencies.at(each.package).implementations[each.implementation];
      if (dependency.implementation.empty() || dependency.implementation == implementation.id)
        return &implementation;
    }
    return nullptr;
  };
  std::vector<const Implementation*> all;
  std::set<const Implementation*> seen;
  const std::function<void(const Implementation&)> add_dependencies = [&](const Implementation& of) {
    for (auto each = of.dependencies.rbegin(); each != of.dependencies.rend(); ++each) {
      const Implementation* const needed = chosen_of(*each);
      if (needed == nullptr || !seen.insert(needed).second) continue;
      add_dependencies(*needed);
      all.push_back(needed);
    }
  };
  add_dependencies(*root);
  std::reverse(all.begin(), all.end());
  return all;
}

void DeploymentContext::add_device(Application& application, const DeploymentDevice& device) const {
  std::vector<DeployedDevice>& known = application.devices;
  if (std::none_of(known.begin(), known.end(), [&](auto& each) { return each.id == device.candidate.id; }))
    known.push_back({device.candidate.id, domain.orb()->object_to_string(device.reference)});
}

std::string DeploymentContext::text(std::size_t part) const {
  return plan.parts[part].text() + " on device " + text_of(device_of(part));
}

void DeploymentContext::fail_call(std::size_t part, const std::string& what) const {
  const std::string reason = printable_reason();
  std::string end;
  try {
    throw;
  } catch (const CORBA::TIMEOUT&) {  // it runs, and does not reply
  } catch (const CORBA::SystemException&) {
    const DeployedComponent component =
        record.component(plan.parts[part].factory ? *plan.parts[part].factory : part);
    const auto deadline = std::chrono::steady_clock::now() + kEndEventTime;
    while (end.empty() && component.process >= 0 && std::chrono::steady_clock::now() < deadline) {
      end = domain.process_end(component.device, component.process);
      if (end.empty()) std::this_thread::sleep_for(kEndEventPoll);
    }
  } catch (const std::exception&) {
  }
  if (!end.empty()) end = "; its process " + printable(end, kMostReason);
  throw DeploymentFailure(text(part) + " cannot be " + what + ": " + reason + end);
}

bool DeploymentContext::may_be_performed() {
  try {
    throw;
  } catch (const CORBA::SystemException& e) {
    return e.completed() != CORBA::CompletionStatus::COMPLETED_NO;
  } catch (...) {
    return false;
  }
}

std::string text_of(const DeploymentDevice& device) {
  const std::string& label = device.candidate.label.empty() ? device.candidate.id : device.candidate.label;
  return printable(label) +
         (device.candidate.node.empty() ? "" : " of node " + printable(device.candidate.node));
}

std::string printable_reason() {
  try {
    throw;
  } catch (const CORBA::TIMEOUT&) {
    return "no reply within the time limit";
  } catch (const std::exception&) {
    return printable(reason_of_failed_call(), kMostReason);
  }
}

}  // namespace orbweaver::sca
