#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "platform/poll_set.h"
#include "platform/socket.h"

namespace orbweaver::orb {

/// Something that becomes ready: an endpoint with a peer at its door, a connection with requests.
class Source {
 public:
  virtual ~Source() = default;

  enum class After : std::uint8_t {
    armed,   ///< Nothing left to do; the descriptor tells when there is.
    again,   ///< There is more: another turn, after those of others.
    parked,  ///< Not before `resume`.
    ended,   ///< Nothing any more: it is removed and destroyed.
  };
  /// Readable when a turn is due. The same at every call; asked for once before the first turn.
  virtual int descriptor() noexcept = 0;
  /// Does what there is to do, without waiting. One thread at a time.
  virtual After turn() noexcept = 0;

  /// The ORB shuts down: no further turn will begin anything. Any thread, during a turn as well.
  /// What that has to tell a peer is told until `patience`.
  virtual void close_in_order(platform::Deadline patience) noexcept = 0;
  /// Later, when no turn is under way: at `patience` it must not be waited for any longer.
  virtual void give_up(platform::Deadline patience) noexcept = 0;
  /// After `close_in_order`, again and again while turns are under way: a turn that waits for a peer which
  /// takes nothing for a while is ended. Any one thread.
  virtual void end_if_stuck() noexcept {}

 private:
  friend class Reactor;
  enum class State : std::uint8_t { waiting, queued, running, parked };
  std::uint64_t id_ = 0;
  State state_ = State::queued;
  bool resumed_ = false;  // during its turn
  Source* next_queued_ = nullptr;
};

/// All endpoints and connections of an ORB whose threads do not belong to connections (-ORBThreads single, pool:N):
/// waits at their descriptors, and gives each its turn. A source has one turn at a time, whichever thread gives
/// it: so requests of a connection are served in order. Thread-safe.
///
/// The threads that call `step` are leader and followers by the kernel's doing: all wait in the same epoll set,
/// which wakes the one that came last, whose caches are the warmest, and while that one serves the next leads.
class Reactor {
 public:
  Reactor();
  ~Reactor();

  /// False where the process has no descriptors left, or the source has none.
  bool add(std::shared_ptr<Source> source);
  /// Ends a parking; during a turn that is about to park, too. Any thread, also one that has no part in this.
  void resume(Source& source);
  void resume_all();

  /// One turn of one source. False at the deadline, or once `stop` was called.
  bool step(platform::Deadline deadline);
  /// The two halves of a step: whose turn it is, which the caller now has to `run`. Null where step is false.
  Source* next(platform::Deadline deadline);
  void run(Source& source);
  /// Readable while `step` has something to do, and when the ORB shuts down.
  const platform::Fd& fd() const noexcept { return set_.fd(); }
  bool has_work() noexcept;

  /// No further turn begins: wakes all threads out of `step`, for good.
  void wake();
  bool stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }
  /// Tells all sources, too; peers that do not take it are not waited for beyond `patience`.
  void stop(platform::Deadline patience);
  /// After `stop`: Source::end_if_stuck of all.
  void end_stuck();
  /// Returns when no turn is under way, and has destroyed all sources. After `stop`.
  void finish();

  // Of a single-threaded ORB: the thread that serves is the one that made the ORB, until another one calls
  // `run` or `perform_work`.
  void set_single() noexcept { single_ = true; }
  bool single() const noexcept { return single_; }
  /// One step at most in this thread, waiting until `deadline`; makes it the one that serves. Nothing while another
  /// one is at it. For perform_work; `run` steps until the end, and returns false where another one is at it.
  void work(platform::Deadline deadline);
  bool run();
  /// Must this thread, which is about to wait, serve meanwhile? Otherwise nobody does. False deep inside of turns
  /// that wait for turns: what comes then waits until some of them have ended.
  bool serves_here() const noexcept {
    return single_ && owner_.load(std::memory_order_relaxed) == std::this_thread::get_id() &&
           depth_.load(std::memory_order_relaxed) < kDeepest && !stopping();
  }
  /// Waits for at most that time, and serves what comes. Where `serves_here`.
  void serve_while_waiting(platform::Deadline deadline);

 private:
  Source* take(std::uint64_t tag);
  void finish_turn(Source& source, Source::After after);
  void queue(Source& source);  // with the lock held
  /// Begins to serve in this thread: as the owner, or, where it may, as the new one.
  enum class AsOwner : bool { only, or_new };
  bool enter(AsOwner how);
  void leave();

  platform::PollSet set_;
  platform::WakeUp more_;  // readable while somebody is queued
  platform::WakeUp stop_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::thread::id> owner_;
  bool single_ = false;
  static constexpr int kDeepest = 100;  // each has its frames on the stack
  std::atomic<int> depth_{0};           // how often the owner has entered

  std::mutex mutex_;  // guards the rest, and what sources keep for this
  std::map<std::uint64_t, std::shared_ptr<Source>> sources_;
  // Those that are queued, linked so that a turn which ends needs no memory.
  Source* first_queued_ = nullptr;
  Source* last_queued_ = nullptr;
  std::uint64_t last_id_ = 0;
  std::size_t turns_ = 0;  // under way
  std::condition_variable ended_;
};

}  // namespace orbweaver::orb
