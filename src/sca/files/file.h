#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "CFS.h"
#include "platform/fd.h"
#include "sca/files/limits.h"

namespace orbweaver::sca {

class OpenFiles;

/// Servant of an open file (SCA 2.2.2, 3.1.3.4.1). Operations of one file exclude each other. A read or write
/// that raises an exception leaves the file pointer where it was.
class FileServant final : public virtual CORBA::servant_traits<CF::File>::base_type {
 public:
  /// `files` gets to know when the file is closed.
  FileServant(platform::Fd fd, std::string name, bool read_only, std::uint32_t max_read_bytes,
              std::weak_ptr<OpenFiles> files, std::uint64_t serial);

  std::string fileName() override { return name_; }
  std::uint32_t filePointer() override;
  /// Raises IOException (CF_EINVAL) if there are more octets to be read than max_read_bytes.
  void read(CF::OctetSequence& data, std::uint32_t length) override;
  void write(const CF::OctetSequence& data) override;
  std::uint32_t sizeOf() override;
  void close() override;
  void setFilePointer(std::uint32_t filePointer) override;

  /// When an operation last began, as now_ns().
  std::int64_t last_use_ns() const noexcept { return last_use_ns_; }

 private:
  /// The size of the file; raises Exception if it is closed or the size cannot be read. With the lock.
  template <class Exception>
  std::uint64_t size();

  const std::string name_;
  const bool read_only_;
  const std::uint32_t max_read_bytes_;
  const std::weak_ptr<OpenFiles> files_;
  const std::uint64_t serial_;
  std::atomic<std::int64_t> last_use_ns_;
  std::mutex mutex_;  // for the following
  platform::Fd fd_;
  std::uint64_t position_ = 0;
};

}  // namespace orbweaver::sca
