#include "tools/gnuplot.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace orbweaver::voice {
namespace {

namespace fs = std::filesystem;

/// A temporary folder; the destructor removes it.
class Scratch {
 public:
  Scratch() {
    std::random_device random;
    path_ =
        fs::temp_directory_path() / ("voice-report-" + std::to_string(random()) + std::to_string(random()));
    if (!fs::create_directory(path_)) throw GnuplotError(path_.string() + ": exists already");
    fs::permissions(path_, fs::perms::owner_all);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Prefixes the ids of a picture: gnuplot uses the same ids in every picture, which would collide in one
/// page.
std::string with_own_names(std::string svg, std::size_t number) {
  const std::string prefix = std::string("g").append(std::to_string(number)).append("_");
  for (const std::string& mark : {std::string("id=\""), std::string("href=\"#"), std::string("href='#"),
                                  std::string("id='"), std::string("url(#")}) {
    for (auto at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + mark.size())) {
      svg.insert(at + mark.size(), prefix);
    }
  }
  return svg;
}

}  // namespace

std::vector<std::string> draw(const std::vector<Drawing>& drawings) {
  const Scratch scratch;
  std::ofstream script(scratch.file("script"));
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    const Drawing& drawing = drawings[i];
    script << "reset\nset terminal svg size " << drawing.width << "," << drawing.height
           << " dynamic enhanced font 'system-ui,Helvetica,Arial,sans-serif,12' background '#ffffff'\n"
           << "set output '" << scratch.file(std::to_string(i)).string() << "'\n"
           << drawing.script << "\nset output\n";
  }
  script.close();

  const std::string command =
      "gnuplot '" + scratch.file("script").string() + "' 2>'" + scratch.file("errors").string() + "'";
  if (std::system(command.c_str()) != 0) {
    throw GnuplotError("gnuplot failed: " + contents(scratch.file("errors")) +
                       "; is it installed (Debian: gnuplot-nox)?");
  }
  std::vector<std::string> pictures;
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    const std::string svg = contents(scratch.file(std::to_string(i)));
    const auto start = svg.find("<svg");
    if (start == std::string::npos) throw GnuplotError("gnuplot drew nothing; is its svg terminal missing?");
    pictures.push_back(with_own_names(svg.substr(start), i));
  }
  return pictures;
}

}  // namespace orbweaver::voice
