#include "sca/monitor/log_lines.h"

#include <cstdint>
#include <string>

#include "base/printable.h"

namespace orbweaver::sca {
namespace {

/// A level of CosLwLog.
struct Level {
  const char* name;
  const char* severity;
};

Level level_of(std::uint16_t level) {
  static constexpr Level kLevels[] = {
      {"SECURITY_ALARM", "error"},  {"FAILURE_ALARM", "error"},       {"DEGRADED_ALARM", "warning"},
      {"EXCEPTION_ERROR", "error"}, {"FLOW_CONTROL_ERROR", "error"},  {"RANGE_ERROR", "error"},
      {"USAGE_ERROR", "error"},     {"ADMINISTRATIVE_EVENT", "info"}, {"STATISTIC_REPORT", "info"},
  };
  if (level >= 1 && level <= std::size(kLevels)) return kLevels[level - 1];
  if (level >= 10 && level <= 26) return {"DEBUG", "debug"};
  return {"LEVEL", "info"};
}

/// The record may have been read incompletely: what is missing is not counted.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::string shown = printable(text, most);
  return shown.substr(0, shown.rfind("… (")) + "…";
}

}  // namespace

monitor::LogLine line_of(const services::LogEntry& record) {
  const Level level = level_of(record.level);
  monitor::LogLine line;
  line.number = record.id;
  line.unix_ms = record.time_ns / 1'000'000;
  line.level = level.severity;
  line.level_name = level.name;
  if (record.level < 1 || record.level > 9) line.level_name += " " + std::to_string(record.level);
  line.source = cut(record.producer_name, kMostProducerBytes);
  line.source_id = cut(record.producer_id, kMostProducerBytes);
  line.text = cut(record.data, kMostLineBytes);
  return line;
}

}  // namespace orbweaver::sca
