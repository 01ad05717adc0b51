#include "report_experiments.h"

namespace orbweaver::bench {
namespace {

/// The next line, which is removed from `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The texts between quotes.
std::vector<std::string> quoted(std::string_view value) {
  std::vector<std::string> texts;
  for (std::size_t begin = value.find('"'); begin != std::string_view::npos; begin = value.find('"')) {
    const std::size_t end = value.find('"', begin + 1);
    if (end == std::string_view::npos) break;
    texts.emplace_back(value.substr(begin + 1, end - begin - 1));
    value.remove_prefix(end + 1);
  }
  return texts;
}

std::string first(const std::vector<std::string>& texts) { return texts.empty() ? "" : texts.front(); }

enum class Table { experiment, run, other };

void store(std::vector<ReportExperiment>& all, Table table, std::string_view key, std::string_view value) {
  if (all.empty() || table == Table::other) return;
  ReportExperiment& experiment = all.back();
  if (table == Table::experiment) {
    if (key == "name") experiment.name = first(quoted(value));
    if (key == "title") experiment.title = first(quoted(value));
  } else {
    ReportRun& run = experiment.runs.back();
    if (key == "name") run.name = first(quoted(value));
    if (key == "arguments") run.arguments = quoted(value);
    if (key == "optional") run.optional = value == "true";
  }
}

}  // namespace

extern const std::string_view kReportExperiments;  // of the generated file

std::vector<ReportExperiment> parse_report_experiments(std::string_view toml) {
  std::vector<ReportExperiment> all;
  Table table = Table::other;
  while (!toml.empty()) {
    const std::string_view line = take_line(toml);
    if (line == "[[experiment]]") {
      all.emplace_back();
      table = Table::experiment;
    } else if (line == "[[experiment.run]]" && !all.empty()) {
      all.back().runs.emplace_back();
      table = Table::run;
    } else if (line.starts_with("[")) {
      table = Table::other;
    } else if (const std::size_t equals = line.find(" = "); equals != std::string_view::npos) {
      store(all, table, line.substr(0, equals), line.substr(equals + 3));
    }
  }
  return all;
}

std::vector<ReportExperiment> report_experiments() { return parse_report_experiments(kReportExperiments); }

}  // namespace orbweaver::bench
