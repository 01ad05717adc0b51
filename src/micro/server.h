#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include <orbweaver/detail/cdr/scratch.h>

#include "micro/message_reader.h"
#include "micro/transport.h"

namespace orbweaver::micro {

class Core;

/// A connection of a client, served by a thread of its own.
class ServerConnection {
 public:
  ServerConnection(Core& core, platform::Fd socket) noexcept;

  /// Serves requests until the connection ends.
  void run() noexcept;
  /// Sends a message; false if the client does not read it in time.
  bool send(Bytes message) noexcept;
  /// Makes the capacity of `reply` at least `bytes`. Raises NO_RESOURCES beyond -ORBTune receive-bytes.
  void reserve_reply(std::size_t bytes);

  Core& core;
  Buffer reply;  ///< Storage for replies, which only reserve_reply enlarges.
  cdr::Scratch scratch;

 private:
  friend class Server;
  bool serve_message();
  bool serve_locate_request(cdr::Decoder& in);

  platform::Fd socket_;
  MessageReader reader_;
  CountedBytes reply_count_;
  std::thread thread_;
  ServerConnection* next_ = nullptr;
  std::atomic<bool> has_ended_{false};  // the thread may be joined
};

/// Accepts connections, and ends them with the ORB. `start` is called at most once, and not after `stop`.
class Server {
 public:
  explicit Server(Core& core) noexcept : core_(core) {}

  /// Starts the accepting thread. Raises NO_RESOURCES.
  void start(platform::Fd&& socket);
  /// Whether `stop` has been called.
  const std::atomic<bool>& stops() const noexcept { return stops_; }
  /// Ends reception, for good. Requests in progress are completed; clients have 5 s to read the replies. Any
  /// thread.
  void stop() noexcept;
  /// Joins the threads after `stop`. Not in an upcall.
  void join() noexcept;

 private:
  void accept_all() noexcept;
  void add(platform::Fd&& socket);
  void remove_ended(bool all) noexcept;

  Core& core_;
  platform::Fd socket_;
  std::thread thread_;
  std::atomic<bool> stops_{false};
  std::mutex join_mutex_;  // held by the thread that joins the others
  std::mutex mutex_;       // guards first_
  ServerConnection* first_ = nullptr;
  std::size_t count_ = 0;  // of the accepting thread
};

}  // namespace orbweaver::micro
