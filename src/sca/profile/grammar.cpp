#include "sca/profile/grammar.h"

#include <algorithm>
#include <utility>

namespace orbweaver::sca {

ContentModel::ContentModel(std::vector<std::vector<Step>> next, std::vector<bool> accepting)
    : next_(std::move(next)), accepting_(std::move(accepting)), to_end_(next_.size(), kNone) {
  for (const auto& steps : next_) {
    for (const Step& step : steps) {
      if (!contains(step.name)) names_.push_back(step.name);
    }
  }
  // A model has a dozen states, so repetition until nothing changes is fast enough.
  for (State s = 0; s < next_.size(); ++s) {
    if (accepting_[s]) to_end_[s] = 0;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (State s = 0; s < next_.size(); ++s) {
      for (const Step& step : next_[s]) {
        if (to_end_[step.to] == kNone || to_end_[step.to] + 1 >= to_end_[s]) continue;
        to_end_[s] = to_end_[step.to] + 1;
        changed = true;
      }
    }
  }
}

ContentModel::State ContentModel::after(State state, std::string_view name) const {
  for (const Step& step : next_[state]) {
    if (step.name == name) return step.to;
  }
  return kNone;
}

bool ContentModel::contains(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::optional<std::vector<std::string>> ContentModel::missing_before(State state,
                                                                     std::string_view name) const {
  struct Visit {
    State state;
    std::size_t before;  // index into visits
    const std::string* name;
  };
  std::vector<Visit> visits{{state, 0, nullptr}};
  std::vector<bool> seen(next_.size(), false);
  seen[state] = true;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    if (after(visits[i].state, name) != kNone) {
      std::vector<std::string> path;
      for (std::size_t at = i; at != 0; at = visits[at].before) path.push_back(*visits[at].name);
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (const Step& step : next_[visits[i].state]) {
      if (seen[step.to]) continue;
      seen[step.to] = true;
      visits.push_back({step.to, i, &step.name});
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> ContentModel::needed(State state) const {
  std::vector<std::string_view> names;
  if (accepting_[state]) return names;
  for (const Step& step : next_[state]) {
    if (to_end_[step.to] != kNone && to_end_[step.to] + 1 == to_end_[state]) names.push_back(step.name);
  }
  return names;
}

const AttributeRule* ElementRule::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const AttributeRule& rule) { return rule.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

const ElementRule* Grammar::find(std::string_view element) const {
  const auto found = elements.find(element);
  return found == elements.end() ? nullptr : &found->second;
}

}  // namespace orbweaver::sca
