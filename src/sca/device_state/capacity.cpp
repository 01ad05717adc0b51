#include "sca/device_state/capacity.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

namespace orbweaver::sca {
namespace {

// Sums of fractions, such as ten times 0.1, differ from the exact value by a few units of the last place.
constexpr double kRounding = 1e-9;

std::string text(double number) {
  char digits[64];
  constexpr double kManyDigits = 1e15;
  const auto written = std::abs(number) < kManyDigits
                           ? std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed)
                           : std::to_chars(digits, digits + sizeof digits, number);
  return {digits, written.ptr};
}

}  // namespace

void CapacityAccount::add(const std::string& id, double total) {
  assert(!has(id) && std::isfinite(total) && total >= 0);
  capacities_[id] = {total, 0};
}

Result<std::map<std::string, double>> CapacityAccount::sums(const std::vector<Amount>& amounts) const {
  std::map<std::string, double> sums;
  for (const Amount& amount : amounts) {
    if (!has(amount.id)) return Error{ErrorKind::invalid, "the device has no capacity '" + amount.id + "'"};
    if (!std::isfinite(amount.amount) || amount.amount < 0) {
      return Error{ErrorKind::invalid, text(amount.amount) + " of " + amount.id + " cannot be allocated"};
    }
    sums[amount.id] += amount.amount;
  }
  return sums;
}

Result<void> CapacityAccount::allocate(const std::vector<Amount>& amounts) {
  auto wanted = sums(amounts);
  if (!wanted) return wanted.take_error();
  for (const auto& [id, amount] : *wanted) {
    const Capacity& capacity = capacities_[id];
    if (amount > capacity.left() + capacity.total * kRounding) {
      return Error{ErrorKind::unavailable,
                   text(amount) + " of " + id + ", of which " + text(capacity.left()) + " are left"};
    }
  }
  for (const auto& [id, amount] : *wanted) {
    capacities_[id].allocated += amount;  // may exceed the total by rounding
  }
  return {};
}

Result<void> CapacityAccount::deallocate(const std::vector<Amount>& amounts) {
  auto returned = sums(amounts);
  if (!returned) return returned.take_error();
  for (const auto& [id, amount] : *returned) {
    const Capacity& capacity = capacities_[id];
    if (amount > capacity.allocated + capacity.total * kRounding) {
      return Error{ErrorKind::invalid, text(amount) + " of " + id + " is returned, and " +
                                           text(capacity.allocated) + " are allocated"};
    }
  }
  for (const auto& [id, amount] : *returned) {
    Capacity& capacity = capacities_[id];
    capacity.allocated -= amount;
    if (capacity.allocated < capacity.total * kRounding) capacity.allocated = 0;
  }
  return {};
}

UsageState CapacityAccount::usage() const {
  const auto is_used = [](const auto& entry) { return entry.second.allocated > 0; };
  const auto is_left = [](const auto& entry) { return entry.second.left() > entry.second.total * kRounding; };
  if (std::none_of(capacities_.begin(), capacities_.end(), is_used)) return UsageState::idle;
  return std::any_of(capacities_.begin(), capacities_.end(), is_left) ? UsageState::active : UsageState::busy;
}

}  // namespace orbweaver::sca
