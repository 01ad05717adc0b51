#include "command.h"

#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "bench/harness/experiment.h"
#include "bench/harness/machine.h"
#include "plan.h"
#include "report.h"
#include "runner.h"

namespace orbweaver::bench {
namespace {

class ScaleCommand {
 public:
  ScaleCommand(const ScalePlan& plan, const std::string& programs, std::ostream& err)
      : plan_(plan), programs_(programs), pin_(*named<Pin>(plan.pin)), err_(err), skipped_(err) {}

  std::vector<ScaleRow> measure(const std::vector<ScaleSettings>& all) {
    for (const ScaleSettings& each : all) measure(each);
    return std::move(rows_);
  }
  bool failed() const { return failed_; }

 private:
  std::string program_of(const std::string& subject) const {
    return programs_ + "/bench-" + subject + "-scale";
  }

  /// Subjects that are built and have the settings.
  std::vector<std::string> subjects_of(const ScaleSettings& settings) {
    std::vector<std::string> subjects;
    for (const std::string& subject : plan_.subjects) {
      std::string reason = reason_against(subject, settings);
      // What a subject does not have is in the documents; that it is missing here is not.
      if (reason.empty() && !std::filesystem::exists(program_of(subject)))
        skipped_.add(subject + ": not built here");
      else if (reason.empty())
        subjects.push_back(subject);
    }
    return subjects;
  }

  void measure(const ScaleSettings& settings) {
    const std::vector<std::string> subjects = subjects_of(settings);
    std::vector<ScaleRow> rows;
    for (const std::uint32_t callers : possible_callers(settings))
      for (const std::string& subject : subjects) rows.push_back({subject, settings, callers, pin_, {}});
    interleave(plan_.rounds, subjects.size(),
               [&](std::size_t subject) { add_round(subjects[subject], settings, rows); });
    for (ScaleRow& row : rows)
      if (!row.rounds.empty()) rows_.push_back(std::move(row));
  }

  void add_round(const std::string& subject, const ScaleSettings& settings, std::vector<ScaleRow>& rows) {
    try {
      for (const ScaleSample& sample : run_scale(settings, program_of(subject), pin_))
        for (ScaleRow& row : rows)
          if (row.subject == subject && row.callers == sample.callers) row.rounds.push_back(sample);
    } catch (const std::exception& problem) {
      failed_ = true;
      err_ << "failed: " << subject << ", " << settings.count << " " << name(settings.part) << ": "
           << problem.what() << "\n";
    }
  }

  const ScalePlan& plan_;
  const std::string& programs_;
  const Pin pin_;
  std::ostream& err_;
  std::vector<ScaleRow> rows_;
  Skipped skipped_;
  bool failed_ = false;
};

}  // namespace

int run_scale_command(const ScalePlan& plan, const std::string& programs, const std::string& json_file,
                      std::ostream& out, std::ostream& err) {
  const auto run = [&] {
    const std::vector<ScaleSettings> settings = scale_settings(plan);
    (void)placement(*named<Pin>(plan.pin), allowed_cpus());  // before the first measurement
    const ScaleConditions conditions{machine_description(), build_commit(), load_average(), plan.rounds};
    ScaleCommand command(plan, programs, err);
    const std::vector<ScaleRow> rows = command.measure(settings);
    print_scale(json_file == "-" ? err : out, rows, conditions);
    if (rows.empty()) err << "orbweaver bench: nothing was measured\n";
    const auto write = [&](std::ostream& to) { write_scale_json(to, rows); };
    return write_rows(json_file, write, out, err) && !command.failed() && !rows.empty() ? 0 : 1;
  };
  return status_of(run, err);
}

}  // namespace orbweaver::bench
