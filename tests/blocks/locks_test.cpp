// Mutexes that a call with a block locks in the calling thread. pthread_mutex_lock is interposed to count
// them.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

#include "platform/socket.h"
#include "testing.h"
#include "transport/blocks/block_transfer.h"

namespace {
thread_local std::size_t locks = 0;
thread_local bool counting = false;
}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static std::atomic<Lock> next{nullptr};
  Lock lock = next.load(std::memory_order_relaxed);
  if (lock == nullptr) {
    lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    next.store(lock, std::memory_order_relaxed);
  }
  if (counting) ++locks;
  return lock(mutex);
}

namespace blocktest {
namespace {

/// The number of mutexes that this thread locks in `times` calls of `call`, after 2 * `times` calls to warm
/// up.
template <class Call>
std::size_t locks_of(std::size_t times, Call&& call) {
  for (std::size_t i = 0; i < 2 * times; ++i) call();
  locks = 0;
  counting = true;
  for (std::size_t i = 0; i < times; ++i) call();
  counting = false;
  return locks;
}

TEST_F(BlockCalls, LocksOnlyTheRegionForALoan) {
  StageProcess process;
  const StageRef stage = at(process);
  const std::size_t locks = locks_of(100, [&] { stage->push(orbweaver::loan<double>(4096).view()); });
  EXPECT_GE(locks, 100u);
  // One for each loan. When the receiver is slower than usual, a loan needs another block of the pool.
  EXPECT_LT(locks, 150u);
}

TEST_F(BlockCalls, LocksNothingForACopiedView) {
  StageProcess process;
  const StageRef stage = at(process);
  const auto block = filled(1);  // creates the pool
  const std::vector<double> ordinary(4096, 1.0);
  EXPECT_EQ(locks_of(100, [&] { stage->push(ordinary); }), 0u);
}

TEST(BlockLocks, LocksNothingWhenImporting) {
  namespace platform = orbweaver::platform;
  platform::SocketPair sockets = platform::make_socket_pair();
  orbweaver::transport::blocks::BlockExporter exporter(sockets.first);
  orbweaver::transport::blocks::BlockImporter importer(sockets.second);
  const auto block = orbweaver::loan<double>(1024);
  orbweaver::BlockDescription d;
  std::size_t at_receiver = 0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(exporter.export_block(block.view().data(), 8192, d));
    exporter.sent();
    locks = 0;
    counting = i >= 100;
    const auto* seen = static_cast<const double*>(importer.import_block(d, 8192, 8));
    {
      const auto held = orbweaver::hold(orbweaver::span<const double>(seen, 1024));
      importer.release();
    }
    counting = false;
    if (i >= 100) at_receiver += locks;
  }
  EXPECT_EQ(at_receiver, 0u);
}

}  // namespace
}  // namespace blocktest
