#include "message_mix.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <numeric>
#include <pugixml.hpp>
#include <random>

namespace orbweaver::bench {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{64} << 10, kMostRanges = 100;
constexpr double kSmallestShare = 0.1, kTolerance = 0.05;

/// A value of the file in quotes: at most 40 characters, with '?' for those that a terminal may interpret.
std::string quoted(std::string_view value) {
  std::string text(value.substr(0, 40));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + text + (value.size() > 40 ? "…'" : "'");
}

/// A number without superfluous zeros: "56.4", "100".
std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  MessageMix read() {
    const auto parsed = document_.load_buffer(text_.data(), text_.size(),
                                              pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
    if (!parsed)
      fail(parsed.offset, std::string("this is not well-formed XML: ") + parsed.description(),
           "correct it here or just before");
    for (const pugi::xml_node node : document_.children())
      if (node.type() == pugi::node_doctype) fail(node, "there is a document type", "remove it");
    const pugi::xml_node root = document_.document_element();
    if (std::string_view(root.name()) != "messagemix")
      fail(root, "the outermost element is " + quoted(root.name()), "it has to be 'messagemix'");
    check_attributes(root, {"name"});
    MessageMix mix{root.attribute("name").value(), {}};
    for (const pugi::xml_node node : root.children()) mix.ranges.push_back(range(node));
    check(root, mix);
    return mix;
  }

 private:
  SizeRange range(pugi::xml_node node) {
    if (node.type() != pugi::node_element)
      fail(node, "there is text or something else between the elements", "remove it");
    if (std::string_view(node.name()) != "size")
      fail(node, "there is an element " + quoted(node.name()), "'messagemix' has elements 'size'");
    if (node.first_child()) fail(node, "a 'size' has contents", "its values are attributes");
    check_attributes(node, {"min", "max", "share"});
    const SizeRange found{bytes(node, "min"), bytes(node, "max"), share(node)};
    if (found.min > found.max)
      fail(node, "min is " + std::to_string(found.min) + " and max is " + std::to_string(found.max),
           "min is at most max");
    return found;
  }

  void check(pugi::xml_node root, const MessageMix& mix) {
    if (mix.ranges.empty()) fail(root, "there is no element 'size'", "add one for each size of messages");
    if (mix.ranges.size() > kMostRanges)
      fail(root, "there are " + std::to_string(mix.ranges.size()) + " sizes",
           "at most " + std::to_string(kMostRanges) + " are possible");
    double sum = 0;
    for (const SizeRange& each : mix.ranges) sum += each.share;
    if (std::abs(sum - 100) > kTolerance)
      fail(root, "the shares have a sum of " + text_of(sum), "it has to be 100");
  }

  /// All of these are there, once, and no other.
  void check_attributes(pugi::xml_node node, std::initializer_list<std::string_view> names) {
    for (const pugi::xml_attribute each : node.attributes()) {
      const std::string_view name = each.name();
      if (std::find(names.begin(), names.end(), name) == names.end())
        fail(node, "there is an attribute " + quoted(name), "remove it");
      if (node.attribute(each.name()) != each)
        fail(node, "the attribute " + quoted(name) + " is there twice", "remove one");
    }
    for (const std::string_view name : names)
      if (!node.attribute(std::string(name).c_str()))
        fail(node, "the attribute " + quoted(name) + " is missing", "add it");
  }

  std::uint32_t bytes(pugi::xml_node node, const char* name) {
    const std::string_view text = node.attribute(name).value();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < kSmallestMessage ||
        value > kLargestMessage)
      fail(node, std::string(name) + " is " + quoted(text),
           "a message has from " + std::to_string(kSmallestMessage) + " to " +
               std::to_string(kLargestMessage) + " bytes");
    return value;
  }

  double share(pugi::xml_node node) {
    const std::string_view text = node.attribute("share").value();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool valid = error == std::errc{} && end == text.data() + text.size() && value >= kSmallestShare &&
                       value <= 100;  // false for NaN
    if (!valid)
      fail(node, "share is " + quoted(text),
           "a share is from " + text_of(kSmallestShare) + " to 100 percent");
    return value;
  }

  [[noreturn]] void fail(pugi::xml_node node, const std::string& found, const std::string& advice) const {
    fail(node.offset_debug(), found, advice);
  }
  [[noreturn]] void fail(std::ptrdiff_t offset, const std::string& found, const std::string& advice) const {
    const auto end = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
    const std::string_view before = text_.substr(0, end);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    throw InvalidMix(path_ + ":" + std::to_string(line) + ": " + found + "; " + advice);
  }

  const std::string_view text_;
  const std::string& path_;
  pugi::xml_document document_;
};

/// How many of `total` messages each range has: those with the largest remainders are rounded up.
std::vector<std::size_t> counts_of(const MessageMix& mix, std::size_t total) {
  std::vector<std::size_t> counts, order(mix.ranges.size());
  std::vector<double> remainders;
  double sum = 0;
  for (const SizeRange& each : mix.ranges) sum += each.share;
  for (const SizeRange& each : mix.ranges) {
    const double exact = each.share / sum * static_cast<double>(total);
    counts.push_back(static_cast<std::size_t>(exact + 1e-9));
    remainders.push_back(exact - static_cast<double>(counts.back()));
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  std::size_t missing = total - std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  for (std::size_t i = 0; missing > 0; ++i, --missing) ++counts[order[i % order.size()]];
  return counts;
}

}  // namespace

MessageMix read_message_mix(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) throw InvalidMix(path + ": there is no such file; check its name");
  if (!std::filesystem::is_regular_file(status))
    throw InvalidMix(path + ": this is not a regular file; name an XML file");
  std::ifstream in(path, std::ios::binary);
  std::string text(kMostFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.fail() && !in.eof()))
    throw InvalidMix(path + ": the file cannot be read; check its permissions");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMostFileBytes)
    throw InvalidMix(path + ": the file is larger than " + std::to_string(kMostFileBytes >> 10) +
                     " KiB; check that it is a mix of messages");
  return parse_message_mix(text, path);
}

MessageMix parse_message_mix(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

MessageMix messages_of(std::uint32_t bytes) {
  return {std::to_string(bytes) + " bytes", {{bytes, bytes, 100}}};
}

MessageSizes sizes_of(const MessageMix& mix) {
  MessageSizes sizes;
  const std::vector<std::size_t> counts = counts_of(mix, sizes.size());
  auto next = sizes.begin();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const SizeRange& range = mix.ranges[i];
    for (std::size_t k = 0; k < counts[i]; ++k)
      *next++ = range.min + static_cast<std::uint32_t>(counts[i] == 1
                                                           ? (range.max - range.min) / 2
                                                           : (range.max - range.min) * k / (counts[i] - 1));
  }
  std::mt19937 random(2004);  // std::shuffle is not the same in all libraries
  for (std::size_t i = sizes.size() - 1; i > 0; --i) std::swap(sizes[i], sizes[random() % (i + 1)]);
  return sizes;
}

double mean_bytes(const MessageSizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
}

}  // namespace orbweaver::bench
