#include "services/log/log_servant.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

namespace orbweaver::services::lwlog {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

CosLwLog::LogTime to_log_time(std::int64_t ns) {
  // A long ends in 2038; later times are reported as its end.
  constexpr std::int64_t kLast = std::numeric_limits<std::int32_t>::max();
  return {static_cast<std::int32_t>(std::min(ns / kNsPerSecond, kLast)),
          static_cast<std::int32_t>(ns % kNsPerSecond)};
}

}  // namespace

std::int64_t time_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

CosLwLog::LogFullAction LogServant::get_log_full_action() {
  return store_->halts_when_full() ? CosLwLog::LogFullAction::HALT : CosLwLog::LogFullAction::WRAP;
}

CosLwLog::AvailabilityStatus LogServant::get_availability_status() {
  return {store_->locked(), store_->full()};
}

CosLwLog::AdministrativeState LogServant::get_administrative_state() {
  return store_->locked() ? CosLwLog::AdministrativeState::locked : CosLwLog::AdministrativeState::unlocked;
}

CosLwLog::OperationalState LogServant::get_operational_state() {
  return CosLwLog::OperationalState::enabled;  // memory does not fail
}

void LogServant::set_max_size(std::uint64_t size) {
  const std::string error = store_->set_max_size(size);
  if (!error.empty()) throw CosLwLog::InvalidParam(error);
}

void LogServant::set_log_full_action(CosLwLog::LogFullAction action) {
  store_->set_halt_when_full(action == CosLwLog::LogFullAction::HALT);
}

void LogServant::set_administrative_state(CosLwLog::AdministrativeState state) {
  store_->set_locked(state == CosLwLog::AdministrativeState::locked);
}

void LogServant::destroy() {
  if (!options_.clients_may_destroy) {
    throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO,
                               "this log is destroyed by its host only");
  }
  store_->end();
  this->_add_ref();
  const auto self = CORBA::servant_reference<LogServant>::adopt(this);
  poa_->deactivate_object(poa_->servant_to_id(self));
}

CosLwLog::RecordId LogServant::get_record_id_from_time(const CosLwLog::LogTime& fromTime) {
  return store_->id_from_time(fromTime.seconds() * kNsPerSecond + fromTime.nanoseconds());
}

CosLwLog::LogRecordSequence LogServant::retrieve(CosLwLog::RecordId& currentId, std::uint32_t& howMany,
                                                 const std::function<bool(const LogEntry&)>& matches) {
  const RecordStore::Records found = store_->read(currentId, howMany, options_.reply_bytes, matches);
  CosLwLog::LogRecordSequence records;
  records.reserve(found.entries.size());
  for (const LogEntry& entry : found.entries) {
    records.emplace_back(
        entry.id, to_log_time(entry.time_ns),
        CosLwLog::ProducerLogRecord(entry.producer_id, entry.producer_name, entry.level, entry.data));
  }
  currentId = found.next_id;
  howMany = static_cast<std::uint32_t>(records.size());
  return records;
}

CosLwLog::LogRecordSequence LogServant::retrieve_records(CosLwLog::RecordId& currentId,
                                                         std::uint32_t& howMany) {
  return retrieve(currentId, howMany, nullptr);
}

CosLwLog::LogRecordSequence LogServant::retrieve_records_by_level(
    CosLwLog::RecordId& currentId, std::uint32_t& howMany, const CosLwLog::LogLevelSequence& valueList) {
  const std::set<std::uint16_t> levels(valueList.begin(), valueList.end());
  return retrieve(currentId, howMany, [&](const LogEntry& entry) { return levels.count(entry.level) > 0; });
}

CosLwLog::LogRecordSequence LogServant::retrieve_records_by_producer_id(
    CosLwLog::RecordId& currentId, std::uint32_t& howMany, const CosLwLog::StringSeq& valueList) {
  const std::set<std::string> ids(valueList.begin(), valueList.end());
  return retrieve(currentId, howMany,
                  [&](const LogEntry& entry) { return ids.count(entry.producer_id) > 0; });
}

CosLwLog::LogRecordSequence LogServant::retrieve_records_by_producer_name(
    CosLwLog::RecordId& currentId, std::uint32_t& howMany, const CosLwLog::StringSeq& valueList) {
  const std::set<std::string> names(valueList.begin(), valueList.end());
  return retrieve(currentId, howMany,
                  [&](const LogEntry& entry) { return names.count(entry.producer_name) > 0; });
}

void LogServant::write_records(const CosLwLog::ProducerLogRecordSequence& records) {
  for (const CosLwLog::ProducerLogRecord& record : records) write_record(record);
}

void LogServant::write_record(const CosLwLog::ProducerLogRecord& record) {
  LogEntry entry;
  entry.producer_id = record.producerId();
  entry.producer_name = record.producerName();
  entry.level = record.level();
  entry.data = record.logData();
  store_->write(std::move(entry), time_now_ns());
}

}  // namespace orbweaver::services::lwlog
