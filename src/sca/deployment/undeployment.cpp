#include "sca/deployment/undeployment.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "CosNamingC.h"
#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/device_undo.h"
#include "sca/deployment/event_channel_end.h"
#include "sca/deployment/known_interfaces.h"
#include "sca/deployment/order_undo.h"

namespace orbweaver::sca {
namespace {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

/// Time that released components have to end by themselves: they may still write files. Processes that are
/// left are terminated.
constexpr std::chrono::milliseconds kEndTime{1000}, kEndPoll{2};

class Undeployment {
 public:
  Undeployment(Application& record, DeploymentDomain& domain, const DeploymentLimits& limits,
               RecordedStart recorded)
      : record_(record), domain_(domain), calls_(domain.orb(), limits.release), recorded_(recorded) {}

  std::vector<std::string> run() {
    if (recorded_ == RecordedStart::outdated) find_late_components();
    const bool may_run =
        record_.state != ApplicationState::deploying && record_.state != ApplicationState::stopped;
    if (may_run) stop();
    disconnect();
    release();
    wait_for_ends();
    DeviceUndoResult undone = undo_on_devices(record_, domain_, calls_);
    std::move(undone.left.begin(), undone.left.end(), std::back_inserter(left_));
    if (!undone.processes_run) domain_.remove_naming_context(record_.name);
    return std::move(left_);
  }

 private:
  ObjectRef object(const std::string& reference) const {
    return calls_.object(domain_.orb()->string_to_object(reference));
  }

  void leave(const std::string& text) {
    const std::lock_guard lock(mutex_);
    left_.push_back(text);
  }
  /// Whether calls of a component have failed, so that it is not called again.
  bool is_lost(const std::string& component) {
    const std::lock_guard lock(mutex_);
    return lost_.contains(component);
  }
  void lose(const std::string& component) {
    const std::lock_guard lock(mutex_);
    lost_.insert(component);
  }

  /// Finds components that have registered without being recorded.
  void find_late_components() {
    const auto is_unknown = [](const DeployedComponent& each) {
      return each.reference.empty() && each.process < 0 && !each.binding.empty() && !each.device.empty();
    };
    if (std::none_of(record_.components.begin(), record_.components.end(), is_unknown)) return;
    try {
      const auto naming = calls_.narrow<CosNaming::NamingContext>(domain_.naming_context(record_.name));
      for (DeployedComponent& each : record_.components) {
        if (!is_unknown(each)) continue;
        try {
          each.reference =
              domain_.orb()->object_to_string(naming->resolve({CosNaming::NameComponent(each.binding, "")}));
        } catch (const CosNaming::NamingContext::NotFound&) {  // it was not executed
        }
      }
    } catch (const CORBA::Exception&) {
      leave("the naming context of the application cannot be read: " + printable_reason());
    }
  }

  void stop() {
    std::map<std::string, const DeployedComponent*> by_id;
    for (const DeployedComponent& each : record_.components) by_id.emplace(each.id, &each);
    for (auto id = record_.start_order.rbegin(); id != record_.start_order.rend(); ++id) {
      const auto found = by_id.find(*id);
      if (found == by_id.end() || found->second->reference.empty()) continue;
      const bool is_sca41 = found->second->is_sca41;
      call_component(*found->second, "stopped", [&](const ObjectRef& component) {
        if (const auto narrowed = narrow_component(component, is_sca41)) narrowed.stop();
      });
    }
  }

  /// Calls a component. An error that it reports goes to the log of the domain, and changes nothing, because
  /// the component is released in any case; a component that cannot be called is lost. `what`: what the call
  /// does to it, as "released". Returns whether the call has succeeded.
  bool call_component(const DeployedComponent& component, const std::string& what,
                      const std::function<void(const ObjectRef&)>& call) {
    if (is_lost(component.id)) return false;
    try {
      call(object(component.reference));
      return true;
    } catch (const std::exception&) {
      report_failure(component, what);
      return false;
    }
  }

  /// In a catch block around a call of a component. `what`: as above.
  void report_failure(const DeployedComponent& component, const std::string& what) {
    const std::string reason = printable_reason();
    if (!has_answered()) lose(component.id);
    // The error of a creation that is undone says what has failed.
    if (record_.state == ApplicationState::deploying || is_known_to_have_ended(component)) return;
    domain_.report("application '" + record_.name + "': component '" + component.instantiation +
                   "' cannot be " + what + ": " + reason);
  }

