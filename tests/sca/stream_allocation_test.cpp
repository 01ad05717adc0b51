// Allocations of a stream in steady state, counted by replacing operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include <orbweaver/sca/component.h>
#include <orbweaver/sca/direct_connection.h>

namespace {
std::atomic<std::size_t> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace orbweaver::sca {
namespace {

/// A component with both ends of a stream. It is not started: the test sends and takes the packets itself.
class Loop : public Component {
 public:
  explicit Loop(Context& context) : Component(context) { connect_directly<float>(out, in, "c1"); }
  ~Loop() override { shut_down(); }
  /// Sends and receives packets; returns the number of allocations.
  std::size_t allocations_of(int packets) {
    const std::size_t before = allocations.load();
    for (int i = 0; i < packets; ++i) {
      out.push(samples_);
      while (in.process_packet()) {
      }
    }
    return allocations.load() - before;
  }

  Output<float> out{*this, "out"};
  Input<float> in{*this, "in", [this](const Packet<float>& packet) {
                    named_ += packet.metadata != nullptr && packet.metadata->name == "fm" ? 1 : 0;
                  }};
  int named() const { return named_; }

 private:
  const std::vector<float> samples_ = std::vector<float>(160);
  int named_ = 0;
};

TEST(StreamAllocations, AreNoneWithoutMetadata) {
  Context context;
  Loop loop(context);
  EXPECT_GT(loop.allocations_of(100), 0u) << "the counter counts";
  EXPECT_EQ(loop.allocations_of(1000), 0u);
  EXPECT_EQ(loop.named(), 0);
}

TEST(StreamAllocations, AreNoneForPacketsAfterTheMetadata) {
  Context context;
  Loop loop(context);
  loop.out.set_metadata({"fm", UtcTime{1700, 0}, {{"CHAN_RF", 101.5e6}}});
  EXPECT_GT(loop.allocations_of(100), 0u);
  EXPECT_EQ(loop.allocations_of(1000), 0u);
  EXPECT_EQ(loop.named(), 1100);
}

}  // namespace
}  // namespace orbweaver::sca
