#pragma once

#include <httplib.h>

#include <cstdint>
#include <string>

#include "monitor/http/request_head.h"
#include "platform/socket.h"

namespace orbweaver::monitor {

/// Times after which a connection is closed, in milliseconds.
struct HttpTimes {
  std::int64_t idle_ms = 30'000;     ///< Between two requests.
  std::int64_t request_ms = 10'000;  ///< From the first byte of a request to its last.
  std::int64_t write_ms = 10'000;    ///< To send one piece of a response, or the whole body.
};

/// The bytes of a connection, as the HTTP library sees them: heads that were checked, and as many bytes of a
/// body as the head has announced. Not thread-safe; other threads may shut the socket down.
///
/// Implements the interface of cpp-httplib 0.11 and that of later releases, whose virtual functions differ in
/// part: hence no function is marked `override`.
class RequestStream : public httplib::Stream {
 public:
  /// `socket` must outlive this.
  RequestStream(const platform::Fd& socket, const HttpTimes& times) : socket_(socket), times_(times) {}

  /// The outcome of receive_head.
  enum class Received { head, closed, refused };
  /// Receives the head of the next request and checks it.
  Received receive_head();
  /// Why the head was refused.
  const Refusal& refusal() const noexcept { return refusal_; }
  bool has_body() const noexcept { return body_left_ > 0; }
  /// Whether the client is still there and has sent nothing more.
  bool alive() const;

  // What the library calls.
  bool is_readable() const;
  bool is_writable() const { return alive(); }
  bool wait_readable() const { return is_readable(); }
  bool wait_writable() const { return alive(); }
  bool is_peer_alive() const { return alive(); }
  ssize_t read(char* to, std::size_t size);
  ssize_t write(const char* from, std::size_t size);
  void get_remote_ip_and_port(std::string& ip, int& port) const;
  void get_local_ip_and_port(std::string& ip, int& port) const;
  /// None: the library, which may call select(), never waits for the socket.
  socket_t socket() const { return INVALID_SOCKET; }
  time_t duration() const { return 0; }
  using httplib::Stream::write;

 private:
  Received refuse_head(int status, std::string message);
  /// Receives some bytes into input_. False at the end of the connection or the deadline.
  bool receive(platform::Deadline deadline);

  const platform::Fd& socket_;
  HttpTimes times_;
  std::string input_;            // received and not checked
  std::string head_;             // checked and not read
  std::size_t head_read_ = 0;    // bytes of head_ that have been read
  std::size_t body_left_ = 0;    // bytes of the body that have not been read
  platform::Deadline deadline_;  // of the request
  Refusal refusal_;
};

}  // namespace orbweaver::monitor
