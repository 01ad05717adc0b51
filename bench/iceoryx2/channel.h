// C++ interface of src/lib.rs: one end of an exchange over iceoryx2. The library is loaded at run time,
// because cargo may be unable to build it. Errors print one line on stderr and end the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace orbweaver::bench {

/// Owns one end and its library handle. Not thread-safe.
class Channel {
 public:
  /// What is sent: samples of two services, one for each direction, or requests and their responses of one.
  enum class Pattern { publish_subscribe, request_response };
  /// Both ends pass the same `folder`, which no other exchange uses, and the size of the largest message; one
  /// end serves. By `request_response` each end sends and receives in turn; the other one begins.
  Channel(const std::string& folder, std::size_t largest, bool serves, Pattern pattern);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void send(const void* data, std::size_t bytes) { send_(end_, data, bytes); }
  /// Polls for a message without ever sleeping and copies it to `data`. Returns its size in bytes.
  std::size_t receive(void* data, std::size_t capacity) { return receive_(end_, data, capacity); }

  /// Whether the library was built.
  static bool built();

 private:
  struct End;
  void (*send_)(End*, const void*, std::size_t);
  std::size_t (*receive_)(End*, void*, std::size_t);
  void (*close_)(End*);
  End* end_;
};

}  // namespace orbweaver::bench
