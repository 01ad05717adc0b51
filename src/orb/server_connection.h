#pragma once

#include <orbweaver/cdr/scratch.h>

#include <atomic>
#include <memory>

#include "giop/fragment.h"
#include "giop/request.h"
#include "orb/known_request.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class Core;

/// The server's end of a connection: one thread reads requests, serves them and sends the replies, in
/// the order in which they came. What a peer sends wrong ends its connection and nothing else.
class ServerConnection {
 public:
  ServerConnection(Core& core, std::unique_ptr<transport::Channel> channel);
  ~ServerConnection();

  /// Serves until the peer goes or `close_in_order`. The connection's own thread.
  void serve();
  /// Tells the client that what it has not been answered was not done (GIOP 9.4.7), and closes: at once,
  /// or when the request in progress is done. Any thread.
  void close_in_order();
  void close() noexcept { channel_->close(); }
  /// Odd while a reply waits to be taken by the client; another number each time. Any thread.
  std::uint32_t sending() const noexcept { return sending_.load(std::memory_order_relaxed); }

 private:
  friend class ServingCall;
  /// Before and after what may block. The serving thread.
  void mark_sending() noexcept { sending_.store(sending() + 1, std::memory_order_relaxed); }

  bool handle(Bytes message, const giop::MessageHeader& header);
  bool request(cdr::Decoder& in, Bytes message, const giop::MessageHeader& header);
  bool serve_request(cdr::Decoder& in, giop::Version version, const giop::RequestHeader& request);
  bool known_request(Bytes message, bool& sent);
  bool locate(cdr::Decoder& in, const giop::MessageHeader& header);
  bool still_open();
  void say_close();
  void say_error();
  void end(const std::string& why);
  Result<void> send(Bytes message, transport::Deadline deadline);

  Core& core_;
  std::unique_ptr<transport::Channel> channel_;
  giop::Assembler assembler_;
  KnownRequest known_;
  cdr::Scratch scratch_;
  std::atomic<std::uint32_t> sending_{0};  // a hint for the shutdown: it orders nothing
  // Who may send: the serving thread between setting and clearing serving_; the closing thread if it finds
  // that cleared. One of the two sees the other (platform/asymmetric_fence.h), and only one says goodbye.
  std::atomic<bool> serving_{false};
  std::atomic<bool> closing_{false};
  std::atomic<bool> said_close_{false};
};

}  // namespace orbweaver::orb
