#include "sca/files/file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "platform/clock.h"
#include "platform/regular_file.h"
#include "sca/files/file_error.h"
#include "sca/files/open_files.h"

namespace orbweaver::sca {

FileServant::FileServant(platform::Fd fd, std::string name, bool read_only, std::uint32_t max_read_bytes,
                         std::weak_ptr<OpenFiles> files, std::uint64_t serial)
    : name_(std::move(name)), read_only_(read_only), max_read_bytes_(max_read_bytes),
      files_(std::move(files)), serial_(serial), last_use_ns_(platform::now_ns()), fd_(std::move(fd)) {}

template <class Exception>
std::uint64_t FileServant::size() {
  last_use_ns_ = platform::now_ns();
  std::uint64_t size = 0;
  const int error = fd_ ? platform::file_size(fd_, size) : EBADF;
  if (error != 0)
    throw Exception(error_number(error), name_ + ": " + (fd_ ? platform::error_text(error) : "it is closed"));
  return size;
}

std::uint32_t FileServant::filePointer() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(position_);
}

void FileServant::read(CF::OctetSequence& data, std::uint32_t length) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t size = this->size<CF::File::IOException>();
  const std::uint64_t rest = size > position_ ? size - position_ : 0;
  if (rest > 0 && length > 0 && position_ == kMaxFilePosition)
    throw_io_exception(EFBIG, name_ + ": a file pointer has 32 bits");
  const std::uint64_t wanted = std::min({std::uint64_t{length}, rest, kMaxFilePosition - position_});
  if (wanted > max_read_bytes_) {
    throw CF::File::IOException(CF::ErrorNumberType::CF_EINVAL,
                                name_ + ": a read of " + std::to_string(wanted) + " octets; at most " +
                                    std::to_string(max_read_bytes_) + " are read at once");
  }
  data.resize(static_cast<std::size_t>(wanted));
  const platform::IoResult result = platform::read_at(fd_, data, position_);
  if (result.error != 0) throw_io_exception(result.error, name_);
  data.resize(result.bytes);  // fewer if the file has become shorter
  position_ += result.bytes;
}

void FileServant::write(const CF::OctetSequence& data) {
  const std::lock_guard lock(mutex_);
  size<CF::File::IOException>();
  if (read_only_)
    throw CF::File::IOException(CF::ErrorNumberType::CF_EBADF, name_ + ": it was opened to be read only");
  if (data.size() > kMaxFilePosition - position_)
    throw_io_exception(EFBIG, name_ + ": a file pointer has 32 bits");
  const platform::IoResult result = platform::write_at(fd_, data, position_);
  if (result.error != 0) throw_io_exception(result.error, name_);
  position_ += result.bytes;
}

std::uint32_t FileServant::sizeOf() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t size = this->size<CF::FileException>();
  if (size > kMaxFilePosition) {
    throw_file_exception(
        EFBIG, name_ + ": it has " + std::to_string(size) + " octets, which do not fit into 32 bits");
  }
  return static_cast<std::uint32_t>(size);
}

void FileServant::setFilePointer(std::uint32_t filePointer) {
  const std::lock_guard lock(mutex_);
  if (filePointer > size<CF::FileException>()) throw CF::File::InvalidFilePointer();
  position_ = filePointer;
}

void FileServant::close() {
  {
    const std::lock_guard lock(mutex_);
    fd_.reset();  // an operation that waits for the lock finds the file closed
  }
  if (const auto files = files_.lock()) files->remove(serial_);
}

}  // namespace orbweaver::sca
