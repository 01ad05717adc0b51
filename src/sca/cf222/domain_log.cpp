#include "sca/cf222/domain_log.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sca/cf222/remote_calls.h"

namespace orbweaver::sca {
namespace {

// Levels of CosLwLog.
constexpr std::uint16_t kFailureAlarm = 2;
constexpr std::uint16_t kAdministrativeEvent = 8;

/// Time in which a problem is written once.
constexpr std::chrono::seconds kRepetition{10};
/// Problems that are recognised when they are repeated; of further ones, each repetition is written.
constexpr std::size_t kMaxProblems = 1024;

services::LogOptions log_options() {
  services::LogOptions options;
  options.clients_may_destroy = false;
  return options;
}

}  // namespace

DomainLog::DomainLog(const IDL::traits<PortableServer::POA>::ref_type& poa, std::string domain)
    : domain_(std::move(domain)), log_(poa, log_options()) {}

void DomainLog::write(std::uint16_t level, const std::string& text) {
  services::LogEntry entry;
  entry.producer_id = domain_;
  entry.producer_name = "domain manager";
  entry.level = level;
  entry.data = text;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& forward : forwards_)
      forward->push(Record(entry.producer_id, entry.producer_name, entry.level, entry.data));
  }
  log_.write(std::move(entry));
}

void DomainLog::forward(FindLog find) {
  auto made = std::make_unique<Forward>(
      "ow-domain-log", [this, find = std::move(find)](const Record& record) { return send(find, record); });
  const std::lock_guard lock(mutex_);
  forwards_.push_back(std::move(made));
}

void DomainLog::end() {
  std::vector<std::unique_ptr<Forward>> ended;  // destroyed without the lock: their threads are joined
  const std::lock_guard lock(mutex_);
  ended.swap(forwards_);
}

bool DomainLog::send(const FindLog& find, const Record& record) const noexcept {
  try {
    const ObjectRef found = find();
    if (!found) return false;
    if (found->_is_equivalent(log_.reference())) return true;
    if (!limited<CORBA::Object>(found, kAttributeLimit)->_is_a(CosLwLog::LogProducer::_interface_id()))
      return true;
    const auto other = limited<CosLwLog::LogProducer>(found, kAttributeLimit);
    // Asked first: the writing operation is oneway, and would be lost on a connection that has ended.
    other->get_availability_status();
    other->write_record(record);
    return true;
  } catch (const std::exception& e) {
    log::debug([&] { return std::string("a log service cannot be called: ") + e.what(); });
    return false;
  }
}

void DomainLog::event(const std::string& text) {
  log::info([&] { return text; });
  write(kAdministrativeEvent, text);
}

void DomainLog::problem(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(problems_, [&](const auto& each) { return now - each.second >= kRepetition; });
    if (problems_.contains(text)) return;
    if (problems_.size() < kMaxProblems) problems_.emplace(text, now);
  }
  log::warn(text);
  write(kFailureAlarm, text);
}

std::vector<services::LogEntry> DomainLog::records(std::uint64_t after, std::size_t most,
                                                   std::size_t max_string_bytes) const {
  // Ids are numbers from 1 without gaps.
  const std::uint64_t last = log_.counts().written;
  if (after >= last) return {};
  const std::uint64_t first = last > most ? last - most + 1 : 1;
  return log_.read(std::max(first, after + 1), most, max_string_bytes);
}

}  // namespace orbweaver::sca
