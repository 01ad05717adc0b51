#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sca/device_state/capacity.h"

namespace orbweaver::sca {

/// Administrative state of a device (CF::Device::AdminType, SCA 2.2.2 3.1.3.3.1.4.1).
enum class AdminState {
  locked,         ///< Not in use, and cannot be used.
  shutting_down,  ///< In use by those who use it already.
  unlocked,
};

/// A change of one of the three states of a device, for events. Names as in StandardEvent::StateChangeType.
struct DeviceStateChange {
  enum class Category { administrative, operational, usage };
  Category category = Category::usage;
  std::string from, to;  ///< "UNLOCKED"
};

/// States and capacities of a device (SCA 2.2.2 3.1.3.3.1). Thread-safe.
///
/// The device is in use as long as capacities are allocated, files are loaded or processes run (`use`): then
/// its usage state is not idle, and a device that is shutting down is not locked yet.
class DeviceCore {
 public:
  /// `observer` is called after each change of a state, in the order of the changes, by the thread that makes
  /// them; it must not call the device.
  using Observer = std::function<void(const DeviceStateChange&)>;
  explicit DeviceCore(Observer observer) : observer_(std::move(observer)) {}

  /// Adds a capacity, before the device is used.
  void add_capacity(const std::string& id, double total);

  AdminState admin() const;
  UsageState usage() const;
  bool enabled() const;
  bool has_capacity(const std::string& id) const;
  /// The ids of all capacities.
  std::vector<std::string> capacities() const;
  /// What is left of a capacity that the device has.
  double left(const std::string& id) const;

  /// Commands the administrative state: `locked` of an unlocked device shuts it down, and locks it as soon as
  /// it is idle; `unlocked` unlocks it. Other commands have no effect. Whether the state was another one.
  bool command(AdminState state);
  /// As command(AdminState::locked), but the device is not locked before parts_locked(), too, has been
  /// called: its parts have to be locked first.
  bool command_lock_with_parts();
  /// The number of the command_lock_with_parts() whose parts are not locked yet; 0: there is none.
  std::uint64_t awaited_parts() const;
  /// The parts of that command are locked. No effect if the device does not wait for them any more.
  void parts_locked(std::uint64_t command);
  /// Sets the operational state.
  void set_enabled(bool enabled);

  /// Why the device cannot be used anew ("the device is LOCKED"); empty if it can.
  std::string closed() const;
  /// Why the device cannot even give back what is in use; empty if it can. A device that is shutting down
  /// can.
  std::string locked() const;

  /// Limit of allocations with an id.
  static constexpr std::size_t kMaxAllocations = 100'000;

  /// Allocates all amounts, or none. `id` names the allocation, unless it is empty. Errors: as
  /// CapacityAccount::allocate(), also for an id that is in use; unavailable above the limit; transient if
  /// closed().
  Result<void> allocate(const std::vector<Amount>& amounts, const std::string& id = {});
  /// With an `id`, gives back what has been allocated under it, whatever `amounts` are; no effect if there is
  /// no such allocation, because it has been given back or was made by an earlier process. Returns what has
  /// been given back. Errors: as CapacityAccount::deallocate(); transient if locked().
  Result<std::vector<Amount>> deallocate(const std::vector<Amount>& amounts, const std::string& id = {});

  /// The sums of what is allocated with ids that begin with this text.
  std::map<std::string, double> allocated(const std::string& id_prefix) const;

  /// Counts a file or process that uses the device. False, and no effect, if closed().
  bool begin_use();
  void end_use();
  /// Locks the device for good, whatever uses it: the end of its life.
  void lock();

 private:
  using Changes = std::vector<DeviceStateChange>;

  bool command_admin(AdminState state, bool with_parts);
  UsageState usage_locked() const;
  std::string closed_locked() const;
  std::string locked_locked() const;
  void set_admin(AdminState state, Changes& changes);
  /// Notes a change of the usage state, and locks a device that is shutting down and idle.
  void update(Changes& changes);
  void notify(std::unique_lock<std::mutex>& lock, Changes changes);

  const Observer observer_;
  mutable std::mutex mutex_;  // held for the members below, never while the observer runs
  CapacityAccount account_;
  std::map<std::string, std::vector<Amount>> allocations_;  // by id, those that have one
  AdminState admin_ = AdminState::unlocked;
  UsageState last_usage_ = UsageState::idle;
  bool enabled_ = true;
  bool ended_ = false;
  std::uint64_t lock_commands_ = 0;  // number of those with parts
  bool awaits_parts_ = false;        // of the last one
  std::size_t uses_ = 0;
  std::vector<DeviceStateChange> pending_;  // changes that the observer has not been told
  bool notifying_ = false;                  // a thread is telling them
};

/// "LOCKED", "SHUTTING_DOWN", "UNLOCKED"
const char* name_of(AdminState state);
/// "IDLE", "ACTIVE", "BUSY"
const char* name_of(UsageState state);

}  // namespace orbweaver::sca
