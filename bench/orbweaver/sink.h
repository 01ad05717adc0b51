// The servant in the IDL to C++11 mapping: sequences of plain data are passed as views.
#pragma once

#include <atomic>

#include "bench/harness/payload.h"
#include "benchS.h"

namespace orbweaver::bench {

inline double sum(span<const std::uint8_t> data) { return read_in_full(data.data(), data.size()); }
inline double sum(span<const std::int16_t> data) { return read_numbers_in_full(data.data(), data.size()); }
inline double sum(span<const std::int32_t> data) { return read_numbers_in_full(data.data(), data.size()); }
inline double sum(span<const std::int64_t> data) { return read_numbers_in_full(data.data(), data.size()); }
inline double sum(span<const float> data) { return read_numbers_in_full(data.data(), data.size()); }
inline double sum(span<const double> data) { return read_in_full(data.data(), data.size()); }
inline double sum(const ::Bench::Strings& data) {
  double total = 0;
  for (const std::string& text : data) total += read_in_full_string(text.data(), text.size());
  return total;
}
inline double sum(span<const ::Bench::Sample> data) {
  std::int64_t total = 0;
  for (const ::Bench::Sample& sample : data) total += sample.i() + sample.q();
  return static_cast<double>(total);
}
/// The sum of the doubles in the Any.
inline double sum(const CORBA::Any& data) {
  ::Bench::Doubles doubles;
  return (data >>= doubles) ? sum(span<const double>(doubles)) : 0;
}

class OrbweaverSink final : public virtual CORBA::servant_traits<::Bench::Sink>::base_type {
 public:
  void take_nothing() override { add(1); }
  void take_octets(span<const std::uint8_t> data) override { add(sum(data)); }
  void take_shorts(span<const std::int16_t> data) override { add(sum(data)); }
  void take_longs(span<const std::int32_t> data) override { add(sum(data)); }
  void take_long_longs(span<const std::int64_t> data) override { add(sum(data)); }
  void take_floats(span<const float> data) override { add(sum(data)); }
  void take_doubles(span<const double> data) override { add(sum(data)); }
  void take_strings(const ::Bench::Strings& data) override { add(sum(data)); }
  void take_samples(span<const ::Bench::Sample> data) override { add(sum(data)); }
  void take_any(const CORBA::Any& data) override { add(sum(data)); }

  void push_nothing() override { add(1); }
  void push_octets(span<const std::uint8_t> data) override { add(sum(data)); }
  void push_shorts(span<const std::int16_t> data) override { add(sum(data)); }
  void push_longs(span<const std::int32_t> data) override { add(sum(data)); }
  void push_long_longs(span<const std::int64_t> data) override { add(sum(data)); }
  void push_floats(span<const float> data) override { add(sum(data)); }
  void push_doubles(span<const double> data) override { add(sum(data)); }
  void push_strings(const ::Bench::Strings& data) override { add(sum(data)); }
  void push_samples(span<const ::Bench::Sample> data) override { add(sum(data)); }
  void push_any(const CORBA::Any& data) override { add(sum(data)); }

  double total() override { return total_.load(std::memory_order_acquire); }

 private:
  /// One thread writes and others may read, so no atomic read-modify-write is needed.
  void add(double more) {
    total_.store(total_.load(std::memory_order_relaxed) + more, std::memory_order_release);
  }
  std::atomic<double> total_ = 0;
};

}  // namespace orbweaver::bench
