#pragma once

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca::testing {

/// Passes packets on; fails on demand, by the property `trouble`.
class Filter : public Component {
 public:
  explicit Filter(Context& context) : Component(context) {
    if (trouble_.value() == "construct") throw std::runtime_error("the licence has run out");
    if (trouble_.value() == "construct_int") throw 42;
  }

 protected:
  void initialize() override {
    if (trouble_.value() == "initialize") throw std::runtime_error("the coefficients are missing");
    if (trouble_.value() == "initialize_int") throw 42;
  }
  void on_stop() override {
    if (trouble_.value() == "linger") std::this_thread::sleep_for(std::chrono::hours(1));
  }

 private:
  void pass(const Packet<float>& packet) {
    if (packet.sequence_number == 10) {
      if (trouble_.value() == "abort") std::abort();
      if (trouble_.value() == "crash") std::raise(SIGSEGV);
      if (trouble_.value() == "exit") std::_Exit(7);
      if (trouble_.value() == "throw") throw std::runtime_error("the paper is torn");
      if (trouble_.value() == "throw_int") throw 42;
      if (trouble_.value() == "consequences_first") {  // written as by connections to components that ended
        for (int i = 0; i < 50; ++i)
          std::fprintf(stderr, "connection 'c%d' is broken: OBJECT_NOT_EXIST\n", i);
        throw std::runtime_error("the paper is torn");
      }
    }
    out_.push(packet.samples, packet.sample_rate_hz);
  }

  Property<std::string> trouble_{*this, "trouble", ""};
  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { pass(packet); }};
};

}  // namespace orbweaver::sca::testing
