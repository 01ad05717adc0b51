// The subjects that `orbweaver bench twoway` and `oneway` can measure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orbweaver::bench {

struct KnownSubject {
  std::string_view name;
  std::string_view how_to_get;  ///< what its program needs that may be missing; empty if nothing
};

/// All of them; the floor is the first.
std::span<const KnownSubject> known_subjects();

/// Their names without the floor, for messages: "orbweaver, omniorb, …".
std::string names_of_subjects();

/// Of the subject with that name; empty if there is none.
std::string_view how_to_get(std::string_view subject);

}  // namespace orbweaver::bench
