// The servant in omniORB's C++ mapping.
#pragma once

#include "bench.hh"
#include "bench/harness/payload.h"

namespace orbweaver::bench {

class OmniOrbSink final : public POA_Bench::Sink {
 public:
  void take_nothing() override { total_ += 1; }
  void take_octets(const ::Bench::Octets& data) override { read(data); }
  void take_shorts(const ::Bench::Shorts& data) override { read(data); }
  void take_longs(const ::Bench::Longs& data) override { read(data); }
  void take_long_longs(const ::Bench::LongLongs& data) override { read(data); }
  void take_floats(const ::Bench::Floats& data) override { read(data); }
  void take_doubles(const ::Bench::Doubles& data) override { read(data); }
  void take_strings(const ::Bench::Strings& data) override { read(data); }
  void take_samples(const ::Bench::Samples& data) override { read(data); }
  void take_any(const CORBA::Any& data) override { read(data); }

  void push_nothing() override { total_ += 1; }
  void push_octets(const ::Bench::Octets& data) override { read(data); }
  void push_shorts(const ::Bench::Shorts& data) override { read(data); }
  void push_longs(const ::Bench::Longs& data) override { read(data); }
  void push_long_longs(const ::Bench::LongLongs& data) override { read(data); }
  void push_floats(const ::Bench::Floats& data) override { read(data); }
  void push_doubles(const ::Bench::Doubles& data) override { read(data); }
  void push_strings(const ::Bench::Strings& data) override { read(data); }
  void push_samples(const ::Bench::Samples& data) override { read(data); }
  void push_any(const CORBA::Any& data) override { read(data); }

  CORBA::Double total() override { return total_; }

  static double sum(const ::Bench::Octets& data) { return read_in_full(data.get_buffer(), data.length()); }
  static double sum(const ::Bench::Shorts& data) {
    return read_numbers_in_full(data.get_buffer(), data.length());
  }
  static double sum(const ::Bench::Longs& data) {
    return read_numbers_in_full(data.get_buffer(), data.length());
  }
  static double sum(const ::Bench::LongLongs& data) {
    return read_numbers_in_full(data.get_buffer(), data.length());
  }
  static double sum(const ::Bench::Floats& data) {
    return read_numbers_in_full(data.get_buffer(), data.length());
  }
  static double sum(const ::Bench::Doubles& data) { return read_in_full(data.get_buffer(), data.length()); }
  static double sum(const ::Bench::Samples& data) {
    return read_in_full_structs(data.get_buffer(), data.length());
  }
  static double sum(const ::Bench::Strings& data) {
    double sum = 0;
    for (CORBA::ULong i = 0; i < data.length(); ++i) {
      const char* text = data[i];
      sum += read_in_full_string(text, std::strlen(text));
    }
    return sum;
  }

  static double sum(const CORBA::Any& data) {
    const ::Bench::Doubles* doubles = nullptr;
    return (data >>= doubles) ? sum(*doubles) : 0;
  }

 private:
  template <class Sequence>
  void read(const Sequence& data) {
    total_ += sum(data);
  }
  // Not synchronised: there is one caller on one connection, served by one thread at a time.
  double total_ = 0;
};

}  // namespace orbweaver::bench
