// A component that sends one packet when it is started, for `orbweaver bench scale`. The receiver of a
// component's first packet prints the time of its arrival in nanoseconds of CLOCK_MONOTONIC.
#include <orbweaver/sca/component.h>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using namespace orbweaver::sca;

class First : public Component {
 public:
  using Component::Component;
  ~First() override { shut_down(); }

 private:
  void on_start() override { out_.push(std::vector<float>(512)); }
  void arrived() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    std::printf("first %lld\n",
                static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
    std::fflush(stdout);
  }

  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in", [this](const auto&) { arrived(); }};
};

}  // namespace

ORBWEAVER_COMPONENT(First)
