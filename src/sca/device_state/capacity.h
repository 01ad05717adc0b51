#pragma once

#include <orbweaver/result.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace orbweaver::sca {

/// Property of a device that takes an identifier of each allocation: a string among the capacities of
/// allocateCapacity() and deallocateCapacity(). The allocation of an identifier is returned at most once.
inline constexpr const char* kAllocationId = "allocation_id";

/// How much of a device is in use (CF::Device::UsageType, SCA 2.2.2 3.1.3.3.1.4.3).
enum class UsageState {
  idle,    ///< Nothing is allocated.
  active,  ///< Something is allocated, and some capacity is left.
  busy,    ///< No capacity is left.
};

/// An amount of one capacity of a device.
struct Amount {
  std::string id;
  double amount = 0;
};

/// The account of a device's capacities: what is there, what is allocated. Not thread-safe.
class CapacityAccount {
 public:
  /// Adds a capacity; `total` is finite and not negative, and `id` is new.
  void add(const std::string& id, double total);

  /// Allocates all amounts, or none. Amounts of the same capacity add up. Fails with ErrorKind::invalid if
  /// the device has no such capacity or an amount is negative or not finite, and with ErrorKind::unavailable
  /// if less is left ("512 of memory_mb, of which 256 are left").
  Result<void> allocate(const std::vector<Amount>& amounts);
  /// Gives all amounts back, or none. Fails with ErrorKind::invalid as allocate() does, and if more is given
  /// back than is allocated.
  Result<void> deallocate(const std::vector<Amount>& amounts);

  bool has(const std::string& id) const { return capacities_.contains(id); }
  /// The ids of all capacities, in their order.
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const auto& [id, capacity] : capacities_) all.push_back(id);
    return all;
  }
  /// What is left of a capacity that the device has.
  double left(const std::string& id) const { return capacities_.at(id).left(); }
  UsageState usage() const;

 private:
  struct Capacity {
    double total = 0;
    double allocated = 0;
    double left() const { return allocated < total ? total - allocated : 0; }
  };

  /// Adds up the amounts of each capacity.
  Result<std::map<std::string, double>> sums(const std::vector<Amount>& amounts) const;

  std::map<std::string, Capacity> capacities_;
};

}  // namespace orbweaver::sca
