#include "sca/deployment/device_undo.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <type_traits>

#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/device_capacities.h"

namespace orbweaver::sca {
namespace {

class DeviceUndo {
 public:
  DeviceUndo(Application& record, DeploymentDomain& domain, const LimitedCalls& calls)
      : record_(record), domain_(domain), calls_(calls) {
    for (DeploymentDevice& device : domain_.registered_devices()) {
      const std::string id = device.candidate.id;
      devices_.emplace(id, std::move(device));
    }
    for (const DeployedDevice& each : record_.devices)
      if (was_started_again(each)) started_again_.insert(each.id);
  }

  DeviceUndoResult run() {
    terminate();
    mark();
    unload();
    deallocate();
    if (is_changed_) store();
    for (const DeployedComponent& each : record_.components)
      result_.processes_run = result_.processes_run || (each.process >= 0 && device(each.device) != nullptr);
    return std::move(result_);
  }

 private:
  /// Null if the device is not registered.
  const DeploymentDevice* device(const std::string& id) const {
    const auto found = devices_.find(id);
    return found == devices_.end() ? nullptr : &found->second;
  }

  bool was_started_again(const DeployedDevice& recorded) const {
    const DeploymentDevice* const registered = device(recorded.id);
    try {
      return registered != nullptr && registered->reference && !recorded.reference.empty() &&
             !registered->reference->_is_equivalent(domain_.orb()->string_to_object(recorded.reference));
    } catch (const CORBA::SystemException&) {  // a damaged reference
      return false;
    }
  }

  void leave(const std::string& text) {
    const std::lock_guard lock(mutex_);
    result_.left.push_back(text);
  }

  void store() const {
    try {
      domain_.store(record_);
    } catch (const CORBA::Exception&) {  // a repetition finds less to undo
    }
  }

