// Floor over two POSIX message queues: a message with the payload, and a reply of one byte. An empty payload
// is sent as one byte.
#include <fcntl.h>
#include <mqueue.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <system_error>

#include "floors.h"

namespace orbweaver::bench {
namespace {

std::size_t wire_bytes(const Case& c) { return c.bytes ? c.bytes : 1; }

/// Owns a queue descriptor. Spins or sleeps in the kernel as the case requires.
class Queue {
 public:
  /// Creates a queue and unlinks its name at once.
  static Queue make(const Case& c, std::size_t message_bytes) {
    const std::string name = "/orbweaver-bench-" + std::to_string(getpid());
    mq_attr shape{};
    shape.mq_maxmsg = 10;
    shape.mq_msgsize = static_cast<long>(message_bytes);
    const int fd = mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | how(c), 0600, &shape);
    const int error = errno;
    mq_unlink(name.c_str());
    errno = error;
    return Queue(fd);
  }
  /// Opens the creator's queue by its process and descriptor.
  static Queue open(const Case& c, const std::string& process, const std::string& fd) {
    return Queue(::open(("/proc/" + process + "/fd/" + fd).c_str(), O_RDWR | O_CLOEXEC | how(c)));
  }
  Queue(Queue&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Queue& operator=(Queue&&) = delete;
  ~Queue() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

  void send(const void* data, std::size_t bytes) const {
    while (mq_send(fd_, static_cast<const char*>(data), bytes, 0) != 0)
      if (errno != EAGAIN && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "mq_send");
  }
  /// `room`: at least the queue's message size.
  void receive(void* data, std::size_t room) const {
    while (mq_receive(fd_, static_cast<char*>(data), room, nullptr) < 0)
      if (errno != EAGAIN && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "mq_receive");
  }

 private:
  explicit Queue(int fd) : fd_(fd) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "message queue");
  }
  static int how(const Case& c) { return blocks(c.wait) ? 0 : O_NONBLOCK; }
  int fd_;
};

/// The receiver returns the total that it read.
constexpr std::size_t kReplyBytes = sizeof(double);

struct Queues {
  Queue request;
  Queue reply;

  static Queues of(const ServerSide& side) {
    Queues q{Queue::make(side.what, wire_bytes(side.what)), Queue::make(side.what, kReplyBytes)};
    side.ready(std::to_string(getpid()) + " " + std::to_string(q.request.fd()) + " " +
               std::to_string(q.reply.fd()));
    return q;
  }
  static Queues of(const ClientSide& side) {
    std::istringstream address(side.address);
    std::string process, request, reply;
    address >> process >> request >> reply;
    return {Queue::open(side.what, process, request), Queue::open(side.what, process, reply)};
  }
};

}  // namespace

std::optional<std::string> cannot_mqueue(const Case& c) {
  constexpr std::size_t kMaxBytes = 8192;
  if (wire_bytes(c) > kMaxBytes) return "a message of a queue holds 8192 bytes at most";
  return std::nullopt;
}

void serve_mqueue(const ServerSide& side) {
  const Queues queues = Queues::of(side);
  FlatPayload received(side.what);
  const std::size_t room = wire_bytes(side.what);
  double sum = 0;
  if (side.what.experiment == Experiment::twoway) {
    for (;;) {
      queues.request.receive(received.data(), room);
      sum += received.read();
      queues.reply.send(&sum, kReplyBytes);
    }
  }
  const Loop loop{side.what.calls};
  for (const std::uint64_t messages : {loop.warm_up(), loop.calls, loop.calls}) {
    for (std::uint64_t i = 0; i < messages; ++i) {
      queues.request.receive(received.data(), room);
      sum += received.read();
    }
    queues.reply.send(&sum, kReplyBytes);
  }
  // no message arrives: keeps the descriptors open until the caller ends
  queues.request.receive(received.data(), room);
}

Summary call_mqueue(const ClientSide& side) {
  const Queues queues = Queues::of(side);
  FlatPayload sent(side.what);
  std::uint64_t calls = 0;
  double read = 0;
  const auto send = [&] {
    ++calls;
    queues.request.send(sent.data(), wire_bytes(side.what));
  };
  const auto answered = [&] { queues.reply.receive(&read, kReplyBytes); };
  const Summary figures = side.what.experiment == Experiment::twoway
                              ? measure_calls(side.loop,
                                              [&] {
                                                send();
                                                answered();
                                              })
                              : measure_stream(side.loop, send, answered);
  check_total(read, sent.read(), calls);
  return figures;
}

}  // namespace orbweaver::bench
