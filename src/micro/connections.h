#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "micro/buffer.h"
#include "micro/message_reader.h"
#include "micro/transport.h"

namespace orbweaver::micro {

struct Options;

/// A request that waits for its reply, on the stack of the calling thread.
struct AwaitedReply {
  enum class State : std::uint8_t {
    waiting,
    received,
    rejected,  ///< The server has closed the connection and not executed the request: it may be repeated.
    lost,      ///< The connection has ended.
  };
  std::uint32_t request_id = 0;
  State state = State::waiting;
  giop::MessageHeader header;
  Buffer message;
  AwaitedReply* next = nullptr;
};

/// A connection to a server. Its replies are read by the threads that wait for them: one of them at a time,
/// which passes on those of others. Reference-counted by Connections; thread-safe.
class Connection {
 public:
  Connection(platform::Fd socket, ReceiveLimits& limits) noexcept
      : socket_(std::move(socket)), reader_(socket_, limits) {}

  std::uint32_t next_request_id() noexcept { return last_id_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Sends a message. False if the connection has ended, also at the deadline: nothing has been executed.
  bool send(Bytes message, Deadline deadline);
  /// Registers a request before it is sent.
  void expect(AwaitedReply& reply);
  /// Waits for its reply; State::waiting at the deadline. Registers it no longer.
  AwaitedReply::State wait(AwaitedReply& reply, Deadline deadline);
  /// Whether the connection can be used: the server has not closed it.
  bool is_open();
  /// Ends all calls.
  void close() noexcept;

  std::atomic<bool> code_sets_sent{false};

 private:
  friend class Connections;
  void deliver();
  void end_all(AwaitedReply::State state) noexcept;
  void receive(std::unique_lock<std::mutex>& lock, Deadline deadline);

  platform::Fd socket_;
  std::mutex send_mutex_;
  std::mutex mutex_;  // guards the members below; the thread that has set reading_ uses reader_
  std::condition_variable changed_;
  MessageReader reader_;
  AwaitedReply* awaited_ = nullptr;
  bool reading_ = false, is_closed_ = false;
  std::atomic<std::uint32_t> last_id_{0};

  // Guarded by the mutex of Connections.
  Connection* next_ = nullptr;
  std::string host_;
  std::uint16_t port_ = 0;
  std::size_t users_ = 0;
  bool exclusive_ = false, listed_ = true;
};

/// The outgoing connections of an ORB. All calls to one address share a connection, in order, except for
/// two-way calls within upcalls: each takes a connection that no other call uses, because the server may be
/// waiting for this very upcall. Thread-safe.
class Connections {
 public:
  Connections(const Options& options, ReceiveLimits& limits) noexcept : options_(options), limits_(limits) {}

  /// A connection in use, until the lease ends.
  class Lease {
   public:
    Lease(Connections& all, Connection& connection) noexcept : all_(all), connection_(connection) {}
    ~Lease() { all_.release(connection_); }
    Lease(const Lease&) = delete;
    Connection* operator->() noexcept { return &connection_; }
    Connection& operator*() noexcept { return connection_; }

   private:
    Connections& all_;
    Connection& connection_;
  };
  /// Returns a connection to the address, which is opened if necessary. Raises TRANSIENT, and
  /// BAD_INV_ORDER after close_all.
  Connection& acquire(std::string_view host, std::uint16_t port, bool exclusive, Deadline deadline);
  /// Closes all connections, for good: calls in progress end with COMM_FAILURE.
  void close_all() noexcept;

 private:
  Connection* find(std::string_view host, std::uint16_t port, bool exclusive) noexcept;
  void release(Connection& connection) noexcept;
  void drop(Connection* connection) noexcept;
  void make_space();
  void check_open();

  const Options& options_;
  ReceiveLimits& limits_;
  std::mutex mutex_;
  Connection* first_ = nullptr;
  std::size_t count_ = 0;
  bool is_closed_ = false;
};

}  // namespace orbweaver::micro
