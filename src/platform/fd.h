#pragma once

#include <string>
#include <utility>

namespace orbweaver::platform {

/// Owns one file descriptor and closes it. Moves, never copies. Every descriptor made in this room is
/// close-on-exec. Closing while another thread uses the number is the owner's mistake to avoid: the number
/// may be another file a moment later.
class Fd {
 public:
  Fd() noexcept = default;
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Gives the descriptor to the caller, who closes it.
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// A descriptor, or the errno value that says why there is none.
struct FdResult {
  Fd fd;
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};

/// The system's words for an errno value: "Connection refused".
std::string error_text(int error);

}  // namespace orbweaver::platform
