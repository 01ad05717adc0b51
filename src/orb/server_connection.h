#pragma once

#include <orbweaver/cdr/scratch.h>

#include <atomic>
#include <memory>

#include "giop/fragment.h"
#include "giop/request.h"
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

 private:
  friend class ServingCall;

  bool handle(Bytes message, const giop::MessageHeader& header);
  bool request(cdr::Decoder& in, const giop::MessageHeader& header);
  bool locate(cdr::Decoder& in, const giop::MessageHeader& header);
  void say_close();
  void say_error();
  void end(const std::string& why);
  Result<void> send(Bytes message);

  Core& core_;
  std::unique_ptr<transport::Channel> channel_;
  giop::Assembler assembler_;
  cdr::Scratch scratch_;
  // Who may send: the serving thread between setting and clearing serving_; the closing thread if it finds
  // that cleared. One of the two sees the other (platform/asymmetric_fence.h), and only one says goodbye.
  std::atomic<bool> serving_{false};
  std::atomic<bool> closing_{false};
  std::atomic<bool> said_close_{false};
};

}  // namespace orbweaver::orb
