#pragma once

#include <atomic>
#include <string>

namespace orbweaver::sca {

class Component;

/// A figure that a component keeps and `orbweaver run` shows: a member of it.
///
///   Counter bit_errors_{*this, "bit_errors"};
///   bit_errors_ += errors;
///
/// Any thread.
class Counter {
 public:
  Counter(Component& owner, std::string name);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  Counter& operator+=(double amount) {
    value_.fetch_add(amount, std::memory_order_relaxed);  // a figure for people: no order is needed
    return *this;
  }
  Counter& operator++() { return *this += 1; }
  void set(double value) { value_.store(value, std::memory_order_relaxed); }

  const std::string& name() const { return name_; }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::string name_;
  std::atomic<double> value_{0};
};

}  // namespace orbweaver::sca
