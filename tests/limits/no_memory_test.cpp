// Memory that runs out in a thread of the ORB's own costs a TCP connection, not the process.
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>

#include "serving.h"

namespace {
/// The allocation that fails, counted down in threads whose name begins so; 0: none does.
std::atomic<int> fails_in{0};
const char* thread_name = "";

bool fails() noexcept {
  if (fails_in.load(std::memory_order_relaxed) == 0) return false;
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return std::strncmp(name, thread_name, std::strlen(thread_name)) == 0 && fails_in.fetch_sub(1) == 1;
}
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const block = fails() ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace orbtest {
namespace {

struct Case {
  const char* name;
  const char* mode;
  const char* thread;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class NoMemory : public ::testing::TestWithParam<Case> {};

TEST_P(NoMemory, CostsNoMoreThanAConnection) {
  Serving server(GetParam().mode, {"-ORBLog", "off"});
  thread_name = GetParam().thread;
  for (int nth = 1; nth <= 40; ++nth) {
    {
      RawPeer peer = server.raw();
      fails_in = nth;
      peer.sends(request(1, server.there().key, "greet").text("you").bytes());
      static_cast<void>(peer.receives());  // an answer, or the end
      RawPeer another = server.raw();
      another.sends(request(1, server.there().key, "greet").text("you").bytes());
      static_cast<void>(another.receives());
      fails_in = 0;
    }
    RawPeer after = server.raw();
    after.sends(request(1, server.there().key, "_get_value").bytes());
    EXPECT_TRUE(after.receives()) << nth;
  }
}

INSTANTIATE_TEST_SUITE_P(In, NoMemory,
                         ::testing::Values(Case{"AcceptingThread", "connection", "ow-accept"},
                                           Case{"ServingThread", "connection", "ow-serve"},
                                           Case{"ThreadOfThePool", "pool:2", "ow-pool"}),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace orbtest
