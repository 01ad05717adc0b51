// ZeroMQ as a subject: a pair of sockets. A payload is one message of bytes, the reply is the receiver's sum.
#include <zmq.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/floor/floors.h"

namespace {

using namespace orbweaver::bench;

std::optional<std::string> cannot(const Case& c) {
  if (has_receivers(c.experiment)) return "it is measured with one receiver";
  if (c.type == PayloadType::any) return "it has no anys";
  if (c.type == PayloadType::block) return "it has no blocks";
  if (c.type == PayloadType::mix) return "it is measured with messages of one size";
  if (c.transport != "tcp" && c.transport != "unix") return "it is measured over tcp and unix";
  if (!blocks(c.wait)) return "it always blocks in the kernel: measure it with --wait block";
  return std::nullopt;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + zmq_strerror(zmq_errno()));
}
void check(int result, const char* what) {
  if (result < 0) fail(what);
}

/// A socket of type ZMQ_PAIR in a context of its own, with one thread for input and output.
class PairSocket {
 public:
  PairSocket()
      : context_(zmq_ctx_new(), zmq_ctx_term), socket_(zmq_socket(context_.get(), ZMQ_PAIR), zmq_close) {
    if (!socket_) fail("zmq_socket");
    const int linger = 0;
    check(zmq_setsockopt(socket_.get(), ZMQ_LINGER, &linger, sizeof linger), "ZMQ_LINGER");
  }
  void* get() { return socket_.get(); }
  void send(const void* data, std::size_t bytes) {
    check(zmq_send(socket_.get(), data, bytes, 0), "zmq_send");
  }
  double receive_total() {
    double total = 0;
    if (zmq_recv(socket_.get(), &total, sizeof total, 0) != sizeof total) fail("zmq_recv of a total");
    return total;
  }

 private:
  std::unique_ptr<void, int (*)(void*)> context_;
  std::unique_ptr<void, int (*)(void*)> socket_;  // closed before its context
};

// An empty payload is one byte; a message without bytes asks for the total.
std::size_t wire_bytes(const Case& c) { return std::max<std::size_t>(c.bytes, 1); }

/// Receives messages, and reads them in place where they are aligned.
class Receiver {
 public:
  explicit Receiver(const Case& c) : what_(c), copy_(c) { zmq_msg_init(&message_); }
  ~Receiver() { zmq_msg_close(&message_); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  /// Receives a message; returns its sum, nullopt if it asks for the total.
  std::optional<double> next(PairSocket& from) {
    check(zmq_msg_recv(&message_, from.get(), 0), "zmq_msg_recv");
    const std::size_t bytes = zmq_msg_size(&message_);
    if (bytes == 0) return std::nullopt;
    if (bytes != wire_bytes(what_)) throw std::runtime_error("a message of another size");
    const void* data = zmq_msg_data(&message_);
    if (reinterpret_cast<std::uintptr_t>(data) % alignof(double) != 0)
      data = std::memcpy(copy_.data(), data, bytes);
    return read_flat(what_.type, data, what_.bytes);
  }

 private:
  Case what_;
  FlatPayload copy_;
  zmq_msg_t message_;
};

void serve(const ServerSide& side) {
  PairSocket socket;
  const std::string end =
      side.what.transport == "unix" ? "ipc://" + side.scratch + "/zeromq" : std::string("tcp://127.0.0.1:*");
  check(zmq_bind(socket.get(), end.c_str()), "zmq_bind");
  char address[256];
  std::size_t length = sizeof address;
  check(zmq_getsockopt(socket.get(), ZMQ_LAST_ENDPOINT, address, &length), "ZMQ_LAST_ENDPOINT");
  side.ready(address);
  Receiver receiver(side.what);
  const bool replies = side.what.experiment == Experiment::twoway;
  for (double total = 0;;) {
    const auto sum = receiver.next(socket);
    total += sum.value_or(0);
    if (replies || !sum) socket.send(&total, sizeof total);
  }
}

Summary call(const ClientSide& side) {
  PairSocket socket;
  check(zmq_connect(socket.get(), side.address.c_str()), "zmq_connect");
  FlatPayload sent(side.what);
  const std::size_t bytes = wire_bytes(side.what);
  double read = 0;
  std::uint64_t calls = 0;
  const auto send = [&] {
    ++calls;
    socket.send(sent.data(), bytes);
  };
  Summary figures;
  if (side.what.experiment == Experiment::oneway) {
    figures = measure_stream(side.loop, send, [&] {
      socket.send("", 0);  // follows the messages
      read = socket.receive_total();
    });
  } else {
    figures = measure_calls(side.loop, [&] {
      send();
      read = socket.receive_total();
    });
  }
  check_total(read, sent.read(), calls);
  return figures;
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
