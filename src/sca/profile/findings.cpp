#include "sca/profile/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/printable.h"

namespace orbweaver::sca {
namespace {

/// The line of a finding. Names and values of profiles, and names of files, may contain anything.
std::string line_of(const Findings::File& file, const Findings::Finding& finding, const char* prefix = "") {
  const Location where{file.path, finding.line, finding.column};
  return printable(where.text() + ": " + prefix + finding.text);
}

/// Longer messages quote a file that is something else altogether.
constexpr std::size_t kMaxTextBytes = 2000;

}  // namespace

Findings::File& Findings::file(const std::string& path) {
  if (last_ < files_.size() && files_[last_].path == path) return files_[last_];
  const auto [entry, is_new] = index_.emplace(path, files_.size());
  if (is_new) files_.push_back({path, {}, 0, 0});
  last_ = entry->second;
  return files_[last_];
}

void Findings::add(Severity severity, const Location& where, const std::string& found,
                   const std::string& advice) {
  File& in = file(where.file);
  const bool is_mistake = severity == Severity::mistake;
  ++(is_mistake ? in.mistakes : in.warnings);
  ++(is_mistake ? mistakes_ : warnings_);
  if (in.list.size() == kMaxStored) return;
  std::string text = found + (advice.empty() ? "" : "; " + advice);
  if (text.size() > kMaxTextBytes) {
    std::size_t end = kMaxTextBytes;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
    text = text.substr(0, end) + "…";
  }
  in.list.push_back({severity, where.line, where.column, std::move(text)});
}

void Findings::mistake(const Location& where, const std::string& found, const std::string& advice) {
  add(Severity::mistake, where, found, advice);
}

void Findings::warn(const Location& where, const std::string& found, const std::string& advice) {
  add(Severity::warning, where, found, advice);
}

std::vector<Findings::File> Findings::sorted() const {
  std::vector<File> files = files_;
  for (File& file : files) {
    std::stable_sort(file.list.begin(), file.list.end(), [](const Finding& a, const Finding& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
  }
  return files;
}

std::string Findings::text(std::size_t max_per_file, bool with_warnings) const {
  std::string text;
  for (const File& file : sorted()) {
    std::size_t mistakes = 0, warnings = 0;
    for (const Finding& finding : file.list) {
      const bool is_mistake = finding.severity == Severity::mistake;
      if (!is_mistake && !with_warnings) continue;
      std::size_t& count = is_mistake ? mistakes : warnings;
      if (count == max_per_file) continue;
      ++count;
      text += line_of(file, finding, is_mistake ? "" : "warning: ") + "\n";
    }
    const auto rest = [&](std::size_t count, const char* what) {
      if (count > 0)
        text += printable(file.path) + ": " + std::to_string(count) + " more " + what +
                (count > 1 ? "s" : "") + ", not shown\n";
    };
    rest(file.mistakes - mistakes, "mistake");
    if (with_warnings) rest(file.warnings - warnings, "warning");
  }
  return text;
}

std::string Findings::first_mistake() const {
  for (const File& file : sorted()) {
    for (const Finding& finding : file.list) {
      if (finding.severity == Severity::mistake) return line_of(file, finding);
    }
    // All that are stored may be warnings.
    if (file.mistakes > 0) return printable(file.path) + ": " + std::to_string(file.mistakes) + " mistakes";
  }
  return {};
}

std::vector<std::string> Findings::warning_lines() const {
  std::vector<std::string> lines;
  for (const File& file : sorted()) {
    for (const Finding& finding : file.list) {
      if (finding.severity == Severity::warning) lines.push_back(line_of(file, finding));
    }
  }
  return lines;
}

}  // namespace orbweaver::sca
