#include "sca/device/failure_log.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "sca/own_device/call_limit.h"

namespace orbweaver::sca {
namespace {

constexpr int kLogCallMs = 2000;
/// Time in which a text is written once.
constexpr std::chrono::seconds kRepetition{10};
/// Name of the log in the context of a domain.
constexpr const char* kLogName = "Log";

// Error numbers of CF::Port::InvalidPort, as those of our components.
constexpr std::uint16_t kNoLog = 2, kNoConnection = 4;

/// Asks the log first: the writing operation is oneway, and would be lost on a connection that has ended.
void write_to(const IDL::traits<CosLwLog::LogProducer>::ref_type& log,
              const CosLwLog::ProducerLogRecord& record) {
  log->get_availability_status();
  log->write_record(record);
}

}  // namespace

FailureLog::FailureLog(IDL::traits<CORBA::ORB>::ref_type orb, DomainContext domain, Producer producer)
    : orb_(std::move(orb)), domain_(std::move(domain)), producer_(std::move(producer)),
      thread_("ow-failure-log", [this](const CosLwLog::ProducerLogRecord& record) { return send(record); }) {}

void FailureLog::write(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    if (!domain_ && connected_.empty()) return;
    const auto now = std::chrono::steady_clock::now();
    if (text == last_text_ && now - last_time_ < kRepetition) return;
    last_text_ = text;
    last_time_ = now;
  }
  thread_.push(CosLwLog::ProducerLogRecord(producer_.id, producer_.name, CosLwLog::FAILURE_ALARM, text));
}

bool FailureLog::send(const CosLwLog::ProducerLogRecord& record) noexcept {
  try {
    if (domain_) {
      if (!log_)
        log_ = with_call_limit<CosLwLog::LogProducer>(
            orb_, find_in_context(orb_, domain_, kLogName, kLogCallMs), kLogCallMs);
      if (!log_) throw CORBA::OBJECT_NOT_EXIST();
      write_to(log_, record);
    }
  } catch (const std::exception& e) {
    log_ = nullptr;
    log::debug([&] { return std::string("the log of the domain cannot be called: ") + e.what(); });
    return false;
  }
  std::vector<LogRef> connected;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, log] : connected_) connected.push_back(log);
  }
  for (const LogRef& log : connected) {
    try {
      if (!log_ || !log->_is_equivalent(log_)) write_to(log, record);
    } catch (const std::exception& e) {
      log::debug([&] { return std::string("a connected log cannot be called: ") + e.what(); });
    }
  }
  return true;
}

void FailureLog::connect(const ObjectRef& log, const std::string& id) {
  LogRef producer;
  try {
    producer = with_call_limit<CosLwLog::LogProducer>(orb_, log, kLogCallMs);
  } catch (const CORBA::SystemException& e) {
    throw CF::Port::InvalidPort(kNoLog, std::string("the object cannot be called: ") + e.what());
  }
  if (!producer) throw CF::Port::InvalidPort(kNoLog, "the object is no CosLwLog::LogProducer");
  const std::lock_guard lock(mutex_);
  if (connected_.size() >= kMaxConnections && !connected_.contains(id)) throw CF::Port::OccupiedPort();
  connected_[id] = std::move(producer);
}

void FailureLog::disconnect(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (connected_.erase(id) == 0) throw CF::Port::InvalidPort(kNoConnection, "there is no such connection");
}

}  // namespace orbweaver::sca
