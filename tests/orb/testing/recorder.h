#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "orderS.h"

namespace orbtest {

/// A servant that records the numbers of its calls. Thread-safe.
class Recorder final : public virtual CORBA::servant_traits<OrderTest::Recorder>::base_type {
 public:
  using Numbers = std::vector<std::int32_t>;

  void record(std::int32_t n, const OrderTest::Octets&) override { add(n); }
  std::int32_t record_and_count(std::int32_t n) override { return add(n); }
  Numbers numbers() {
    const std::lock_guard lock(mutex_);
    return numbers_;
  }

 private:
  std::int32_t add(std::int32_t n) {
    const std::lock_guard lock(mutex_);
    numbers_.push_back(n);
    return static_cast<std::int32_t>(numbers_.size());
  }

  std::mutex mutex_;
  Numbers numbers_;
};

}  // namespace orbtest
