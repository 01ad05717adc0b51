// src/lib.rs in C: one end of an exchange over iceoryx2, loaded at run time, since cargo builds it where it can.
// A failure is one line on stderr and the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace orbweaver::bench {

/// Owns one end, and the library's handle. One thread.
class Channel {
 public:
  /// Both ends say the same `folder`, which is theirs alone, and the largest message; one of them serves.
  Channel(const std::string& folder, std::size_t largest, bool serves);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void send(const void* data, std::size_t bytes) { send_(end_, data, bytes); }
  /// Looks for a message without ever sleeping, and copies it out; its bytes.
  std::size_t receive(void* data, std::size_t room) { return receive_(end_, data, room); }

  /// Was the library built here?
  static bool built();

 private:
  struct End;
  void (*send_)(const End*, const void*, std::size_t);
  std::size_t (*receive_)(const End*, void*, std::size_t);
  void (*close_)(End*);
  End* end_;
};

}  // namespace orbweaver::bench
