#include "platform/hangup_watch.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "platform/socket.h"
#include "platform/thread.h"

namespace orbweaver::platform {

class HangupWatch::Watcher {
 public:
  Watcher() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_ || !stop_.fd()) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = 0;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, stop_.fd().get(), &event) != 0) return;
    try {
      thread_ = std::thread([this] { loop(); });
    } catch (const std::system_error&) {
    }
  }

  ~Watcher() {
    if (!thread_.joinable()) return;
    stop_.notify();
    // The last registration may be dropped by a `gone` of this very thread's making.
    if (thread_.get_id() == std::this_thread::get_id()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  std::uint64_t add(int socket, std::function<void()> gone) {
    if (!thread_.joinable()) return 0;
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++last_id_;
    epoll_event event{};
    event.events = EPOLLRDHUP | EPOLLONESHOT;  // EPOLLHUP and EPOLLERR come unasked
    event.data.u64 = id;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) != 0) return 0;
    callbacks_.emplace(id, std::move(gone));
    return id;
  }

  void remove(int socket, std::uint64_t id) {
    std::unique_lock lock(mutex_);
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
    callbacks_.erase(id);
    if (thread_.get_id() != std::this_thread::get_id()) idle_.wait(lock, [&] { return running_ != id; });
  }

 private:
  void loop() {
    name_this_thread("ow-hangup");
    for (;;) {
      epoll_event events[16];
      const int n = epoll_wait(epoll_.get(), events, 16, -1);
      for (int i = 0; i < n; ++i) {
        if (events[i].data.u64 == 0) return;
        call(events[i].data.u64);
      }
    }
  }

  void call(std::uint64_t id) {
    std::function<void()> gone;
    {
      const std::lock_guard lock(mutex_);
      const auto found = callbacks_.find(id);
      if (found == callbacks_.end()) return;
      gone = std::move(found->second);
      callbacks_.erase(found);
      running_ = id;
    }
    gone();
    const std::lock_guard lock(mutex_);
    running_ = 0;
    idle_.notify_all();
  }

  Fd epoll_;
  WakeUp stop_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::map<std::uint64_t, std::function<void()>> callbacks_;
  std::uint64_t last_id_ = 0;
  std::uint64_t running_ = 0;  // whose callback is being called
  std::thread thread_;
};

std::shared_ptr<HangupWatch::Watcher> HangupWatch::watcher() {
  static std::mutex mutex;
  static std::weak_ptr<Watcher> current;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Watcher> watcher = current.lock();
  if (!watcher) {
    watcher = std::make_shared<Watcher>();
    current = watcher;
  }
  return watcher;
}

HangupWatch::HangupWatch(const Fd& socket, std::function<void()> gone)
    : watcher_(watcher()), socket_(socket.get()), id_(watcher_->add(socket.get(), std::move(gone))) {}

HangupWatch::~HangupWatch() {
  if (id_ != 0) watcher_->remove(socket_, id_);
}

}  // namespace orbweaver::platform
