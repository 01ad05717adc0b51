// A transport plug-in: frames over Unix sockets that preserve packet boundaries (SOCK_SEQPACKET). A frame is
// one packet, or several if it is large, and starts with a packet, which contains the frame's header.
// Addresses are names in the abstract socket namespace of the host, where no file is left behind.
//
//   ORBWEAVER_TRANSPORT_PLUGINS=./libseqpacket.so hello-server -ORBListen seqpacket
#include <orbweaver/transport.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

using namespace orbweaver;
using namespace orbweaver::transport;

constexpr std::size_t kPacketBytes = std::size_t{32} << 10;  // always fits into an empty socket buffer

std::string text_of(int error) { return std::strerror(error); }

void pause_ms(long ms) noexcept {
  const timespec time{0, ms * 1'000'000};
  nanosleep(&time, nullptr);
}

class Socket {
 public:
  explicit Socket(int fd) noexcept : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

class SeqpacketChannel final : public Channel, private Readiness {
 public:
  SeqpacketChannel(Socket socket, const ChannelOptions& options, Peer peer)
      : socket_(std::move(socket)), options_(options), peer_(std::move(peer)) {
    capabilities_.readiness = this;
  }
  ~SeqpacketChannel() override { SeqpacketChannel::close(); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline) noexcept override {
    if (closed_) return gone("connection closed");
    if (bytes > options_.max_frame_bytes) {
      return Error{ErrorKind::unavailable, "frame of " + std::to_string(bytes) + " bytes exceeds the limit"};
    }
    if (!room_for(outgoing_, bytes)) return Error{ErrorKind::unavailable, "no memory for a frame"};
    return MutableBytes(outgoing_.data(), bytes);
  }

  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    for (std::size_t sent = 0; sent < bytes;) {
      if (closed_) return gone("connection closed");
      const std::size_t packet = std::min(bytes - sent, kPacketBytes);
      if (::send(socket_.get(), outgoing_.data() + sent, packet, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
        sent += packet;
      } else if (errno == EAGAIN) {
        if (deadline.passed()) {
          if (sent != 0) close();  // the peer would take later packets for the rest of this frame
          return Error{ErrorKind::timed_out, peer_.address + ": send timed out"};
        }
        wait_for(POLLOUT, deadline);
      } else if (errno != EINTR) {
        return gone(text_of(errno));  // what the peer sent before can still be received
      }
    }
    return {};
  }

  void abandon() noexcept override {}

  Result<Bytes> receive(Deadline deadline) noexcept override {
    while (length_ == 0 || arrived_ < length_) {
      if (closed_) return gone("connection closed");
      if (auto read = read_packet(deadline); !read) return read.take_error();
    }
    if (closed_) return gone("connection closed");
    return Bytes(incoming_.data(), length_);
  }

  void release() noexcept override { length_ = arrived_ = 0; }

  // The descriptor stays open until the destructor: its number must not be reused while another thread waits
  // on it.
  void close() noexcept override {
    if (!closed_.exchange(true)) ::shutdown(socket_.get(), SHUT_RDWR);
  }
  const Peer& peer() const noexcept override { return peer_; }

 private:
  // The socket is readable when a packet has arrived or the peer has closed.
  int descriptor() noexcept override { return socket_.get(); }
  bool arm() noexcept override { return !closed_ && (length_ == 0 || arrived_ < length_); }

  /// Reads one packet of the frame, or waits until there may be one.
  Result<void> read_packet(Deadline deadline) noexcept {
    // The buffer grows with the bytes received, whatever length the peer announced.
    const std::size_t wanted = length_ == 0 ? kPacketBytes : std::min(length_ - arrived_, kPacketBytes);
    if (!room_for(incoming_, arrived_ + wanted)) return end("no memory for a frame");
    const ssize_t got = ::recv(socket_.get(), incoming_.data() + arrived_, wanted, MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0) return wait_for_packet(errno, deadline);
    if (got == 0) {
      return end(arrived_ == 0 ? "connection closed by the peer"
                               : "connection closed by the peer within a frame");
    }
    if (static_cast<std::size_t>(got) > wanted) return end("packet longer than its frame");
    arrived_ += static_cast<std::size_t>(got);
    if (length_ != 0) return {};
    if (auto begun = begin_frame(); !begun) return end(begun.error().message);
    return {};
  }
  /// Waits for a packet if recv() has failed with `error` because there was none.
  Result<void> wait_for_packet(int error, Deadline deadline) noexcept {
    // ECONNRESET is reported once, if the peer closed with unread frames; frames from the peer may follow.
    if (error == EINTR || error == ECONNRESET) return {};
    if (error != EAGAIN) return end(text_of(error));
    if (deadline.passed()) return Error{ErrorKind::timed_out, peer_.address + ": receive timed out"};
    wait_for(POLLIN, deadline);
    return {};
  }

  Error gone(const std::string& why) const { return {ErrorKind::disconnected, peer_.address + ": " + why}; }
  Error end(const std::string& why) {
    close();
    return gone(why);
  }

  /// Checks the header of the frame whose first packet has arrived.
  Result<void> begin_frame() noexcept {
    if (arrived_ < kFrameHeaderBytes)
      return Error{ErrorKind::disconnected, "packet without a complete frame header"};
    const auto length = options_.frame_length(Bytes(incoming_.data(), kFrameHeaderBytes));
    if (!length) return Error{ErrorKind::disconnected, length.error().message};
    if (*length < arrived_ || *length > options_.max_frame_bytes) {
      return Error{ErrorKind::disconnected, "invalid frame length: " + std::to_string(*length) + " bytes"};
    }
    length_ = *length;
    return {};
  }

