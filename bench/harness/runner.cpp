#include "runner.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "child.h"
#include "known_subjects.h"
#include "machine.h"
#include "scratch.h"
#include "subject.h"

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;

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

std::string missing(const std::string& subject) {
  const std::string needs(how_to_get(subject));
  return "not built here" + (needs.empty() ? "" : " (it needs " + needs + ")");
}

class ProcessPair {
 public:
  ProcessPair(const RunnerOptions& options, std::string subject, const Case& c)
      : options_(options), missing_(missing(subject)), program_(options.programs + "/bench-" + subject),
        what_(c) {}

  /// Returns nullopt if the subject supports the case, otherwise the reason.
  std::optional<std::string> cannot() const {
    if (!fs::exists(program_)) return missing_;
    Child child(program_, with("can", what_, {}));
    const auto reason = child.read_line(options_.limit);
    const auto status = child.wait(options_.limit);
    if (status == 0) return std::nullopt;
    return status == kExitUnsupported && reason ? *reason : "its program " + describe_exit(status);
  }

  /// Measures with a new server and a new client. Throws std::runtime_error that says which of them failed,
  /// and how.
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
        throw std::runtime_error("its server " + describe_exit(server->wait(options_.limit)));
      more.insert(more.end(), {"--address", ready->substr(6), "--server", std::to_string(server->pid())});
    } else if (what_.pin == Pin::two && what_.experiment != Experiment::twoway) {
      more[1] = "-1";  // threads or processes of the client: not all of them on its core
    }
    Child client(program_, with("call", what_, more));
    const auto line = client.read_line(options_.limit);
    const auto status = client.wait(options_.limit);
    if (server)
      if (const auto early = server->wait(std::chrono::milliseconds(0)); early && *early != 0)
        throw std::runtime_error("its server " + describe_exit(early));
    if (!line || status != 0) throw std::runtime_error("its client " + describe_exit(status));
    return parse_summary(*line);
  }

 private:
  const RunnerOptions& options_;
  std::string missing_;  ///< reason, if there is no such program
  std::string program_;
  Case what_;
};

/// Runs the rounds of one case with all subjects that support it.
class CaseRun {
 public:
  CaseRun(const Case& c, const RunnerOptions& options, Report& report)
      : what_(c), options_(options), report_(report) {}

  void run(const std::vector<std::string>& subjects) {
    std::vector<std::string> available;
    for (const std::string& subject : subjects) {
      if (const auto reason = ProcessPair(options_, subject, what_).cannot())
        skip(subject + " over " + what_.transport + ": " + *reason);
      else
        available.push_back(subject);
    }
    for (unsigned round = 0; round < options_.rounds; ++round) {
      options_.progress(label(what_, std::to_string(round + 1) + "/" + std::to_string(options_.rounds)));
      // Each round begins with another subject, so that none always runs after the same predecessor.
      for (std::size_t i = 0; i < available.size(); ++i) measure(available[(i + round) % available.size()]);
    }
    for (const std::string& subject : available)
      if (!seen_[subject].empty()) report_.outcomes.push_back(outcome(subject));
  }

 private:
  void skip(const std::string& text) {  // once, not per type and size
    if (std::find(report_.skipped.begin(), report_.skipped.end(), text) == report_.skipped.end())
      report_.skipped.push_back(text);
  }

  void measure(const std::string& subject) {
    if (failed_[subject]) return;
    try {
      seen_[subject].push_back(ProcessPair(options_, subject, what_).measure());
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
  for (const Case& c : cases) CaseRun(c, options, report).run(subjects);
  return report;
}

std::string own_folder() { return fs::read_symlink("/proc/self/exe").parent_path().string(); }

}  // namespace orbweaver::bench
