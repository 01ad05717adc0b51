#pragma once

#include <orbweaver/poa.h>
#include <orbweaver/services/log_service.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "CosLwLogC.h"
#include "base/sending_thread.h"

namespace orbweaver::sca {

/// The log of a domain manager: a log service, which clients can read and write, too. Its records are also
/// written to other log services. Thread-safe.
class DomainLog {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  /// Finds a log service; nil: it does not exist yet.
  using FindLog = std::function<ObjectRef()>;

  /// `domain` is the producer of its records.
  DomainLog(const IDL::traits<PortableServer::POA>::ref_type& poa, std::string domain);

  /// Writes what has happened (CosLwLog level ADMINISTRATIVE_EVENT).
  void event(const std::string& text);
  /// Writes what has failed (FAILURE_ALARM), also to standard error. The same text is written once in 10 s,
  /// also among others: nodes try again and again.
  void problem(const std::string& text);

  /// Writes all later records to another log service, too, by a thread of its own, until end(). Records wait
  /// while it cannot be called, as messages of a SendingThread. No effect if it is this log.
  void forward(FindLog find);
  /// Ends the threads of forward(). What waits is lost.
  void end();

  /// The records with an id above `after`, at most `most`, the latest ones, in their order. Of strings that
  /// are longer than `max_string_bytes`, the rest is left out.
  std::vector<services::LogEntry> records(std::uint64_t after, std::size_t most,
                                          std::size_t max_string_bytes = std::string::npos) const;

  ObjectRef reference() const { return log_.reference(); }

 private:
  using Record = CosLwLog::ProducerLogRecord;
  using Forward = SendingThread<Record>;

  void write(std::uint16_t level, const std::string& text);
  bool send(const FindLog& find, const Record& record) const noexcept;

  const std::string domain_;
  services::LightweightLog log_;
  std::mutex mutex_;  // for the following
  std::vector<std::unique_ptr<Forward>> forwards_;
  std::map<std::string, std::chrono::steady_clock::time_point> problems_;  // of the last 10 s
};

}  // namespace orbweaver::sca
