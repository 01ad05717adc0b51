// Floor over a stream socket: a request of the payload's size, and a reply of one byte. An empty payload is
// sent as one byte.
#include <sys/socket.h>

#include "floors.h"
#include "socket.h"

namespace orbweaver::bench {
namespace {

int receive_flags(const Case& c) { return blocks(c.wait) ? 0 : MSG_DONTWAIT; }

std::size_t wire_bytes(const Case& c) { return c.bytes ? c.bytes : 1; }

void check_open(bool open) {
  if (!open) throw std::runtime_error("the other end closed its socket");
}

void serve_twoway(const ServerSide& side, const Socket& caller) {
  FlatPayload received(side.what);
  const int waiting = receive_flags(side.what);
  double total = 0;
  while (receive_all(caller, received.data(), wire_bytes(side.what), waiting)) {
    total += received.read();
    const char done = 1;
    send_all(caller, &done, 1, waiting);
  }
  send_all(caller, &total, sizeof total, 0);  // the caller has shut its sending side and checks the total
}

Summary call_twoway(const ClientSide& side, const Socket& server) {
  FlatPayload sent(side.what);
  const int waiting = receive_flags(side.what);
  std::uint64_t calls = 0;
  const Summary figures = measure_calls(side.loop, [&] {
    ++calls;
    char done = 0;
    send_all(server, sent.data(), wire_bytes(side.what), waiting);
    check_open(receive_all(server, &done, 1, waiting));
  });
  shutdown(server.fd(), SHUT_WR);
  double total = 0;
  check_open(receive_all(server, &total, sizeof total, 0));
  check_total(total, sent.read(), calls);
  return figures;
}

/// Receives messages of one size, many per system call if they are small.
class MessageReader {
 public:
  MessageReader(const Case& c, const Socket& from)
      : what_(c), from_(from), buffer_(std::max(kChunk, wire_bytes(c)) / sizeof(double) + 1) {}

  /// Returns the total of the next `messages`, each read completely.
  double read(std::uint64_t messages) {
    const std::size_t size = wire_bytes(what_);
    std::size_t left = messages * size;
    double sum = 0;
    while (left > 0) {
      const std::size_t room = std::max(kChunk / size, std::size_t{1}) * size;
      const std::size_t got =
          receive_some(from_, at(held_), std::min(room, left) - held_, receive_flags(what_));
      check_open(got > 0);
      held_ += got;
      std::size_t taken = 0;
      for (; held_ - taken >= size; taken += size) sum += read_flat(what_.type, at(taken), what_.bytes);
      held_ -= taken;
      left -= taken;
      if (held_ && taken) std::memmove(at(0), at(taken), held_);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kChunk = 64 * 1024;
  char* at(std::size_t offset) { return reinterpret_cast<char*>(buffer_.data()) + offset; }

  const Case what_;
  const Socket& from_;
  std::vector<double> buffer_;
  std::size_t held_ = 0;  ///< bytes of a partial message
};

/// One-way: the receiver has the number of messages of a flood (`measure_stream`), and replies to each flood
/// with the total that it read.
void serve_oneway(const ServerSide& side, const Socket& caller) {
  MessageReader reader(side.what, caller);
  const Loop loop{side.what.calls};
  for (const std::uint64_t messages : {loop.warm_up(), loop.calls, loop.calls}) {
    const double sum = reader.read(messages);
    send_all(caller, &sum, sizeof sum, 0);
  }
  char end = 0;
  (void)receive_all(caller, &end, 1, 0);
}

Summary call_oneway(const ClientSide& side, const Socket& server) {
  FlatPayload sent(side.what);
  const int waiting = receive_flags(side.what);
  std::uint64_t since_drained = 0;
  return measure_stream(
      side.loop,
      [&] {
        ++since_drained;
        send_all(server, sent.data(), wire_bytes(side.what), waiting);
      },
      [&] {
        double sum = 0;
        check_open(receive_all(server, &sum, sizeof sum, waiting));
        check_total(sum, sent.read(), since_drained);
        since_drained = 0;
      });
}

}  // namespace

void serve_stream(const ServerSide& side) {
  const Socket caller = accept_one(side);
  side.what.experiment == Experiment::twoway ? serve_twoway(side, caller) : serve_oneway(side, caller);
}

Summary call_stream(const ClientSide& side) {
  const Socket server = connected(side);
  return side.what.experiment == Experiment::twoway ? call_twoway(side, server) : call_oneway(side, server);
}

}  // namespace orbweaver::bench
