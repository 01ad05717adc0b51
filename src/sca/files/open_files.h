#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "CFC.h"
#include "platform/fd.h"
#include "sca/files/limits.h"

namespace orbweaver::sca {

class FileServant;

/// The open files of one file system: activates their servants, and limits their number (FileSystemOptions).
/// A file's descriptor is closed with its servant, when the requests in progress have ended. Any thread.
class OpenFiles : public std::enable_shared_from_this<OpenFiles> {
 public:
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

  OpenFiles(PoaRef poa, const FileSystemOptions& options);
  ~OpenFiles();

  /// Activates a file for the caller of this upcall. Raises CF::FileException (CF_EMFILE) at the limit.
  IDL::traits<CF::File>::ref_type add(platform::Fd fd, const std::string& name, bool read_only);
  /// For FileServant::close(): deactivates a file.
  void remove(std::uint64_t serial);
  /// Deactivates all files.
  void close_all();
  /// Number of open files.
  std::size_t size() const;

 private:
  struct Entry {
    PortableServer::ObjectId id;
    CORBA::servant_reference<FileServant> servant;
    std::string peer;
  };

  /// Finds the file that has not been used for the longest time, of `peer` or of all if that is empty, or the
  /// end if it has been used within idle_ns. With the lock.
  std::map<std::uint64_t, Entry>::iterator find_idle(const std::string& peer);
  void deactivate(const PortableServer::ObjectId& id);

  const PoaRef poa_;
  const FileSystemOptions options_;
  mutable std::mutex mutex_;  // for the following
  std::map<std::uint64_t, Entry> files_;
  std::uint64_t last_serial_ = 0;
};

}  // namespace orbweaver::sca
