#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/inproc/inproc_connection.h"
#include "transport/out_of_memory.h"
#include "transport/rendezvous.h"
#include "transport/transport.h"

/// The inproc transport: names, listeners and connection set-up. Frames are handled by RingFrames.
namespace orbweaver::transport {
namespace {

class InprocChannel final : public Channel, private Readiness {
 public:
  InprocChannel(std::shared_ptr<InprocConnection> connection, int end, const std::string& name)
      : link_(std::move(connection)), end_(end), frames_(link_->frames(end)) {
    peer_.address = "inproc " + name;
    peer_.pid = platform::process_id();
    peer_.uid = platform::user_id();
    capabilities_.claim_detects_disconnect = true;
    capabilities_.allows_fragments = false;
    capabilities_.undivided_bytes = frames_.undivided_bytes();
    if (frames_.supports_polling()) capabilities_.readiness = this;
  }
  ~InprocChannel() override { InprocChannel::close(); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override try {
    return frames_.claim(bytes, deadline);
  } catch (...) {
    return close_out_of_memory(*this);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override try {
    bool broken = false;
    Result<void> sent = frames_.commit(bytes, deadline, broken);
    if (broken) [[unlikely]]
      close();
    return sent;
  } catch (...) {
    return close_out_of_memory(*this);
  }
  Result<void> send(Bytes frame, Deadline deadline) noexcept override try {
    if (frames_.try_send(frame)) [[likely]]
      return {};
    bool broken = false;
    Result<void> sent = frames_.send(frame, deadline, broken);
    if (broken) [[unlikely]]
      close();
    return sent;
  } catch (...) {
    return close_out_of_memory(*this);
  }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override try {
    Result<Bytes> frame = frames_.receive(deadline);
    if (!frame && frame.error().kind == ErrorKind::disconnected) [[unlikely]]
      close();
    return frame;
  } catch (...) {
    return close_out_of_memory(*this);
  }
  void release() noexcept override { frames_.release(); }
  void close() noexcept override { link_->close(end_); }
  const Peer& peer() const noexcept override { return peer_; }

 private:
  int descriptor() noexcept override { return link_->notifier(end_).descriptor(); }
  bool arm() noexcept override {
    // The wake-up descriptor is created before the sender can see that this end waits: `descriptor` may be
    // called later.
    if (link_->notifier(end_).descriptor() < 0) return false;
    link_->notifier(end_).drain();
    return frames_.arm();
  }
  bool commits_without_waiting(std::size_t) const noexcept override {
    return frames_.commits_without_waiting();
  }

  const std::shared_ptr<InprocConnection> link_;
  const int end_;
  RingFrames& frames_;
  Peer peer_;
};

Error refused(const std::string& name) {
  return Error{ErrorKind::transient,
               "connection refused: no listener at inproc name '" + name +
                   "'; a reference of a process with -ORBListen inproc can be called only within that "
                   "process, or over the connections that it opens (docs/bidirectional.md)"};
}

/// A listener with a queue of the listening ends of new channels.
class InprocListener {
 public:
  InprocListener(std::string name, const ChannelOptions& options)
      : name_(std::move(name)), options_(options) {}

  const std::string& name() const noexcept { return name_; }
  const ChannelOptions& options() const noexcept { return options_; }

  /// Blocks while the queue is full. Errors: transient once closed, timed_out at the deadline.
  Result<void> enqueue(std::unique_ptr<Channel> channel, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const auto taken = [this] { return closed_ || waiting_.size() < kBacklog; };
    if (deadline.is_never()) {
      changed_.wait(lock, taken);
    } else if (!changed_.wait_for(lock, std::chrono::nanoseconds(deadline.ns - platform::now_ns()), taken)) {
      return Error{ErrorKind::timed_out,
                   "the queue of inproc name '" + name_ + "' was full until the deadline"};
    }
    if (closed_) return refused(name_);
    waiting_.push_back(std::move(channel));
    changed_.notify_all();
    if (notifier_) notifier_->notify();
    return {};
  }

  Result<std::unique_ptr<Channel>> dequeue() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (closed_) return Error{ErrorKind::unavailable, "no longer listening at inproc name '" + name_ + "'"};
    std::unique_ptr<Channel> channel = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return channel;
  }

  /// Returns null if the queue is empty.
  Result<std::unique_ptr<Channel>> try_dequeue() {
    const std::lock_guard lock(mutex_);
    if (closed_) return Error{ErrorKind::unavailable, "no longer listening at inproc name '" + name_ + "'"};
    if (waiting_.empty()) return std::unique_ptr<Channel>();
    std::unique_ptr<Channel> channel = std::move(waiting_.front());
    waiting_.pop_front();
    if (waiting_.empty() && notifier_) notifier_->drain();
    changed_.notify_all();
    return channel;
  }

  /// Wake-up descriptor, created at the first call; readable while the queue is not empty.
  int descriptor() {
    const std::lock_guard lock(mutex_);
    if (!notifier_) {
      notifier_.emplace();
      if (!waiting_.empty()) notifier_->notify();
    }
    return notifier_->fd().get();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.clear();  // the connecting ends see a disconnect
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kBacklog = 64;

  const std::string name_;
  const ChannelOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Channel>> waiting_;
  std::optional<platform::WakeupFd> notifier_;
  bool closed_ = false;
};

/// The listeners of this process by name. Thread-safe.
class ListenerRegistry {
 public:
  /// Returns false if a listener of that name is registered.
  bool add(const std::shared_ptr<InprocListener>& listener) {
    const std::lock_guard lock(mutex_);
    return listeners_.try_emplace(listener->name(), listener).second;
  }
  std::shared_ptr<InprocListener> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = listeners_.find(name);
    return found == listeners_.end() ? nullptr : found->second;
  }
  void remove(const InprocListener& listener) {
    const std::lock_guard lock(mutex_);
    const auto found = listeners_.find(listener.name());
    if (found != listeners_.end() && found->second.get() == &listener) listeners_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<InprocListener>> listeners_;
};

class InprocAcceptor final : public Acceptor {
 public:
  InprocAcceptor(ListenerRegistry& names, std::shared_ptr<InprocListener> listener)
      : names_(names), listener_(std::move(listener)) {}
  ~InprocAcceptor() override { InprocAcceptor::close(); }

  Result<std::unique_ptr<Channel>> accept() noexcept override { return listener_->dequeue(); }
  Result<std::unique_ptr<Channel>> try_accept() noexcept override { return listener_->try_dequeue(); }
  int descriptor() noexcept override { return listener_->descriptor(); }
  void close() noexcept override {
    names_.remove(*listener_);
    listener_->close();
  }
  const std::string& address() const noexcept override { return listener_->name(); }

 private:
  ListenerRegistry& names_;
  const std::shared_ptr<InprocListener> listener_;
};

class Inproc final : public Transport {
 public:
  const char* name() const noexcept override { return "inproc"; }
  const TransportTraits& traits() const noexcept override {
    static constexpr TransportTraits kTraits{
        .reach = Reach::process, .preference_rank = 0, .listens_by_default = true};
    return kTraits;
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    const std::string name = address.empty() ? fresh_local_name() : address;
    const auto listener = std::make_shared<InprocListener>(name, options);
    auto acceptor = std::make_unique<InprocAcceptor>(names_, listener);
    if (names_.add(listener)) return std::unique_ptr<Acceptor>(std::move(acceptor));
    return Error{ErrorKind::unavailable,
                 "inproc name '" + name + "' is in use by a listener in this process"};
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    const std::shared_ptr<InprocListener> listener = names_.find(address);
    if (!listener) return refused(address);
    Result<std::shared_ptr<InprocConnection>> connection =
        InprocConnection::make(options, listener->options());
    if (!connection) return connection.take_error();
    auto near = std::make_unique<InprocChannel>(*connection, 0, address);
    Result<void> offered =
        listener->enqueue(std::make_unique<InprocChannel>(*connection, 1, address), deadline);
    if (!offered) return offered.take_error();
    return std::unique_ptr<Channel>(std::move(near));
  }

 private:
  ListenerRegistry names_;
};

}  // namespace

Transport& inproc_transport() {
  // never destroyed: a listener may still accept during static destruction
  static auto& transport = *new Inproc;
  return transport;
}

}  // namespace orbweaver::transport
