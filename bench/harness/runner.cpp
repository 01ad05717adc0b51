#include "runner.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "child.h"
#include "machine.h"
#include "subject.h"

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;

/// A folder for what a subject must put in the file system (a socket), gone with everything in it.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "orbweaver-bench-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder like " + pattern);
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string label(const Case& c, const std::string& subject) {
  std::string text = subject;
  text.append(", ").append(name(c.experiment)).append(" over ").append(c.transport);
  text.append(", ").append(name(c.type));
  if (c.bytes) text.append(" ").append(std::to_string(c.bytes)).append(" B");
  return text;
}

std::vector<std::string> with(const char* role, const Case& c, std::vector<std::string> more) {
  std::vector<std::string> args{role};
  for (std::string& arg : to_args(c)) args.push_back(std::move(arg));
  for (std::string& arg : more) args.push_back(std::move(arg));
  return args;
}

std::string how_it_ended(const std::optional<int>& status) {
  if (!status) return "did not finish in time";
  if (*status > 128) return "was ended by signal " + std::to_string(*status - 128);
  return "ended with status " + std::to_string(*status);
}

class Pair {
 public:
  Pair(const RunnerOptions& options, std::string subject, const Case& c)
      : options_(options), program_(options.programs + "/bench-" + subject), what_(c) {}

  /// Nothing if the subject can; else why not.
  std::optional<std::string> cannot() const {
    if (!fs::exists(program_)) return "not built here";
    Child asked(program_, with("can", what_, {}));
    const auto reason = asked.read_line(options_.limit);
    const auto status = asked.wait(options_.limit);
    if (status == 0) return std::nullopt;
    return status == kExitCannot && reason ? *reason : "its program " + how_it_ended(status);
  }

  /// One fresh server, one fresh client. Throws std::runtime_error that says which of them failed, and how.
  Summary measure() const {
    const Placement cpus = placement(what_.pin, allowed_cpus());
    const Scratch scratch;
    std::unique_ptr<Child> server;
    std::vector<std::string> more = {"--cpu", std::to_string(cpus.client)};
    if (has_server(what_)) {
      server = std::make_unique<Child>(
          program_,
          with("serve", what_, {"--cpu", std::to_string(cpus.server), "--scratch", scratch.path()}));
      const auto ready = server->read_line(options_.limit);
      if (!ready || !ready->starts_with("ready "))
        throw std::runtime_error("its server " + how_it_ended(server->wait(std::chrono::seconds(1))));
      more.insert(more.end(), {"--address", ready->substr(6), "--server", std::to_string(server->pid())});
    } else if (what_.pin == Pin::two && what_.experiment == Experiment::oneway) {
      more[1] = "-1";  // two threads of one process, a core each: left to the scheduler
    }
    Child client(program_, with("call", what_, more));
    const auto line = client.read_line(options_.limit);
    const auto status = client.wait(std::chrono::seconds(5));
    if (server)
      if (const auto early = server->wait(std::chrono::milliseconds(0)); early && *early != 0)
        throw std::runtime_error("its server " + how_it_ended(early));
    if (!line || status != 0) throw std::runtime_error("its client " + how_it_ended(status));
    return parse_summary(*line);
  }

 private:
  const RunnerOptions& options_;
  std::string program_;
  Case what_;
};

/// Rounds of all subjects that can run one case.
class CaseRun {
 public:
  CaseRun(const Case& c, const RunnerOptions& options, Report& report)
      : what_(c), options_(options), report_(report) {}

  void run(const std::vector<std::string>& subjects) {
    std::vector<std::string> able;
    for (const std::string& subject : subjects) {
      if (const auto reason = Pair(options_, subject, what_).cannot())
        leave_out(subject + " over " + what_.transport + ": " + *reason);
      else
        able.push_back(subject);
    }
    for (unsigned round = 0; round < options_.rounds; ++round) {
      options_.progress(label(what_, std::to_string(round + 1) + "/" + std::to_string(options_.rounds)));
      // Each round begins with another subject: none always has the machine that the same one left warm.
      for (std::size_t i = 0; i < able.size(); ++i) measure(able[(i + round) % able.size()]);
    }
    for (const std::string& subject : able)
      if (!seen_[subject].empty()) report_.outcomes.push_back(outcome(subject));
  }

 private:
  void leave_out(const std::string& text) {  // once, not for each type and size
    if (std::find(report_.left_out.begin(), report_.left_out.end(), text) == report_.left_out.end())
      report_.left_out.push_back(text);
  }

  void measure(const std::string& subject) {
    if (failed_[subject]) return;
    try {
      seen_[subject].push_back(Pair(options_, subject, what_).measure());
    } catch (const std::runtime_error& problem) {
      failed_[subject] = true;
      seen_[subject].clear();
      report_.failures.push_back(label(what_, subject) + ": " + problem.what());
    }
  }

  Outcome outcome(const std::string& subject) {
    return {what_, subject, combine(seen_[subject]), seen_[subject]};
  }

  Case what_;
  const RunnerOptions& options_;
  Report& report_;
  std::map<std::string, std::vector<Summary>> seen_;
  std::map<std::string, bool> failed_;
};

}  // namespace

Report run(const std::vector<Case>& cases, const std::vector<std::string>& subjects,
           const RunnerOptions& options) {
  Report report;
  for (const Case& each : cases) CaseRun(each, options, report).run(subjects);
  return report;
}

std::string own_folder() { return fs::read_symlink("/proc/self/exe").parent_path().string(); }

}  // namespace orbweaver::bench
