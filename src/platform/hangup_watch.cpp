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
    // A callback, which runs on this thread, may have destroyed the last registration: see release_watcher.
    if (on_watcher_thread()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  std::uint64_t add(int socket, std::function<void()> on_hangup, std::function<void()> on_readable) {
    if (!thread_.joinable()) return 0;
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++last_id_;
    Registration watched{socket, std::move(on_hangup), std::move(on_readable)};
    if (!wait_for(EPOLL_CTL_ADD, id, watched)) return 0;
    registrations_.emplace(id, std::move(watched));
    return id;
  }

  void remove(int socket, std::uint64_t id) {
    std::unique_lock lock(mutex_);
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
    registrations_.erase(id);
    if (!on_watcher_thread()) callback_done_.wait(lock, [&] { return running_callback_id_ != id; });
  }
  /// Releases a registration's reference to the watcher. In a callback, the reference is kept until the
  /// callback has returned, because `call` still uses the object.
  static void release_watcher(std::shared_ptr<Watcher> watcher) noexcept {
    Watcher& self = *watcher;
    if (self.on_watcher_thread()) self.released_in_callback_ = std::move(watcher);
  }

 private:
  bool on_watcher_thread() const noexcept { return thread_.get_id() == std::this_thread::get_id(); }
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

  struct Registration {
    int socket;
    std::function<void()> on_hangup, on_readable;
  };
  /// Requests one event. It is requested again after the callback has returned.
  bool wait_for(int how, std::uint64_t id, const Registration& watched) noexcept {
    epoll_event event{};
    event.events = EPOLLRDHUP | EPOLLONESHOT;  // EPOLLHUP and EPOLLERR are always reported
    if (watched.on_readable) event.events |= EPOLLIN;
    event.data.u64 = id;
    return epoll_ctl(epoll_.get(), how, watched.socket, &event) == 0;
  }

  /// Runs the callback of a registration. False if the callback destroyed the last registration, and thereby
  /// this object.
  bool call(std::uint64_t id, std::uint32_t events) {
    const bool is_end = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    std::function<void()> callback;
    {
      const std::lock_guard lock(mutex_);
      const auto found = registrations_.find(id);
      if (found == registrations_.end()) return true;
      if (is_end) {
        callback = std::move(found->second.on_hangup);
        registrations_.erase(found);
      } else {
        callback = found->second.on_readable;
      }
      running_callback_id_ = id;
    }
    callback();
    callback = nullptr;  // destroys its captures while remove() still waits for the callback
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = registrations_.find(id); found != registrations_.end())
        wait_for(EPOLL_CTL_MOD, id, found->second);
      running_callback_id_ = 0;
      callback_done_.notify_all();
    }
    if (released_in_callback_ == nullptr) return true;
    std::shared_ptr<Watcher> dropped = std::move(released_in_callback_);
    const std::weak_ptr<Watcher> still = dropped;
    dropped.reset();
    return !still.expired();
  }

  Fd epoll_;
  WakeupFd stop_;
  std::mutex mutex_;
  std::condition_variable callback_done_;
  std::map<std::uint64_t, Registration> registrations_;
  std::uint64_t last_id_ = 0;
  std::uint64_t running_callback_id_ = 0;          // 0: no callback is running
  std::shared_ptr<Watcher> released_in_callback_;  // used by the watcher's thread only: see release_watcher
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

HangupWatch::HangupWatch(const Fd& socket, std::function<void()> on_hangup, std::function<void()> on_readable)
    : watcher_(watcher()), socket_(socket.get()),
      id_(watcher_->add(socket.get(), std::move(on_hangup), std::move(on_readable))) {}

HangupWatch::~HangupWatch() {
  if (id_ != 0) watcher_->remove(socket_, id_);
  Watcher::release_watcher(std::move(watcher_));
}

}  // namespace orbweaver::platform
