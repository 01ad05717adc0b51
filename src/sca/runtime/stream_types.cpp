#include "sca/runtime/stream_types.h"

#include <algorithm>

namespace orbweaver::sca {
namespace {

namespace idl = ::orbweaver::stream;

idl::KeywordValue to_idl(const std::variant<bool, std::int64_t, double, std::string>& value) {
  idl::KeywordValue result;
  if (const bool* const truth = std::get_if<bool>(&value))
    result.truth(*truth);
  else if (const std::int64_t* const number = std::get_if<std::int64_t>(&value))
    result.number(*number);
  else if (const double* const real = std::get_if<double>(&value))
    result.real(*real);
  else
    result.text(std::get<std::string>(value));
  return result;
}

std::variant<bool, std::int64_t, double, std::string> from_idl(const idl::KeywordValue& value) {
  switch (value._d()) {
    case idl::KeywordType::KEYWORD_BOOLEAN: return value.truth();
    case idl::KeywordType::KEYWORD_INTEGER: return value.number();
    case idl::KeywordType::KEYWORD_REAL: return value.real();
    case idl::KeywordType::KEYWORD_TEXT: break;
  }
  return value.text();
}

}  // namespace

const idl::StreamStatistics* find_stream(const idl::InputStatistics& statistics, std::uint64_t stream_id) {
  const auto& streams = statistics.streams();
  const auto found = std::find_if(streams.begin(), streams.end(),
                                  [&](const auto& stream) { return stream.stream_id() == stream_id; });
  if (found != streams.end()) return &*found;
  return streams.size() == 1 && streams.front().stream_id() == 0 ? &streams.front() : nullptr;
}

idl::StreamMetadata to_idl(const StreamMetadata& metadata) {
  idl::KeywordList keywords;
  for (const Keyword& keyword : metadata.keywords) keywords.emplace_back(keyword.id, to_idl(keyword.value));
  const UtcTime start = metadata.start.value_or(UtcTime());
  return {metadata.name, metadata.start.has_value(), {start.seconds, start.fraction}, std::move(keywords)};
}

StreamMetadata from_idl(const idl::StreamMetadata& metadata) {
  StreamMetadata result{metadata.name(), {}, {}};
  if (metadata.has_start()) result.start = UtcTime{metadata.start().seconds(), metadata.start().fraction()};
  for (const idl::Keyword& keyword : metadata.keywords())
    result.keywords.push_back({keyword.id(), from_idl(keyword.value())});
  return result;
}

}  // namespace orbweaver::sca
