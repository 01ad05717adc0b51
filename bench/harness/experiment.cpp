#include "experiment.h"

#include <algorithm>
#include <fstream>
#include <ostream>

#include "plan.h"

namespace orbweaver::bench {

void interleave(unsigned rounds, std::size_t subjects, const std::function<void(std::size_t)>& measure) {
  for (unsigned round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < subjects; ++i) measure((i + round) % subjects);
}

void Skipped::add(const std::string& text) {
  if (std::find(texts_.begin(), texts_.end(), text) != texts_.end()) return;
  texts_.push_back(text);
  err_ << "skipped: " << text << "\n";
}

bool write_rows(const std::string& file, const std::function<void(std::ostream&)>& write, std::ostream& out,
                std::ostream& err) {
  if (file.empty()) return true;
  if (file == "-") {
    write(out);
    return static_cast<bool>(out.flush());
  }
  std::ofstream json(file);
  write(json);
  json.close();
  if (!json) err << "orbweaver bench: cannot write " << file << "\n";
  return static_cast<bool>(json);
}

std::string load_average() {
  std::string load = "unknown";
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

int status_of(const std::function<int()>& run, std::ostream& err) {
  try {
    return run();
  } catch (const InvalidPlan& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 2;
  } catch (const std::exception& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 1;
  }
}

}  // namespace orbweaver::bench
