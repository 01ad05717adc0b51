// orbweaver log follow
#include <limits>

#include "CosLwLogC.h"
#include "base/printable.h"
#include "sca/control/call_error.h"
#include "sca/control/event_text.h"
#include "sca/control/follow.h"
#include "sca/control/followed_calls.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxLineBytes = 4'096;
constexpr std::uint32_t kRecordsAtOnce = 100;

const char* name_of_level(CosLwLog::LogLevel level) {
  switch (level) {
    case CosLwLog::SECURITY_ALARM: return "SECURITY_ALARM";
    case CosLwLog::FAILURE_ALARM: return "FAILURE_ALARM";
    case CosLwLog::DEGRADED_ALARM: return "DEGRADED_ALARM";
    case CosLwLog::EXCEPTION_ERROR: return "EXCEPTION_ERROR";
    case CosLwLog::FLOW_CONTROL_ERROR: return "FLOW_CONTROL_ERROR";
    case CosLwLog::RANGE_ERROR: return "RANGE_ERROR";
    case CosLwLog::USAGE_ERROR: return "USAGE_ERROR";
    case CosLwLog::ADMINISTRATIVE_EVENT: return "ADMINISTRATIVE_EVENT";
    case CosLwLog::STATISTIC_REPORT: return "STATISTIC_REPORT";
    default: return level >= 10 && level <= 26 ? "DEBUG" : "LEVEL";
  }
}

std::string level_text(CosLwLog::LogLevel level) {
  const std::string name = name_of_level(level);
  return level >= 1 && level <= 9 ? name : name + " " + std::to_string(level);
}

std::string line_of(const CosLwLog::LogRecord& record, bool as_json) {
  const CosLwLog::ProducerLogRecord& info = record.info();
  const std::string time = utc_time(record.time().seconds(), record.time().nanoseconds());
  if (!as_json) {
    return time + " " +
           printable(level_text(info.level()) + " " + info.producerName() + ": " + info.logData(),
                     kMaxLineBytes) +
           "\n";
  }
  return json_line({{"id", record.id()},
                    {"time", time},
                    {"level", info.level()},
                    {"level_name", level_text(info.level())},
                    {"producer_id", info.producerId()},
                    {"producer_name", info.producerName()},
                    {"text", info.logData()}});
}

/// A log from a record on.
class LogReader {
 public:
  /// Begins `lines` records before the next one. Throws Error: unavailable if the domain has no such log.
  LogReader(const DomainClient& client, const ControlOptions& options, const std::string& name,
            std::uint64_t lines)
      : calls_("the log '" + name + "' of the domain '" + options.domain + "'"),
        log_(IDL::traits<CosLwLog::LogConsumer>::narrow(client.find_in_domain(name))) {
    if (!log_) {
      throw Error{ErrorKind::unavailable, "the domain '" + options.domain + "' has no log '" + name +
                                              "': `orbweaver naming list " + options.domain +
                                              "` shows what it has"};
    }
    // No record has this time or a later one: the log tells the id of the next record.
    const CosLwLog::RecordId next = log_->get_record_id_from_time(
        CosLwLog::LogTime(std::numeric_limits<std::int32_t>::max(), 999'999'999));
    next_ = next > lines ? next - lines : 1;
  }

  /// Reads the next records; at most `kRecordsAtOnce`. None if the log does not answer.
  CosLwLog::LogRecordSequence read() {
    CosLwLog::LogRecordSequence records;
    calls_.succeeds([&] {
      std::uint32_t count = kRecordsAtOnce;
      CosLwLog::RecordId next = next_;
      records = log_->retrieve_records(next, count);
      next_ = next;
    });
    return records;
  }

 private:
  FollowedCalls calls_;
  IDL::traits<CosLwLog::LogConsumer>::ref_type log_;
  CosLwLog::RecordId next_ = 1;
};

/// Counts the records that were overwritten before they have been read.
class MissingRecords {
 public:
  /// The number of records between the last one and this.
  std::uint64_t before(const CosLwLog::LogRecord& record) {
    const std::uint64_t missing = last_ != 0 && record.id() > last_ + 1 ? record.id() - last_ - 1 : 0;
    last_ = record.id();
    return missing;
  }

 private:
  CosLwLog::RecordId last_ = 0;  // 0: none
};

}  // namespace

Result<void> follow_log(const ControlOptions& options, const std::string& name, std::uint64_t lines,
                        const FollowOutput& output) {
  Result<void> printed;
  const auto followed = execute([&] {
    const DomainClient client(options);
    client.domain();
    LogReader log(client, options, name, lines);
    MissingRecords missing;
    output.note("waiting for records of the log '" + name + "' of the domain '" + options.domain + "'");
    for (bool more = true; printed && output.wait(more ? 0 : kFollowIntervalMs);) {
      const CosLwLog::LogRecordSequence records = log.read();
      more = !records.empty();
      std::string text;
      for (const CosLwLog::LogRecord& record : records) {
        if (const std::uint64_t count = missing.before(record); count != 0)
          output.note(std::to_string(count) + " records were overwritten before they could be read");
        text += line_of(record, options.json);
      }
      if (more) printed = output.print(text);
    }
    return std::string();
  });
  if (!followed) return followed.error();
  return printed;
}

}  // namespace orbweaver::sca
