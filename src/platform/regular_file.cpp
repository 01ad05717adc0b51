#include "platform/regular_file.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace orbweaver::platform {
namespace {

/// Whether a file of that size would raise SIGXFSZ (RLIMIT_FSIZE).
bool is_too_large(std::uint64_t size) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur;
}

/// Copies the bytes from `begin` to `size` by reads and writes. Returns an errno value.
int copy_by_blocks(const Fd& from, const Fd& to, std::uint64_t begin, std::uint64_t size) {
  std::vector<std::uint8_t> block(65536);
  for (std::uint64_t at = begin; at < size;) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - at));
    const IoResult got = read_at(from, {block.data(), wanted}, at);
    if (got.error != 0) return got.error;
    if (got.bytes == 0) return 0;  // the file has become shorter
    const IoResult put = write_at(to, {block.data(), got.bytes}, at);
    if (put.error != 0) return put.error;
    at += got.bytes;
  }
  return 0;
}

}  // namespace

IoResult read_at(const Fd& file, std::span<std::uint8_t> buffer, std::uint64_t position) noexcept {
  IoResult result;
  while (result.bytes < buffer.size()) {
    const ssize_t n = pread(file.get(), buffer.data() + result.bytes, buffer.size() - result.bytes,
                            static_cast<off_t>(position + result.bytes));
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      result.error = errno;
      break;
    }
    result.bytes += static_cast<std::size_t>(n);
  }
  return result;
}

IoResult write_at(const Fd& file, std::span<const std::uint8_t> bytes, std::uint64_t position) noexcept {
  IoResult result;
  if (is_too_large(position + bytes.size())) result.error = EFBIG;
  while (result.error == 0 && result.bytes < bytes.size()) {
    const ssize_t n = pwrite(file.get(), bytes.data() + result.bytes, bytes.size() - result.bytes,
                             static_cast<off_t>(position + result.bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      result.error = n == 0 ? EIO : errno;
      break;
    }
    result.bytes += static_cast<std::size_t>(n);
  }
  return result;
}

int file_size(const Fd& file, std::uint64_t& size) noexcept {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return errno;
  size = static_cast<std::uint64_t>(status.st_size);
  return 0;
}

int copy_contents(const Fd& from, const Fd& to) {
  struct stat status {};
  if (fstat(from.get(), &status) != 0) return errno;
  if (fchmod(to.get(), status.st_mode & 0777) != 0) return errno;
  const std::uint64_t size = static_cast<std::uint64_t>(status.st_size);
  if (is_too_large(size)) return EFBIG;
  std::uint64_t copied = 0;
  while (copied < size) {
    off_t in = static_cast<off_t>(copied), out = in;
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - copied, 1u << 30));
    const ssize_t n = copy_file_range(from.get(), &in, to.get(), &out, wanted, 0);
    if (n < 0 && errno == EINTR) continue;
    // Other errors: not every file system, and not every pair of them, has this call.
    if (n <= 0) return copy_by_blocks(from, to, copied, size);
    copied += static_cast<std::uint64_t>(n);
  }
  return 0;
}

}  // namespace orbweaver::platform
