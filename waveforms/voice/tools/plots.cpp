#include "tools/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsp/rates.h"
#include "tools/spectrogram.h"

namespace orbweaver::voice {
namespace {

constexpr unsigned kWidth = 1080;
constexpr std::size_t kColumns = 960;  // pixels between the axes

constexpr const char* kStyle =
    "set border 3 lc rgb '#94a3b8'\n"
    "set tics nomirror out scale 0.5 textcolor rgb '#475569'\n"
    "set grid lc rgb '#e2e8f0' lt 1\n"
    "unset key\n";

double seconds(std::size_t samples) { return static_cast<double>(samples) / kSpeechRate; }

/// The same margins for all plots along time, so that their time axes align on the page.
std::string along_time(std::size_t samples) {
  return fmt::format(
      "{}set lmargin at screen 0.06\nset rmargin at screen 0.985\nset xrange [0:{}]\n"
      "set xlabel 'seconds' textcolor rgb '#475569' offset 0,0.6\n",
      kStyle, std::max(seconds(samples), 0.001));
}

}  // namespace

Drawing waveform_plot(std::span<const std::int16_t> speech, const std::string& colour) {
  std::string script = along_time(speech.size());
  script += "set yrange [-1:1]\nset ytics 0.5\n$wave << END\n";
  const std::size_t columns = std::min(kColumns, speech.size());
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t from = i * speech.size() / columns;
    const std::size_t to = (i + 1) * speech.size() / columns;
    const auto [low, high] = std::minmax_element(speech.begin() + from, speech.begin() + to);
    script += fmt::format("{:.4f} {:.4f} {:.4f}\n", seconds(from), *low / 32768.0, *high / 32768.0);
  }
  script += fmt::format(
      "END\nplot $wave using 1:2:3 with filledcurves lc rgb '{0}', "
      "'' using 1:3 with lines lw 0.7 lc rgb '{0}', '' using 1:2 with lines lw 0.7 lc rgb '{0}'",
      colour);
  return {kWidth, 190, script};
}

Drawing spectrogram_plot(std::span<const std::int16_t> speech) {
  const Spectrogram picture = spectrogram(speech, kColumns);
  std::string script = along_time(speech.size());
  script +=
      "set yrange [0:4]\nset ytics 1\nset ylabel 'kHz' textcolor rgb '#475569' offset 1.5,0\nunset grid\n"
      "set palette defined (0 '#0b0724', 1 '#3b0f70', 2 '#8c2981', 3 '#de4968', 4 '#fe9f6d', 5 '#fcfdbf')\n"
      "set cbrange [-95:-30]\nunset colorbox\n$picture << END\n";
  for (std::size_t row = 0; row < picture.rows; ++row) {
    for (std::size_t column = 0; column < picture.columns; ++column) {
      script += fmt::format("{:.0f} ", picture.at(column, row));
    }
    script += "\n";
  }
  const double step = seconds(speech.size()) / static_cast<double>(std::max<std::size_t>(picture.columns, 1));
  script += fmt::format("END\nplot $picture matrix using ($1*{}):($2*{}):3 with image", step,
                        4.0 / static_cast<double>(picture.rows - 1));
  return {kWidth, 230, script};
}

Drawing zoom_plot(std::span<const std::int16_t> in, std::span<const std::int16_t> out) {
  constexpr std::size_t kLength = kSpeechRate * 40 / 1000;
  std::size_t best = 0;
  double loudest = -1;
  for (std::size_t at = 0; at + kLength <= in.size(); at += kLength / 2) {
    double power = 0;
    for (const double sample : in.subspan(at, kLength)) power += sample * sample;
    if (power > loudest) {
      loudest = power;
      best = at;
    }
  }
  std::string script = fmt::format("{}$both << END\n", kStyle);
  for (std::size_t i = best; i < std::min({best + kLength, in.size(), out.size()}); ++i) {
    script +=
        fmt::format("{:.3f} {:.4f} {:.4f}\n", 1000 * seconds(i - best), in[i] / 32768.0, out[i] / 32768.0);
  }
  script += fmt::format(
      "0 0 0\nEND\nset lmargin at screen 0.06\nset rmargin at screen 0.985\nset xrange [0:40]\n"
      "set key top right horizontal samplen 2 textcolor rgb '#334155'\n"
      "set xlabel 'milliseconds from {:.2f} s' textcolor rgb '#475569' offset 0,0.6\n"
      "plot $both using 1:2 every ::0::{} with lines lw 1.6 lc rgb '#3b5b92' title 'in', "
      "'' using 1:3 every ::0::{} with lines lw 1.6 lc rgb '#0f766e' title 'out'",
      seconds(best), kLength - 1, kLength - 1);
  return {kWidth, 210, script};
}

Drawing latency_plot(const RunHop& hop, double low_us, double high_us) {
  std::string script = fmt::format(
      "{}set logscale x 10\nset xrange [{}:{}]\nset yrange [0:*]\nset ytics format '%g %%'\n"
      "set xtics ('0.1 µs' 0.1, '1 µs' 1, '10 µs' 10, '100 µs' 100, '1 ms' 1e3, '10 ms' 1e4,"
      " '100 ms' 1e5, '1 s' 1e6, '10 s' 1e7, '100 s' 1e8) font ',10'\n"
      "set lmargin 7\nset rmargin 3.5\nset tmargin 0.6\n"
      "$hop << END\n",
      kStyle, 0.98 * low_us, 1.02 * high_us);  // so that labels at the very ends are drawn
  double below = 0;
  for (const LatencyBucket& bucket : hop.histogram) {
    // There are eight buckets per octave. Empty buckets are omitted, so the previous one may be far below.
    const double octave = std::exp2(std::ceil(std::log2(std::max(bucket.le_us * 1000, 1.0))) - 1) / 1000;
    const double from = std::max({bucket.le_us - octave / 8, below, low_us / 2});
    const double share = 100.0 * static_cast<double>(bucket.count) /
                         static_cast<double>(std::max<std::uint64_t>(hop.packets, 1));
    script += fmt::format("{0} {1} {0} {2} 0 {1}\n", from, share, bucket.le_us);
    below = bucket.le_us;
  }
  script += fmt::format(
      "{0} 0 {0} {0} 0 0\nEND\nset style fill solid 0.85 noborder\n"
      "set arrow from {1},graph 0 to {1},graph 1 nohead lw 1.2 dt 2 lc rgb '#b45309'\n"
      "plot $hop using 1:2:3:4:5:6 with boxxyerror lc rgb '#3b5b92'",
      low_us, std::clamp(hop.p50_us, low_us, high_us));
  return {360, 190, script};
}

}  // namespace orbweaver::voice