  /// In a catch block around a call. Whether the other program has answered by the exception.
  static bool has_answered() {
    try {
      throw;
    } catch (const CORBA::TIMEOUT&) {
    } catch (const CORBA::COMM_FAILURE&) {
    } catch (const CORBA::TRANSIENT&) {
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
    } catch (...) {
      return true;
    }
    return false;
  }

  bool is_known_to_have_ended(const DeployedComponent& component) const {
    if (!domain_.process_end(component.device, component.process).empty()) return true;
    const std::vector<DeploymentDevice> devices = domain_.registered_devices();
    return std::none_of(devices.begin(), devices.end(),
                        [&](auto& device) { return device.candidate.id == component.device; });
  }

  void disconnect() {
    // The connections of one component, the last first; components concurrently.
    std::map<std::string, std::vector<std::size_t>> by_component;
    for (std::size_t i = record_.connections.size(); i-- > 0;)
      by_component[record_.connections[i].component].push_back(i);
    std::vector<std::vector<std::size_t>> lists;
    for (auto& [component, list] : by_component) lists.push_back(std::move(list));
    std::vector<char> left(record_.connections.size());
    run_concurrently(lists.size(), [&](std::size_t l) {
      for (const std::size_t i : lists[l]) left[i] = !disconnected(record_.connections[i]);
    });
    std::vector<DeployedConnection> remaining;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i]) remaining.push_back(std::move(record_.connections[i]));
    }
    record_.connections = std::move(remaining);
  }

  /// A connection of a component of the application ends with it.
  bool disconnected(const DeployedConnection& connection) {
    const bool is_done = is_lost(connection.component) || uses_port_disconnected(connection);
    if (!connection.provider.empty()) release_provides_port(connection);
    return is_done;
  }

  bool uses_port_disconnected(const DeployedConnection& connection) {
    try {
      if (!connection.uses_port.empty()) {
        if (const auto ports = IDL::traits<CF::PortAccessor>::narrow(object(connection.uses)))
          ports->disconnectPorts({{connection.id, connection.uses_port}});
      } else {
        disconnect_ends(calls_, domain_.orb()->string_to_object(connection.uses), connection.id);
      }
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
    } catch (const CORBA::SystemException&) {
      if (connection.component.empty()) {
        leave("connection '" + connection.id + "' cannot be removed: " + printable_reason());
        return false;
      }
      for (const DeployedComponent& each : record_.components)
        if (each.id == connection.component)
          report_failure(each, "disconnected: connection '" + connection.id + "'");
    } catch (const CORBA::Exception&) {  // it has not been made, or has been removed
    }
    return true;
  }

  /// A component, device or service of SCA 4.1 may have made the port for this connection.
  void release_provides_port(const DeployedConnection& connection) {
    const auto release = [&](const ObjectRef& provider) {
      try {
        if (const auto ports = IDL::traits<CF::PortAccessor>::narrow(provider))
          ports->disconnectPorts({{connection.id, connection.provides_port}});
      } catch (const CF::PortAccessor::InvalidPort&) {  // it has made none, or has removed it
      }
    };
    for (const DeployedComponent& each : record_.components) {
      if (each.id != connection.provider) continue;
      call_component(each, "disconnected: port '" + connection.provides_port + "'", release);
      return;
    }
    if (!connection.provider.starts_with("IOR:")) return;  // a component that has been released
    try {
      release(object(connection.provider));
    } catch (const CORBA::Exception&) {  // it has released the port, or cannot be called
    }
  }

  /// Releases the components, then the factories with theirs.
  void release() {
    std::vector<const DeployedComponent*> executed, factories;
    std::map<std::string, std::vector<const DeployedComponent*>> created;  // by factory
    for (auto each = record_.components.rbegin(); each != record_.components.rend(); ++each) {
      if (!each->factory.empty()) {
        created[each->factory].push_back(&*each);
      } else if (!each->reference.empty()) {
        (each->is_factory ? factories : executed).push_back(&*each);
        created[each->id];
      }
    }
    run_concurrently(executed.size(), [&](std::size_t i) {
      call_component(*executed[i], "released", [&](const ObjectRef& component) {
        if (const auto narrowed = narrow_component(component, executed[i]->is_sca41)) narrowed.release();
      });
    });
    run_concurrently(factories.size(), [&](std::size_t f) {
      const DeployedComponent& factory = *factories[f];
      const auto& list = created.at(factory.id);
      if (factory.is_sca41) {
        release_component_factory(factory, list);
      } else {
        release_resource_factory(factory, list);
      }
    });
  }

  void release_resource_factory(const DeployedComponent& factory,
                                const std::vector<const DeployedComponent*>& created) {
    for (const DeployedComponent* const each : created)
      call_component(factory, "asked to release '" + each->instantiation + "'", [&](const ObjectRef& object) {
        if (const auto narrowed = IDL::traits<CF::ResourceFactory>::narrow(object))
          narrowed->releaseResource(each->id);
      });
    call_component(factory, "shut down", [](const ObjectRef& object) {
      if (const auto narrowed = IDL::traits<CF::ResourceFactory>::narrow(object)) narrowed->shutdown();
    });
  }

  /// Components of a component factory are released as all others, and then the factory, which may have ended
  /// with the last of them.
  void release_component_factory(const DeployedComponent& factory,
                                 const std::vector<const DeployedComponent*>& created) {
    const auto release = [](const ObjectRef& object) { narrow_component(object, true).release(); };
    bool may_have_ended = !created.empty();
    for (const DeployedComponent* const each : created) {
      if (!each->reference.empty() && !call_component(*each, "released", release)) may_have_ended = false;
    }
    call_component(factory, "released", [&](const ObjectRef& object) {
      try {
        release(object);
      } catch (const CORBA::OBJECT_NOT_EXIST&) {
        if (!may_have_ended) throw;
      } catch (const CORBA::COMM_FAILURE&) {
        if (!may_have_ended) throw;
      } catch (const CORBA::TRANSIENT&) {
        if (!may_have_ended) throw;
      }
    });
  }

  /// Waits for the processes of components that have been released.
  void wait_for_ends() {
    std::vector<const DeployedComponent*> running;
    for (const DeployedComponent& each : record_.components) {
      if (each.process >= 0 && !each.reference.empty() && !is_lost(each.id)) running.push_back(&each);
    }
    const auto deadline = std::chrono::steady_clock::now() + kEndTime;
    for (;;) {
      std::vector<char> ended(running.size());
      run_concurrently(running.size(), [&](std::size_t i) { ended[i] = has_ended(*running[i]); });
      std::size_t next = 0;
      std::erase_if(running, [&](auto*) { return ended[next++] != 0; });
      if (running.empty() || std::chrono::steady_clock::now() > deadline) return;
      std::this_thread::sleep_for(kEndPoll);
    }
  }

  /// An ORB of ours ends after its components; that of another framework perhaps before.
  bool has_ended(const DeployedComponent& component) const {
    if (!domain_.process_end(component.device, component.process).empty()) return true;
    try {
      static_cast<void>(object(component.reference)->_non_existent());
      return false;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {  // released, in a process that runs
      return false;
    } catch (const CORBA::Exception&) {
      return true;
    }
  }

  Application& record_;
  DeploymentDomain& domain_;
  const LimitedCalls calls_;
  const RecordedStart recorded_;
  std::mutex mutex_;
  std::set<std::string> lost_;     // mutex_: ids of components
  std::vector<std::string> left_;  // mutex_
};

}  // namespace

std::vector<std::string> undeploy(Application& record, DeploymentDomain& domain,
                                  const DeploymentLimits& limits, RecordedStart recorded) {
  if (record.state == ApplicationState::orphaned) {
    const LimitedCalls calls(domain.orb(), limits.release);
    std::vector<std::string> left = undo_unconfirmed(record, domain, calls);
    DeviceUndoResult undone = undo_on_devices(record, domain, calls);
    std::move(undone.left.begin(), undone.left.end(), std::back_inserter(left));
    return left;
  }
  return Undeployment(record, domain, limits, recorded).run();
}

std::vector<std::string> undeploy(Application& record, DeploymentDomain& domain,
                                  const DeploymentLimits& limits) {
  return undeploy(
      record, domain, limits,
      record.state == ApplicationState::deploying ? RecordedStart::outdated : RecordedStart::exact);
}

}  // namespace orbweaver::sca
