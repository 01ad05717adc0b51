#include "platform/line_writer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>

#include "platform/thread.h"

namespace orbweaver::platform {
namespace {

/// A pipe that is ready takes as many octets without waiting (POSIX: PIPE_BUF), unless another process writes
/// to it, too.
constexpr std::size_t kPieceBytes = 4096;
/// How often a thread that waits for the reader checks whether its lines are still wanted.
constexpr int kCheckMs = 100;

/// Starts a thread that receives no signals but those of its own faults: signals of the process are for
/// threads that wait for them, also for a TerminationSignals that is constructed later. A reader that has
/// ended raises none.
template <class Run>
std::thread start_without_signals(Run run) {
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

/// What the writers and the thread share: the thread may outlive the LineWriter.
struct LineWriter::Queue {
  explicit Queue(int to) : descriptor(to) {}

  void add(std::string line) {
    const std::lock_guard lock(mutex);
    if (has_failed) return;
    const bool has_space =
        dropped == 0 ? bytes + line.size() < kMaxWaitingBytes : bytes < kMaxWaitingBytes / 2;
    if (!has_space) {
      ++dropped;
      return;
    }
    report_dropped();
    push(std::move(line));
    changed.notify_all();
  }
  /// Waits for a line; false at the end.
  bool take(std::string& line) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !lines.empty() || dropped != 0 || stop; });
    if (is_abandoned || has_failed) return false;
    if (lines.empty()) report_dropped();
    if (lines.empty()) return false;
    line = std::move(lines.front());
    lines.pop_front();
    bytes -= line.size();
    return true;
  }
  bool abandoned() {
    const std::lock_guard lock(mutex);
    return is_abandoned;
  }
  /// False if the line cannot be written.
  bool write(std::string_view text) {
    while (!text.empty()) {
      pollfd ready{descriptor, POLLOUT, 0};
      if (poll(&ready, 1, kCheckMs) <= 0) {
        if (abandoned()) return false;
        continue;
      }
      const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kPieceBytes));
      if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  void serve() {
    name_this_thread("ow-lines");
    bool fails = false;
    for (std::string line; !fails && take(line);) fails = !write(line);
    const std::lock_guard lock(mutex);
    has_failed = fails;
    lines.clear();
    is_done = true;
    changed.notify_all();
  }

  const int descriptor;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> lines;
  std::size_t bytes = 0;    // of lines
  std::size_t dropped = 0;  // lines, since the last report
  bool stop = false, is_abandoned = false, has_failed = false, is_done = false;

 private:
  // With the lock.
  void push(std::string line) {
    line += '\n';
    bytes += line.size();
    lines.push_back(std::move(line));
  }
  void report_dropped() {
    if (dropped != 0) push("… " + std::to_string(std::exchange(dropped, 0)) + " lines were not read in time");
  }
};

LineWriter::LineWriter(int descriptor, int last_ms)
    : last_ms_(last_ms), queue_(std::make_shared<Queue>(descriptor)),
      thread_(start_without_signals([queue = queue_] { queue->serve(); })) {}

LineWriter::~LineWriter() {
  std::unique_lock lock(queue_->mutex);
  queue_->stop = true;
  queue_->changed.notify_all();
  const bool done =
      queue_->changed.wait_for(lock, std::chrono::milliseconds(last_ms_), [&] { return queue_->is_done; });
  queue_->is_abandoned = true;
  lock.unlock();
  done ? thread_.join() : thread_.detach();
}

void LineWriter::write(std::string line) { queue_->add(std::move(line)); }

}  // namespace orbweaver::platform
