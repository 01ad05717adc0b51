#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>

namespace orbweaver::platform {

/// The descriptor of standard error.
inline constexpr int kStandardError = 2;

/// Writes lines to a descriptor that another program reads, such as standard error, in a thread of its own: a
/// reader that stops reading holds up nobody else. Lines beyond kMaxWaitingBytes are dropped until half of
/// the others have been written; a line tells how many. Nothing more is written after an error of the
/// descriptor. The thread receives no signals. Thread-safe.
class LineWriter {
 public:
  static constexpr std::size_t kMaxWaitingBytes = std::size_t{1} << 20;

  /// The descriptor is not closed. It has to remain open until the process ends if the reader may stop
  /// reading: the thread, which waits for it, then outlives this object.
  explicit LineWriter(int descriptor, int last_ms = 1000);
  /// Waits until all lines have been written, at most `last_ms`.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Adds a line, without its newline. Does not wait.
  void write(std::string line);

 private:
  struct Queue;

  const int last_ms_;
  const std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace orbweaver::platform
