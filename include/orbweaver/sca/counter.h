#pragma once

#include <atomic>
#include <string>

namespace orbweaver::sca {

class Component;

/// Named number that a component maintains and `orbweaver run` shows: a member of the component.
///
///     Counter bit_errors_{*this, "bit_errors"};
///     bit_errors_ += errors;
///
/// Any thread.
class Counter {
 public:
  /// `owner` must outlive the counter.
  Counter(Component& owner, std::string name);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  /// Adds `amount`.
  Counter& operator+=(double amount) {
    value_.fetch_add(amount, std::memory_order_relaxed);  // for display: no order is needed
    return *this;
  }
  /// Adds 1.
  Counter& operator++() { return *this += 1; }
  /// Replaces the value.
  void set(double value) { value_.store(value, std::memory_order_relaxed); }

  /// Name, unique in the component.
  const std::string& name() const { return name_; }
  /// Present value.
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::string name_;
  std::atomic<double> value_{0};
};

}  // namespace orbweaver::sca
