// Draws by running gnuplot.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace orbweaver::voice {

/// gnuplot is missing, or did not like a script: says which, and what to install.
struct GnuplotError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A picture to draw: the body of a gnuplot script (data blocks, settings, plot), without terminal and
/// output.
struct Drawing {
  unsigned width = 0, height = 0;  ///< of the picture, in pixels at its natural size
  std::string script;
};

/// Draws all of them in one run; each comes back as the text of an <svg> element that scales to its place.
/// Throws GnuplotError.
std::vector<std::string> draw(const std::vector<Drawing>& drawings);

}  // namespace orbweaver::voice
