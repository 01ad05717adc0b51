#include "sca/cf222/domain_log.h"

#include <utility>

#include "base/log.h"

namespace orbweaver::sca {
namespace {

// Levels of CosLwLog.
constexpr std::uint16_t kFailureAlarm = 2;
constexpr std::uint16_t kAdministrativeEvent = 8;

/// Time in which a problem is written once.
constexpr std::chrono::seconds kRepetition{10};

services::LogOptions options() {
  services::LogOptions options;
  options.clients_may_destroy = false;
  return options;
}

}  // namespace

DomainLog::DomainLog(const IDL::traits<PortableServer::POA>::ref_type& poa, std::string domain)
    : domain_(std::move(domain)), log_(poa, options()) {}

void DomainLog::write(std::uint16_t level, const std::string& text) {
  services::LogEntry entry;
  entry.producer_id = domain_;
  entry.producer_name = "domain manager";
  entry.level = level;
  entry.data = text;
  log_.write(std::move(entry));
}

void DomainLog::event(const std::string& text) {
  log::info([&] { return text; });
  write(kAdministrativeEvent, text);
}

void DomainLog::problem(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (text == last_problem_ && now - last_time_ < kRepetition) return;
    last_problem_ = text;
    last_time_ = now;
  }
  log::warn(text);
  write(kFailureAlarm, text);
}

}  // namespace orbweaver::sca
