#include "sca/files/open_files.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <orbweaver/peer.h>
#include "base/peer_address.h"
#include "platform/clock.h"
#include "sca/files/file.h"
#include "sca/files/file_error.h"

namespace orbweaver::sca {

OpenFiles::OpenFiles(PoaRef poa, const FileSystemOptions& options)
    : poa_(std::move(poa)), options_(options) {}
OpenFiles::~OpenFiles() = default;

std::map<std::uint64_t, OpenFiles::Entry>::iterator OpenFiles::find_idle(const std::string& peer) {
  auto oldest = files_.end();
  for (auto each = files_.begin(); each != files_.end(); ++each) {
    if (!peer.empty() && each->second.peer != peer) continue;
    if (oldest == files_.end() || each->second.servant->last_use_ns() < oldest->second.servant->last_use_ns())
      oldest = each;
  }
  if (oldest != files_.end() && platform::now_ns() - oldest->second.servant->last_use_ns() < options_.idle_ns)
    return files_.end();
  return oldest;
}

IDL::traits<CF::File>::ref_type OpenFiles::add(platform::Fd fd, const std::string& name, bool read_only) {
  const std::string peer = client_of(orbweaver::peer());
  Entry closed;  // released without the lock
  const std::lock_guard lock(mutex_);
  const auto of_peer = static_cast<std::size_t>(std::count_if(
      files_.begin(), files_.end(), [&](const auto& file) { return file.second.peer == peer; }));
  const bool peer_has_too_many =
      !peer.empty() && of_peer >= std::max<std::size_t>(options_.max_open_files / 2, 1);
  if (peer_has_too_many || files_.size() >= options_.max_open_files) {
    const auto idle = find_idle(peer_has_too_many ? peer : "");
    if (idle == files_.end()) {
      throw_file_exception(EMFILE, name + ": " + std::to_string(files_.size()) + " files are open, " +
                                       std::to_string(of_peer) + " of them by the caller");
    }
    closed = std::move(idle->second);
    files_.erase(idle);
    deactivate(closed.id);
  }
  const std::uint64_t serial = ++last_serial_;
  auto servant = CORBA::make_reference<FileServant>(std::move(fd), name, read_only, options_.max_read_bytes,
                                                    weak_from_this(), serial);
  PortableServer::ObjectId id = poa_->activate_object(servant);
  auto reference = IDL::traits<CF::File>::narrow(poa_->id_to_reference(id));
  files_.emplace(serial, Entry{std::move(id), std::move(servant), peer});
  return reference;
}

void OpenFiles::remove(std::uint64_t serial) {
  Entry closed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(serial);
    if (found == files_.end()) return;  // closed by another call meanwhile
    closed = std::move(found->second);
    files_.erase(found);
  }
  deactivate(closed.id);
}

void OpenFiles::deactivate(const PortableServer::ObjectId& id) {
  try {
    poa_->deactivate_object(id);
  } catch (const PortableServer::POA::ObjectNotActive&) {  // the POA has been destroyed
  }
}

void OpenFiles::close_all() {
  std::map<std::uint64_t, Entry> files;
  {
    const std::lock_guard lock(mutex_);
    files.swap(files_);
  }
  for (const auto& [serial, file] : files) deactivate(file.id);
}

std::size_t OpenFiles::size() const {
  const std::lock_guard lock(mutex_);
  return files_.size();
}

}  // namespace orbweaver::sca
