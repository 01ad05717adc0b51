#pragma once

#include <string>
#include <utility>

namespace orbweaver::platform {

/// Owns one file descriptor and closes it. Movable, not copyable. Every descriptor that src/platform opens is
/// close-on-exec. The owner must not close a descriptor that another thread uses: the number may be reused
/// for another file at once.
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
  /// Passes ownership to the caller, who closes the descriptor.
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// A descriptor, or an errno value.
struct FdResult {
  Fd fd;
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};

/// The system's text for an errno value: "Connection refused".
std::string error_text(int error);

}  // namespace orbweaver::platform
