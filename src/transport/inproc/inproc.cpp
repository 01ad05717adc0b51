#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/inproc/link.h"
#include "transport/memory_failure.h"
#include "transport/transport.h"

/// Frames between threads of one process: names, and who waits for whom. The frames are the rings' business.
namespace orbweaver::transport {
namespace {

class InprocChannel final : public Channel {
 public:
  InprocChannel(std::shared_ptr<InprocLink> link, int end, const std::string& name)
      : link_(std::move(link)), end_(end), frames_(link_->frames(end)) {
    peer_.address = "inproc " + name;
    peer_.pid = platform::process_id();
    peer_.uid = platform::user_id();
  }
  ~InprocChannel() override { InprocChannel::close(); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override try {
    return frames_.claim(bytes, deadline);
  } catch (...) {
    return close_without_memory(*this);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override try {
    bool broken = false;
    Result<void> sent = frames_.commit(bytes, deadline, broken);
    if (broken) [[unlikely]] close();
    return sent;
  } catch (...) {
    return close_without_memory(*this);
  }
  void abandon() noexcept override {}
  void put_head(MutableBytes room, const Head& head) noexcept override { frames_.put_head(room, head, true); }
  Result<Bytes> receive(Deadline deadline) noexcept override try {
    Result<Bytes> frame = frames_.receive(deadline, known_);
    if (!frame && frame.error().remedy == Remedy::reconnect) [[unlikely]] close();
    return frame;
  } catch (...) {
    return close_without_memory(*this);
  }
  bool commits_at_once(std::size_t) const noexcept override { return frames_.commits_at_once(); }
  void release() noexcept override { frames_.release(); }
  bool claim_tells_of_end() const noexcept override { return true; }
  bool takes_fragments() const noexcept override { return false; }
  int descriptor() noexcept override { return frames_.can_be_polled() ? link_->bell(end_).descriptor() : -1; }
  bool arm() noexcept override {
    // The wake-up descriptor exists before the sender is told that this end waits at it: `descriptor` may be called later.
    if (link_->bell(end_).descriptor() < 0) return false;
    link_->bell(end_).quieten();
    return frames_.arm();
  }
  void close() noexcept override { link_->close(end_); }
  const Peer& peer() const noexcept override { return peer_; }

 private:
  const std::shared_ptr<InprocLink> link_;
  const int end_;
  RingFrames& frames_;
  Peer peer_;
};

/// A listener: callers leave their channel's other end in its queue.
class Listener {
 public:
  Listener(std::string name, const ChannelOptions& options) : name_(std::move(name)), options_(options) {}

  const std::string& name() const noexcept { return name_; }
  const ChannelOptions& options() const noexcept { return options_; }

  /// Blocks while the queue is full. Remedy::retry once closed, Remedy::wait at the deadline.
  Result<void> offer(std::unique_ptr<Channel> channel, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const auto taken = [this] { return closed_ || waiting_.size() < kBacklog; };
    if (deadline.is_never()) {
      changed_.wait(lock, taken);
    } else if (!changed_.wait_for(lock, std::chrono::nanoseconds(deadline.ns - platform::now_ns()), taken)) {
      return Error{Remedy::wait, "the queue of inproc name '" + name_ + "' was full until the deadline"};
    }
    if (closed_) return Error{Remedy::retry, "nobody listens at inproc name '" + name_ + "'"};
    waiting_.push_back(std::move(channel));
    changed_.notify_all();
    if (bell_) bell_->notify();
    return {};
  }

  Result<std::unique_ptr<Channel>> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (closed_) return Error{Remedy::give_up, "no longer listening at inproc name '" + name_ + "'"};
    std::unique_ptr<Channel> channel = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return channel;
  }

  /// Null where nobody waits.
  Result<std::unique_ptr<Channel>> try_take() {
    const std::lock_guard lock(mutex_);
    if (closed_) return Error{Remedy::give_up, "no longer listening at inproc name '" + name_ + "'"};
    if (waiting_.empty()) return std::unique_ptr<Channel>();
    std::unique_ptr<Channel> channel = std::move(waiting_.front());
    waiting_.pop_front();
    if (waiting_.empty() && bell_) bell_->drain();
    changed_.notify_all();
    return channel;
  }

  /// Of a bell that is made when first asked for, and readable while somebody waits.
  int descriptor() {
    const std::lock_guard lock(mutex_);
    if (!bell_) {
      bell_.emplace();
      if (!waiting_.empty()) bell_->notify();
    }
    return bell_->fd().get();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.clear();  // their callers see the peer close
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kBacklog = 64;

  const std::string name_;
  const ChannelOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Channel>> waiting_;
  std::optional<platform::WakeUp> bell_;
  bool closed_ = false;
};

/// The names of this process. Any thread.
class Names {
 public:
  Result<std::shared_ptr<Listener>> add(const std::string& wanted, const ChannelOptions& options) {
    const std::lock_guard lock(mutex_);
    const std::string name = wanted.empty() ? fresh_name() : wanted;
    auto listener = std::make_shared<Listener>(name, options);
    if (!listeners_.emplace(name, listener).second) {
      return Error{Remedy::give_up, "inproc name '" + name + "' is taken: somebody in this process listens there"};
    }
    return listener;
  }
  std::shared_ptr<Listener> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = listeners_.find(name);
    return found == listeners_.end() ? nullptr : found->second;
  }
  void remove(const Listener& listener) {
    const std::lock_guard lock(mutex_);
    const auto found = listeners_.find(listener.name());
    if (found != listeners_.end() && found->second.get() == &listener) listeners_.erase(found);
  }

 private:
  std::string fresh_name() {
    std::string name;
    do name = "inproc-" + std::to_string(++fresh_);
    while (listeners_.count(name) != 0);
    return name;
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Listener>> listeners_;
  std::uint64_t fresh_ = 0;
};

class InprocAcceptor final : public Acceptor {
 public:
  InprocAcceptor(Names& names, std::shared_ptr<Listener> listener)
      : names_(names), listener_(std::move(listener)) {}
  ~InprocAcceptor() override { InprocAcceptor::close(); }

  Result<std::unique_ptr<Channel>> accept() noexcept override { return listener_->take(); }
  Result<std::unique_ptr<Channel>> try_accept() noexcept override { return listener_->try_take(); }
  int descriptor() noexcept override { return listener_->descriptor(); }
  void close() noexcept override {
    names_.remove(*listener_);
    listener_->close();
  }
  const std::string& address() const noexcept override { return listener_->name(); }

 private:
  Names& names_;
  const std::shared_ptr<Listener> listener_;
};

class Inproc final : public Transport {
 public:
  const char* name() const noexcept override { return "inproc"; }
  Reach reach() const noexcept override { return Reach::process; }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) noexcept override {
    Result<std::shared_ptr<Listener>> listener = names_.add(address, options);
    if (!listener) return listener.take_error();
    return std::unique_ptr<Acceptor>(std::make_unique<InprocAcceptor>(names_, std::move(*listener)));
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    const std::shared_ptr<Listener> listener = names_.find(address);
    if (!listener) return Error{Remedy::retry, "nobody listens at inproc name '" + address + "'"};
    Result<std::shared_ptr<InprocLink>> link = InprocLink::make(options, listener->options());
    if (!link) return link.take_error();
    auto near = std::make_unique<InprocChannel>(*link, 0, address);
    Result<void> offered = listener->offer(std::make_unique<InprocChannel>(*link, 1, address), deadline);
    if (!offered) return offered.take_error();
    return std::unique_ptr<Channel>(std::move(near));
  }

 private:
  Names names_;
};

}  // namespace

Transport& inproc() {
  static auto& transport = *new Inproc;  // never destroyed: a listener may still accept while the program ends
  return transport;
}

}  // namespace orbweaver::transport
