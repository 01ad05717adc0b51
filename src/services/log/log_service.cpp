#include <orbweaver/services/log_service.h>

#include <limits>

#include "services/log/log_servant.h"
#include "services/log/record_store.h"

namespace orbweaver::services {

LightweightLog::LightweightLog(const CORBA::object_reference<PortableServer::POA>& poa,
                               const LogOptions& options)
    : store_(std::make_shared<lwlog::RecordStore>(options)), poa_(poa),
      id_(poa->activate_object(CORBA::make_reference<lwlog::LogServant>(store_, options, poa))),
      reference_(poa->id_to_reference(id_)) {}

LightweightLog::~LightweightLog() { destroy(); }

void LightweightLog::write(LogEntry entry) { store_->write(std::move(entry), lwlog::time_now_ns()); }

std::vector<LogEntry> LightweightLog::read(std::uint64_t first, std::size_t count,
                                           std::size_t max_string_bytes) const {
  return store_->read(first, count, std::numeric_limits<std::size_t>::max(), nullptr, max_string_bytes)
      .entries;
}

LogCounts LightweightLog::counts() const { return store_->counts(); }

void LightweightLog::destroy() noexcept {
  store_->end();
  try {
    poa_->deactivate_object(id_);
  } catch (const CORBA::Exception&) {  // destroyed before, by a client or with its POA
  }
}

}  // namespace orbweaver::services