  /// Grows `buffer` to at least `bytes`, by doubling, so that steady traffic does not allocate; false without
  /// memory.
  static bool room_for(std::vector<std::uint8_t>& buffer, std::size_t bytes) noexcept try {
    if (buffer.size() < bytes) {
      buffer.resize(std::max({bytes, kPacketBytes, std::min(2 * buffer.size(), bytes + bytes / 2)}));
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  /// `adaptive` sleeps immediately: a sleep costs little more than the system calls of spinning.
  void wait_for(short events, Deadline deadline) const noexcept {
    if (options_.wait == WaitStrategy::spin) return;
    pollfd entry{socket_.get(), events, 0};
    ::poll(&entry, 1, deadline.poll_ms());
  }

  const Socket socket_;
  const ChannelOptions options_;
  const Peer peer_;
  std::atomic<bool> closed_{false};
  std::vector<std::uint8_t> outgoing_;  // for the sending thread
  std::vector<std::uint8_t> incoming_;  // for the receiving thread, as the next two
  std::size_t arrived_ = 0;             // bytes received of the present frame
  std::size_t length_ = 0;              // of the present frame; 0 until its first packet has arrived
};

/// Creates a channel if the peer is authorised. Any process on the host can find a name in the abstract
/// namespace, so that both ends check the user of the other.
Result<std::unique_ptr<Channel>> make_authorized_channel(Socket socket, const ChannelOptions& options) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
    return Error{ErrorKind::unavailable, text_of(errno)};
  }
  if (who.uid != ::geteuid() && who.uid != 0 && ::geteuid() != 0) {
    return Error{ErrorKind::unavailable, "pid " + std::to_string(who.pid) + " belongs to another user"};
  }
  return std::unique_ptr<Channel>(std::make_unique<SeqpacketChannel>(
      std::move(socket), options, Peer{"pid " + std::to_string(who.pid), who.pid, who.uid}));
}

struct Address {
  explicit Address(const std::string& name) {
    socket.sun_family = AF_UNIX;
    if (name.empty()) return;  // bind assigns a name
    std::memcpy(socket.sun_path + 1, name.data(), std::min(name.size(), sizeof socket.sun_path - 1));
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&socket); }
  static bool fits(const std::string& name) noexcept { return name.size() < sizeof(sockaddr_un::sun_path); }

  sockaddr_un socket{};
  socklen_t length = sizeof(sa_family_t);
};

Error too_long(const std::string& name) {
  return {ErrorKind::invalid, "seqpacket: the name '" + name + "' is too long"};
}

class SeqpacketAcceptor final : public Acceptor {
 public:
  SeqpacketAcceptor(Socket socket, const ChannelOptions& options, std::string address)
      : socket_(std::move(socket)), options_(options), address_(std::move(address)) {}

  Result<std::unique_ptr<Channel>> accept() noexcept override {
    while (!closed_) {
      const int fd = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd >= 0) {
        if (auto channel = make_authorized_channel(Socket(fd), options_)) return channel;
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        pause_ms(20);  // until there are descriptors again
      } else if (errno == EINVAL || errno == EBADF) {
        break;
      }
    }
    return Error{ErrorKind::unavailable, "acceptor closed: " + address_};
  }
  Result<std::unique_ptr<Channel>> try_accept() noexcept override {
    if (closed_) return Error{ErrorKind::unavailable, "acceptor closed: " + address_};
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 0) <= 0) return std::unique_ptr<Channel>();
    const int fd = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return std::unique_ptr<Channel>();
    auto channel = make_authorized_channel(Socket(fd), options_);
    return channel ? std::move(*channel) : nullptr;  // a peer of another user is rejected
  }
  int descriptor() noexcept override { return socket_.get(); }
  void close() noexcept override {
    closed_ = true;
    ::shutdown(socket_.get(), SHUT_RDWR);
  }
  const std::string& address() const noexcept override { return address_; }

 private:
  const Socket socket_;
  const ChannelOptions options_;
  const std::string address_;
  std::atomic<bool> closed_{false};
};

class Seqpacket final : public Transport {
 public:
  const char* name() const noexcept override { return "seqpacket"; }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& name, const ChannelOptions& options) override {
    if (!Address::fits(name)) return too_long(name);
    Socket socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    Address address(name);
    if (::bind(socket.get(), address.get(), address.length) != 0 || ::listen(socket.get(), 128) != 0) {
      return Error{ErrorKind::unavailable, "cannot listen on seqpacket '" + name + "': " + text_of(errno)};
    }
    address.length = sizeof address.socket;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address.socket), &address.length);
    std::string bound(address.socket.sun_path + 1, address.length - offsetof(sockaddr_un, sun_path) - 1);
    return std::unique_ptr<Acceptor>(
        std::make_unique<SeqpacketAcceptor>(std::move(socket), options, std::move(bound)));
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& name, const ChannelOptions& options,
                                           Deadline deadline) override {
    if (name.empty()) return Error{ErrorKind::invalid, "seqpacket: connect requires a name"};
    if (!Address::fits(name)) return too_long(name);
    Socket socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const Address address(name);
    while (::connect(socket.get(), address.get(), address.length) != 0) {
      const int error = errno;
      const bool busy = error == EAGAIN || error == EINTR;  // its backlog is full
      if (busy && !deadline.passed()) {
        pause_ms(1);
        continue;
      }
      const ErrorKind kind = busy                    ? ErrorKind::timed_out
                             : error == ECONNREFUSED ? ErrorKind::transient
                                                     : ErrorKind::unavailable;
      return Error{kind, "cannot connect to seqpacket '" + name + "': " + text_of(error)};
    }
    return make_authorized_channel(std::move(socket), options);
  }
};

}  // namespace

ORBWEAVER_TRANSPORT_PLUGIN(registry) { return registry.add(std::make_unique<Seqpacket>()); }
