#include "command.h"

#include <filesystem>
#include <ostream>

#include "bench/harness/experiment.h"
#include "bench/harness/machine.h"
#include "bench/harness/option_text.h"
#include "bench/harness/plan.h"
#include "report.h"
#include "runner.h"

namespace orbweaver::bench {
namespace {

constexpr std::uint32_t kMostSamples = 1'000'000, kMostPackets = 10'000'000;

/// connection, single, or pool:N.
bool is_thread_mode(const std::string& mode) {
  if (mode == "connection" || mode == "single") return true;
  const std::string digits = mode.starts_with("pool:") ? mode.substr(5) : "";
  return !digits.empty() && digits.size() <= 3 &&
         digits.find_first_not_of("0123456789") == std::string::npos && digits.front() != '0';
}

Pin pin_of(const ProfilePlan& plan) {
  if (!plan.pin && plan.parts) return Pin::two;  // on one core the receiver runs during the sender's call
  if (!plan.pin) return default_pin(*named<Wait>(plan.wait));
  const auto pin = named<Pin>(*plan.pin);
  if (!pin) throw InvalidPlan("--pin: unknown value '" + *plan.pin + "'; use one of " + names<Pin>());
  return *pin;
}

void check(const ProfilePlan& plan) {
  check_words("--transport", plan.transports, {"shm", "unix", "mqueue", "tcp"});
  for (const std::string& each : plan.threads)
    check_option(is_thread_mode(each), "--threads: unknown value '" + each +
                                           "'; use one of connection, pool:N (N up to 999), single");
  check_words("--subject", plan.subjects, {"floor", "orbweaver", "omniorb"});
  for (const std::uint32_t each : plan.samples)
    check_option(each <= kMostSamples, "--samples: each from 0 to " + std::to_string(kMostSamples));
  check_option(
      !plan.transports.empty() && !plan.samples.empty() && !plan.threads.empty() && !plan.subjects.empty(),
      "nothing to measure: --transport, --samples, --threads and --subject each need a value");
  check_option(plan.packets >= 1 && plan.packets <= kMostPackets,
               "--packets: from 1 to " + std::to_string(kMostPackets));
  check_option(plan.interval_us <= 1'000'000, "--interval: from 0 to 1000000 us");
  check_option(plan.rounds >= 1 && plan.rounds <= 1000, "--rounds: from 1 to 1000");
  check_option(named<Wait>(plan.wait).has_value(),
               "--wait: unknown value '" + plan.wait + "'; use one of " + names<Wait>());
  check_option(plan.fifo >= 0 && plan.fifo <= 99, "--fifo: a priority of SCHED_FIFO is from 1 to 99");
  check_option(plan.load <= 1000, "--load: from 0 to 1000 processes");
}

std::string program_of(const std::string& programs, const std::string& subject) {
  return programs + "/bench-" + subject + "-profile";
}

/// Why a subject is not measured; empty if it is.
std::string reason_against(const std::string& programs, const std::string& subject,
                           const ProfileSettings& settings) {
  if (!std::filesystem::exists(program_of(programs, subject))) return "not built here";
  if (subject == "orbweaver") return "";
  if (subject == "floor") {
    if (settings.transport == "mqueue") return "it is measured over tcp, unix and shm";
    if (settings.threads != "connection") return "it is measured with a thread for each connection";
    if (settings.transport == "shm") return "";
  } else {
    if (settings.transport != "tcp" && settings.transport != "unix")
      return "it is measured over tcp and unix";
    if (settings.threads == "single") return "it has no such mode: measure it with --threads pool:1";
  }
  const bool blocks = settings.wait == "block" || settings.wait == "default";
  return blocks ? "" : "it always blocks: measure it with --wait block";
}

std::vector<ProfileSettings> settings_of(const ProfilePlan& plan) {
  std::vector<ProfileSettings> all;
  for (const std::string& transport : plan.transports)
    for (const std::string& threads : plan.threads)
      for (const std::uint32_t samples : plan.samples)
        all.push_back({transport, plan.wait, threads, samples, plan.packets, plan.interval_us, false});
  return all;
}

class ProfileCommand {
 public:
  ProfileCommand(const ProfilePlan& plan, const std::string& programs, std::ostream& err)
      : plan_(plan), programs_(programs), pin_(pin_of(plan)), err_(err), skipped_(err) {}

  std::vector<ProfileRow> measure_all() {
    for (const ProfileSettings& settings : settings_of(plan_)) measure(settings);
    return std::move(rows_);
  }
  bool failed() const { return failed_; }

 private:
  void measure(const ProfileSettings& settings) {
    std::vector<ProfileRow> rows;
    for (const std::string& subject : plan_.subjects) {
      const std::string reason = reason_against(programs_, subject, settings);
      if (reason.empty())
        add_rows(rows, subject, settings);
      else
        skipped_.add(subject + " over " + settings.transport + ": " + reason);
    }
    interleave(plan_.rounds, rows.size(), [&](std::size_t row) { add_round(rows[row]); });
    for (ProfileRow& row : rows)
      if (!row.parts.empty()) rows_.push_back(std::move(row));
  }

  void add_rows(std::vector<ProfileRow>& rows, const std::string& subject, ProfileSettings settings) {
    rows.push_back({subject, settings, pin_, plan_.fifo, plan_.load, plan_.parts});
    if (!plan_.parts || subject != "orbweaver") return;
    settings.interceptors = true;
    rows.push_back({subject, settings, pin_, plan_.fifo, plan_.load, plan_.parts});
  }

  void add_round(ProfileRow& row) {
    try {
      row.add(run_profile(row.settings, program_of(programs_, row.subject), pin_).stamps);
    } catch (const std::runtime_error& problem) {
      failed_ = true;
      err_ << "failed: " << row.label() << " over " << row.settings.transport << ": " << problem.what()
           << "\n";
    }
  }

  const ProfilePlan& plan_;
  const std::string& programs_;
  const Pin pin_;
  std::ostream& err_;
  std::vector<ProfileRow> rows_;
  Skipped skipped_;
  bool failed_ = false;
};

}  // namespace

int run_profile_command(const ProfilePlan& plan, const std::string& programs, const std::string& json_file,
                        std::ostream& out, std::ostream& err) {
  const auto run = [&] {
    check(plan);
    const ProfileConditions conditions{machine_description(), build_commit(), load_average()};
    const ProcessorLoad load(plan.load);  // before the priority, which its processes would inherit
    set_real_time_priority(plan.fifo);
    ProfileCommand command(plan, programs, err);
    const std::vector<ProfileRow> rows = command.measure_all();
    print_profile(json_file == "-" ? err : out, rows, conditions);
    const auto write = [&](std::ostream& to) { write_profile_json(to, rows); };
    return write_rows(json_file, write, out, err) && !command.failed() ? 0 : 1;
  };
  return status_of(run, err);
}

}  // namespace orbweaver::bench
