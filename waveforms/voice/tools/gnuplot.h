// Draws pictures with gnuplot.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace orbweaver::voice {

/// gnuplot is missing or rejected a script; the message says which, and what to install.
struct GnuplotError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A picture: the body of a gnuplot script (data blocks, settings, plot), without terminal and output.
struct Drawing {
  unsigned width = 0, height = 0;  ///< natural size in pixels
  std::string script;
};

/// Draws all pictures in one run of gnuplot. Returns the text of an <svg> element for each, which scales to
/// its container. Throws GnuplotError.
std::vector<std::string> draw(const std::vector<Drawing>& drawings);

}  // namespace orbweaver::voice
