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
    // The last registration may have been dropped in a call of this very thread's making: see let_go.
    if (is_here()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  std::uint64_t add(int socket, std::function<void()> gone, std::function<void()> readable) {
    if (!thread_.joinable()) return 0;
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++last_id_;
    Watched watched{socket, std::move(gone), std::move(readable)};
    if (!wait_for(EPOLL_CTL_ADD, id, watched)) return 0;
    watched_.emplace(id, std::move(watched));
    return id;
  }

  void remove(int socket, std::uint64_t id) {
    std::unique_lock lock(mutex_);
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
    watched_.erase(id);
    if (!is_here()) idle_.wait(lock, [&] { return running_ != id; });
  }
  /// A registration's share. In a call it is dropped only after the call, which still needs this object.
  static void let_go(std::shared_ptr<Watcher> watcher) noexcept {
    Watcher& it = *watcher;
    if (it.is_here()) it.dropped_ = std::move(watcher);
  }

 private:
  bool is_here() const noexcept { return thread_.get_id() == std::this_thread::get_id(); }
  void loop() {
    name_this_thread("ow-hangup");
    for (;;) {
      epoll_event events[16];
      const int n = epoll_wait(epoll_.get(), events, 16, -1);
      for (int i = 0; i < n; ++i) {
        if (events[i].data.u64 == 0) return;
        if (!call(events[i].data.u64, events[i].events)) return;
      }
    }
  }

  struct Watched {
    int socket;
    std::function<void()> gone, readable;
  };
  /// For one event: the next is asked for when this one has been dealt with.
  bool wait_for(int how, std::uint64_t id, const Watched& watched) noexcept {
    epoll_event event{};
    event.events = EPOLLRDHUP | EPOLLONESHOT;  // EPOLLHUP and EPOLLERR come unasked
    if (watched.readable) event.events |= EPOLLIN;
    event.data.u64 = id;
    return epoll_ctl(epoll_.get(), how, watched.socket, &event) == 0;
  }

  /// False: the last registration went in the call, and this object with it.
  bool call(std::uint64_t id, std::uint32_t events) {
    const bool is_end = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    std::function<void()> callback;
    {
      const std::lock_guard lock(mutex_);
      const auto found = watched_.find(id);
      if (found == watched_.end()) return true;
      if (is_end) {
        callback = std::move(found->second.gone);
        watched_.erase(found);
      } else {
        callback = found->second.readable;
      }
      running_ = id;
    }
    callback();
    callback = nullptr;  // with what it holds, while this is called running
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = watched_.find(id); found != watched_.end()) wait_for(EPOLL_CTL_MOD, id, found->second);
      running_ = 0;
      idle_.notify_all();
    }
    if (dropped_ == nullptr) return true;
    std::shared_ptr<Watcher> dropped = std::move(dropped_);
    const std::weak_ptr<Watcher> still = dropped;
    dropped.reset();
    return !still.expired();
  }

  Fd epoll_;
  WakeUp stop_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::map<std::uint64_t, Watched> watched_;
  std::uint64_t last_id_ = 0;
  std::uint64_t running_ = 0;  // whose callback is being called
  std::shared_ptr<Watcher> dropped_;  // the thread's: see let_go
  std::thread thread_;
};

std::shared_ptr<HangupWatch::Watcher> HangupWatch::watcher() {
  static std::mutex mutex;
  // Never destroyed: threads of an ORB may still use it while the program ends.
  static auto& current = *new std::weak_ptr<Watcher>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Watcher> watcher = current.lock();
  if (!watcher) {
    watcher = std::make_shared<Watcher>();
    current = watcher;
  }
  return watcher;
}

HangupWatch::HangupWatch(const Fd& socket, std::function<void()> gone, std::function<void()> readable)
    : watcher_(watcher()),
      socket_(socket.get()),
      id_(watcher_->add(socket.get(), std::move(gone), std::move(readable))) {}

HangupWatch::~HangupWatch() {
  if (id_ != 0) watcher_->remove(socket_, id_);
  Watcher::let_go(std::move(watcher_));
}

}  // namespace orbweaver::platform