  void terminate() {
    // The process of the last component is terminated first. A process that components share takes a call for
    // each of them.
    std::vector<Process> processes;
    std::vector<std::size_t> calls;
    std::map<Process, std::size_t> numbers;
    for (auto each = record_.components.rbegin(); each != record_.components.rend(); ++each) {
      if (each->process < 0) continue;
      const auto [found, is_new] = numbers.try_emplace(process_of(*each), processes.size());
      if (is_new) {
        processes.push_back(found->first);
        calls.push_back(0);
      }
      ++calls[found->second];
    }
    std::vector<char> left(processes.size());
    run_concurrently(processes.size(), [&](std::size_t i) {
      for (std::size_t call = 0; call < calls[i] && !left[i]; ++call) left[i] = !terminated(processes[i]);
    });
    std::set<Process> running;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i]) running.insert(processes[i]);
    }
    // What has been released is no part of the record any more.
    std::erase_if(record_.components, [&](const DeployedComponent& each) {
      return each.process < 0 ? each.unconfirmed == 0 : !running.contains(process_of(each));
    });
  }

  /// Device, process, and what a device of SCA 4.1 has returned besides.
  using Process = std::tuple<std::string, std::int64_t, Execution41>;
  static Process process_of(const DeployedComponent& component) {
    return {component.device, component.process, component.execution};
  }

  bool terminated(const Process& executed) {
    const auto& [id, process, execution] = executed;
    const auto failure = [number = process](const std::string& device) {
      return "process " + std::to_string(number) + " of device " + device + " cannot be terminated: ";
    };
    const Executed what{process, execution};
    return undone_by(id, failure, [&](const DeploymentDevice& device, bool&) {
             const DeviceObject executor = calls_.device(device.reference, device.is_sca41);
             if (!executor.executes()) return;
             try {
               executor.terminate(what);
             } catch (const CF::ExecutableDevice::InvalidProcess&) {  // it has ended
             }
           }) == Outcome::done;
  }

  enum class Outcome { done, timed_out, failed };

  /// Calls a device. What it could not do has been reported, unless it is not registered. `call` sets a flag
  /// when it sends the request: narrow() may have called the device, and timed out, before.
  template <class Failure, class Call>
  Outcome undone_by(const std::string& id, Failure failure, Call call) {
    if (started_again_.contains(id)) return Outcome::done;
    const DeploymentDevice* const at = device(id);
    if (at == nullptr) return Outcome::failed;
    {
      const std::lock_guard lock(mutex_);
      if (silent_.contains(id)) {
        result_.left.push_back(failure(text_of(*at)) + "the device has not answered before");
        return Outcome::failed;
      }
    }
    bool sent = false;
    try {
      call(*at, sent);
      return Outcome::done;
    } catch (const CORBA::TIMEOUT&) {
      leave(failure(text_of(*at)) + printable_reason());
      const std::lock_guard lock(mutex_);
      silent_.insert(id);
      return sent ? Outcome::timed_out : Outcome::failed;
    } catch (const std::exception&) {
      leave(failure(text_of(*at)) + printable_reason());
    }
    return Outcome::failed;
  }

  /// Whether it is undone now, by a call that must not be repeated: the second one would return the
  /// capacities, or unload the file, of another application.
  template <class Order>
  bool is_undone_once(const Order& order) const {
    if constexpr (std::is_same_v<Order, DeployedAllocation>) {
      if (has_allocation_id(order.capacities)) return false;
    }
    return order.unconfirmed == 0 && device(order.device) != nullptr &&
           !started_again_.contains(order.device);
  }

  /// Stores which calls that must not be repeated are made now, as orders that are not confirmed: if this
  /// process ends before their results are stored, order_undo.h finds out what is left, or says it.
  void mark() {
    std::vector<std::int64_t*> marked;
    const auto mark_each = [&](auto& list) {
      for (auto& each : list)
        if (is_undone_once(each)) marked.push_back(&each.unconfirmed);
    };
    mark_each(record_.loads);
    mark_each(record_.allocations);
    if (marked.empty()) return;
    for (std::int64_t* const each : marked) *each = kUnconfirmed;
    try {
      domain_.store(record_);
    } catch (const CORBA::Exception&) {
      not_stored_ = printable_reason();
    }
    for (std::int64_t* const each : marked) *each = 0;
  }

  /// Calls `undone` for the orders of a list, the last one first, and removes those for which it returns
  /// true.
  template <class List, class Undone>
  void undo_all(List& list, Undone undone) {
    List left;
    for (auto each = list.rbegin(); each != list.rend(); ++each) {
      if (each->unconfirmed > 0 || !undone(*each)) left.push_back(*each);
    }
    is_changed_ = is_changed_ || !list.empty();
    std::reverse(left.begin(), left.end());
    list = std::move(left);
  }

  /// Whether the order must stay because mark() has failed, which is reported.
  template <class Order, class Failure>
  bool is_not_stored(const Order& order, Failure failure) {
    if (not_stored_.empty() || !is_undone_once(order)) return false;
    leave(failure(text_of(*device(order.device))) + not_stored_);
    return true;
  }

  void unload() {
    undo_all(record_.loads, [this](const DeployedLoad& load) { return unloaded(load); });
  }

  bool unloaded(const DeployedLoad& load) {
    const auto failure = [&](const std::string& device) {
      return "file " + load.file + " cannot be unloaded from device " + device + ": ";
    };
    if (is_not_stored(load, failure)) return false;
    return undone_by(load.device, failure, [&](const DeploymentDevice& device, bool& sent) {
             const DeviceObject loader = calls_.device(device.reference, device.is_sca41);
             if (!loader.loads()) return;
             sent = true;
             try {
               loader.unload(load.file);
             } catch (const CF::InvalidFileName&) {  // it is not loaded
             }
           }) != Outcome::failed;
  }

  void deallocate() {
    undo_all(record_.allocations,
             [this](const DeployedAllocation& allocation) { return deallocated(allocation); });
  }

  bool deallocated(const DeployedAllocation& allocation) {
    const auto failure = [](const std::string& device) {
      return "capacities of device " + device + " cannot be given back: ";
    };
    if (is_not_stored(allocation, failure)) return false;
    const bool may_be_repeated = has_allocation_id(allocation.capacities);
    const Outcome outcome =
        undone_by(allocation.device, failure, [&](const DeploymentDevice& device, bool& sent) {
          const DeviceObject object = calls_.device(device.reference, device.is_sca41);
          const CF::Properties amounts = capacities_of(device.candidate, allocation.capacities);
          if (!object.has_capacities()) return;
          sent = !may_be_repeated;
          object.deallocate(amounts);
        });
    return outcome != Outcome::failed;
  }

  Application& record_;
  DeploymentDomain& domain_;
  const LimitedCalls& calls_;
  std::map<std::string, DeploymentDevice> devices_;  // that are registered
  std::set<std::string> started_again_;
  std::string not_stored_;   // why mark() has failed
  bool is_changed_ = false;  // loads or allocations, which are to be stored
  std::mutex mutex_;
  std::set<std::string> silent_;  // mutex_: ids of devices
  DeviceUndoResult result_;       // mutex_
};

}  // namespace

DeviceUndoResult undo_on_devices(Application& record, DeploymentDomain& domain, const LimitedCalls& calls) {
  return DeviceUndo(record, domain, calls).run();
}

}  // namespace orbweaver::sca
