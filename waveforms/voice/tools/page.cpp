#include "tools/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "page_template.h"  // kPageTemplate, made from page.html

namespace orbweaver::voice {
namespace {

std::string microseconds(double value) {
  if (value < 1'000) return fmt::format("{:.1f} µs", value);
  return value < 1'000'000 ? fmt::format("{:.2f} ms", value / 1e3) : fmt::format("{:.2f} s", value / 1e6);
}

std::string octets(std::uint64_t count) {
  if (count < 1'000) return fmt::format("{} B", count);
  return count < 1'000'000 ? fmt::format("{:.1f} kB", static_cast<double>(count) / 1e3)
                           : fmt::format("{:.1f} MB", static_cast<double>(count) / 1e6);
}

std::string verdicts_html(const std::vector<Verdict>& verdicts) {
  std::string html;
  for (const Verdict& verdict : verdicts) {
    html += fmt::format(R"(<li class="{}"><b>{}</b><span>{}</span></li>)", verdict.holds ? "holds" : "fails",
                        escaped(verdict.claim), escaped(verdict.evidence));
  }
  return html;
}

const RunHop* hop_into(const RunResult& run, const std::string& component) {
  for (const RunHop& hop : run.hops) {
    if (hop.to.starts_with(component + ".")) return &hop;
  }
  return nullptr;
}

/// A box for each component in the order of the assembly, with an arrow before each that has an input.
/// Components that share a process are in one frame.
std::string pipeline_html(const RunResult& run) {
  std::string html;
  for (std::size_t i = 0; i < run.components.size(); ++i) {
    const RunComponent& component = run.components[i];
    const bool opens = i == 0 || run.components[i - 1].placement != component.placement;
    const bool closes =
        i + 1 == run.components.size() || run.components[i + 1].placement != component.placement;
    std::string arrow;
    if (const RunHop* hop = hop_into(run, component.id)) {
      arrow = fmt::format(R"(<div class="arrow {}"><i>{}</i><i>{}</i></div>)",
                          hop->lost + hop->reordered > 0 ? "broken" : "", escaped(hop->transport),
                          microseconds(hop->p50_us));
    }
    if (opens) {
      html += fmt::format(R"({}<div class="process"><em>{} · pid {}</em><div class="row">)", arrow,
                          escaped(component.placement), component.pid);
    } else {
      html += arrow;
    }
    html += fmt::format(R"(<div class="box"><b>{}</b><small>{}</small><small>{:.2f} s CPU</small></div>)",
                        escaped(component.name), escaped(component.id), component.cpu_seconds);
    if (closes) html += "</div></div>";
  }
  return html;
}

std::string hops_html(const RunResult& run) {
  std::string html;
  for (const RunHop& hop : run.hops) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td><td "
        "class=\"{}\">{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{} / {}</td></tr>",
        escaped(hop.from), escaped(hop.to), escaped(hop.transport), grouped(hop.packets), octets(hop.bytes),
        hop.lost > 0 ? "bad" : "", grouped(hop.lost), hop.reordered > 0 ? "bad" : "", grouped(hop.reordered),
        microseconds(hop.p50_us), microseconds(hop.p99_us), microseconds(hop.max_us), hop.mb_per_s,
        hop.queue_high_water, hop.queue_limit);
  }
  return html;
}

std::string latencies_html(const RunResult& run, const std::vector<std::string>& pictures) {
  std::string html;
  for (std::size_t i = 0; i < run.hops.size() && i < pictures.size(); ++i) {
    html += fmt::format("<figure><figcaption>{} → {}<span>p50 {} · p99 {}</span></figcaption>{}</figure>",
                        escaped(run.hops[i].from), escaped(run.hops[i].to), microseconds(run.hops[i].p50_us),
                        microseconds(run.hops[i].p99_us), pictures[i]);
  }
  return html;
}

std::string cpu_html(const RunResult& run) {
  double most = 1e-9;
  for (const RunComponent& component : run.components) most = std::max(most, component.cpu_seconds);
  std::string html;
  for (const RunComponent& component : run.components) {
    std::string stats;
    for (const auto& [name, value] : component.stats) {
      const bool whole =
          value >= 0 && value < 1e15 && value == static_cast<double>(static_cast<std::uint64_t>(value));
      stats += fmt::format("<span>{} <b>{}</b></span> ", escaped(name),
                           whole ? grouped(static_cast<std::uint64_t>(value)) : fmt::format("{:.4g}", value));
    }
    html += fmt::format(
        R"(<tr><td>{}</td><td class="bar"><div style="width:{:.1f}%"></div></td><td>{:.2f} s</td>)"
        R"(<td>{}</td><td class="stats">{}</td></tr>)",
        escaped(component.name), 100 * component.cpu_seconds / most, component.cpu_seconds,
        escaped(component.exit), stats);
  }
  return html;
}

std::string player(const std::string& wav) {
  if (wav.empty()) return "";
  return R"(<audio controls preload="none" src="data:audio/wav;base64,)" + base64(wav) + R"("></audio>)";
}

}  // namespace

std::string page(const RunResult& run, const PageParts& parts) {
  double cpu = 0;
  for (const RunComponent& component : run.components) cpu += component.cpu_seconds;
  std::vector<std::string> placements;
  for (const RunComponent& component : run.components) placements.push_back(component.placement);
  std::sort(placements.begin(), placements.end());
  const auto processes = std::unique(placements.begin(), placements.end()) - placements.begin();

  return fill_template(
      kPageTemplate,
      {{"title", escaped(run.assembly)},
       {"verdict_class", all_hold(parts.verdicts) ? "holds" : "fails"},
       {"verdict_word", all_hold(parts.verdicts) ? "all claims hold" : "a claim does not hold"},
       {"started", escaped(run.started)},
       {"sad", escaped(run.sad)},
       {"outcome", escaped(run.outcome)},
       {"seconds", fmt::format("{:.2f}", run.seconds)},
       {"audio_seconds", fmt::format("{:.1f}", parts.audio_seconds)},
       {"speed", run.seconds > 0 ? fmt::format("{:.0f}", parts.audio_seconds / run.seconds) : "–"},
       {"pace", run.realtime ? "paced by the audio clock" : "as fast as possible"},
       {"cpu_seconds", fmt::format("{:.2f}", cpu)},
       {"components", std::to_string(run.components.size())},
       {"processes", processes == 1 ? "1 process" : std::to_string(processes) + " processes"},
       {"verdicts", verdicts_html(parts.verdicts)},
       {"pipeline", pipeline_html(run)},
       {"input_name", escaped(parts.input_name)},
       {"input_about", escaped(parts.input_about)},
       {"output_name", escaped(parts.output_name)},
       {"audio_in", player(parts.audio_in_wav)},
       {"audio_out", player(parts.audio_out_wav)},
       {"waveform_in", parts.waveform_in},
       {"waveform_out", parts.waveform_out},
       {"spectrogram_in", parts.spectrogram_in},
       {"spectrogram_out", parts.spectrogram_out},
       {"zoom", parts.zoom},
       {"latencies", latencies_html(run, parts.latencies)},
       {"hops", hops_html(run)},
       {"cpu", cpu_html(run)}});
}

}  // namespace orbweaver::voice
