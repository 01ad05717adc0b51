#pragma once

#include <orbweaver/poa.h>
#include <orbweaver/services/log_service.h>

#include <chrono>
#include <mutex>
#include <string>

namespace orbweaver::sca {

/// The log of a domain manager: a log service, which clients can read and write, too. Thread-safe.
class DomainLog {
 public:
  /// `domain` is the producer of its records.
  DomainLog(const IDL::traits<PortableServer::POA>::ref_type& poa, std::string domain);

  /// Writes what has happened (CosLwLog level ADMINISTRATIVE_EVENT).
  void event(const std::string& text);
  /// Writes what has failed (FAILURE_ALARM), also to standard error. The same text is written once in 10 s: a
  /// node tries again and again.
  void problem(const std::string& text);

  IDL::traits<CORBA::Object>::ref_type reference() const { return log_.reference(); }

 private:
  void write(std::uint16_t level, const std::string& text);

  const std::string domain_;
  services::LightweightLog log_;
  std::mutex mutex_;  // for the following
  std::string last_problem_;
  std::chrono::steady_clock::time_point last_time_{};
};

}  // namespace orbweaver::sca
