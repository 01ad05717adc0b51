#pragma once

#include <orbweaver/poa.h>

#include <functional>
#include <memory>

#include "CosLwLogS.h"
#include "services/log/record_store.h"

namespace orbweaver::services::lwlog {

/// The interface CosLwLog::Log over a store. Thread-safe.
class LogServant final : public virtual CORBA::servant_traits<CosLwLog::Log>::base_type {
 public:
  LogServant(std::shared_ptr<RecordStore> store, const LogOptions& options,
             CORBA::object_reference<PortableServer::POA> poa)
      : store_(std::move(store)), options_(options), poa_(std::move(poa)) {}

  std::uint64_t get_max_size() override { return store_->max_size(); }
  std::uint64_t get_current_size() override { return store_->counts().bytes; }
  std::uint64_t get_n_records() override { return store_->counts().records; }
  CosLwLog::LogFullAction get_log_full_action() override;
  CosLwLog::AvailabilityStatus get_availability_status() override;
  CosLwLog::AdministrativeState get_administrative_state() override;
  CosLwLog::OperationalState get_operational_state() override;

  void set_max_size(std::uint64_t size) override;
  void set_log_full_action(CosLwLog::LogFullAction action) override;
  void set_administrative_state(CosLwLog::AdministrativeState state) override;
  void clear_log() override { store_->clear(); }
  void destroy() override;

  CosLwLog::RecordId get_record_id_from_time(const CosLwLog::LogTime& fromTime) override;
  CosLwLog::LogRecordSequence retrieve_records(CosLwLog::RecordId& currentId,
                                               std::uint32_t& howMany) override;
  CosLwLog::LogRecordSequence retrieve_records_by_level(CosLwLog::RecordId& currentId, std::uint32_t& howMany,
                                                        const CosLwLog::LogLevelSequence& valueList) override;
  CosLwLog::LogRecordSequence retrieve_records_by_producer_id(CosLwLog::RecordId& currentId,
                                                              std::uint32_t& howMany,
                                                              const CosLwLog::StringSeq& valueList) override;
  CosLwLog::LogRecordSequence retrieve_records_by_producer_name(
      CosLwLog::RecordId& currentId, std::uint32_t& howMany, const CosLwLog::StringSeq& valueList) override;

  void write_records(const CosLwLog::ProducerLogRecordSequence& records) override;
  void write_record(const CosLwLog::ProducerLogRecord& record) override;

 private:
  CosLwLog::LogRecordSequence retrieve(CosLwLog::RecordId& currentId, std::uint32_t& howMany,
                                       const std::function<bool(const LogEntry&)>& matches);

  const std::shared_ptr<RecordStore> store_;
  const LogOptions options_;
  const CORBA::object_reference<PortableServer::POA> poa_;
};

/// The time now, in nanoseconds since 1970-01-01 00:00 UTC.
std::int64_t time_now_ns();

}  // namespace orbweaver::services::lwlog
