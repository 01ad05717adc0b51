// Cap'n Proto RPC as a subject. A message is built in each call, which is its marshalling; the receiver reads
// it in place.
#include <capnp/ez-rpc.h>
#include <kj/async-io.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/harness/payload.h"
#include "bench/harness/subject.h"
#include "sink.capnp.h"

namespace {

using namespace orbweaver::bench;

std::optional<std::string> cannot(const Case& c) {
  if (c.experiment != Experiment::twoway) return "it is measured two-way";
  if (c.type == PayloadType::any) return "it has no anys";
  if (c.type == PayloadType::block) return "it has no blocks";
  if (c.type == PayloadType::mix) return "it is measured with messages of one size";
  if (c.transport != "tcp" && c.transport != "unix") return "it has no such transport";
  if (!blocks(c.wait)) return "it always blocks in the kernel: measure it with --wait block";
  return std::nullopt;
}

/// A message may be read as often as its size, whatever that is.
capnp::ReaderOptions unlimited() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = 4 * kMaxPayloadBytes;
  return options;
}

/// Sums a list in eight lanes, as read_numbers_in_full does.
template <class List>
double read_list(const List& data) {
  using Number = std::decay_t<decltype(data[0])>;
  using Sum = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;
  Sum sums[8] = {};
  const unsigned count = data.size();
  unsigned i = 0;
  for (; i + 8 <= count; i += 8)
    for (unsigned lane = 0; lane < 8; ++lane) sums[lane] += static_cast<Sum>(data[i + lane]);
  for (; i < count; ++i) sums[0] += static_cast<Sum>(data[i]);
  return static_cast<double>(((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                             ((sums[4] + sums[5]) + (sums[6] + sums[7])));
}

double read(capnp::Data::Reader data) { return read_in_full(data.begin(), data.size()); }
double read(capnp::List<capnp::Text>::Reader data) {
  double sum = 0;
  for (const auto text : data) sum += read_in_full_string(text.cStr(), text.size());
  return sum;
}
double read(capnp::List<Sample>::Reader data) {
  std::int64_t sum = 0;
  for (const auto sample : data) sum += sample.getI() + sample.getQ();
  return static_cast<double>(sum);
}

class SinkServant final : public Sink::Server {
  using Done = kj::Promise<void>;

  Done takeNothing(TakeNothingContext) override { return took(1); }
  Done takeOctets(TakeOctetsContext call) override { return took(read(call.getParams().getData())); }
  Done takeShorts(TakeShortsContext call) override { return took(read_list(call.getParams().getData())); }
  Done takeLongs(TakeLongsContext call) override { return took(read_list(call.getParams().getData())); }
  Done takeLongLongs(TakeLongLongsContext call) override {
    return took(read_list(call.getParams().getData()));
  }
  Done takeFloats(TakeFloatsContext call) override { return took(read_list(call.getParams().getData())); }
  Done takeDoubles(TakeDoublesContext call) override { return took(read_list(call.getParams().getData())); }
  Done takeStrings(TakeStringsContext call) override { return took(read(call.getParams().getData())); }
  Done takeSamples(TakeSamplesContext call) override { return took(read(call.getParams().getData())); }
  Done total(TotalContext call) override {
    call.getResults().setSum(total_);
    return kj::READY_NOW;
  }

  Done took(double sum) {
    total_ += sum;
    return kj::READY_NOW;
  }
  double total_ = 0;
};

void serve(const ServerSide& side) {
  const bool local = side.what.transport == "unix";
  const std::string address = local ? "unix:" + side.scratch + "/capnp" : std::string("127.0.0.1");
  capnp::EzRpcServer server(kj::heap<SinkServant>(), address.c_str(), 0, unlimited());
  auto& wait = server.getWaitScope();
  const unsigned port = server.getPort().wait(wait);
  side.ready(local ? address : address + ":" + std::to_string(port));
  kj::NEVER_DONE.wait(wait);
}

/// Calls of one operation: `fill` writes the payload into a request.
template <class Request, class Fill>
Summary measured(const ClientSide& side, Sink::Client& sink, kj::WaitScope& wait, double per_call,
                 Request request, Fill fill) {
  std::uint64_t calls = 0;
  const auto call = [&] {
    ++calls;
    auto message = request();
    fill(message);
    message.send().wait(wait);
  };
  const Summary figures = measure_calls(side.loop, call);
  if (sink.totalRequest().send().wait(wait).getSum() != per_call * static_cast<double>(calls))
    throw std::runtime_error("receiver checksum mismatch");
  return figures;
}

template <class Number, class Request>
Summary measured_numbers(const ClientSide& side, Sink::Client& sink, kj::WaitScope& wait, Request request) {
  const auto values = numbers_payload<Number>(side.what.bytes / sizeof(Number));
  double sum = 0;
  if constexpr (std::is_same_v<Number, double>)
    sum = read_in_full(values.data(), values.size());
  else
    sum = read_numbers_in_full(values.data(), values.size());
  return measured(side, sink, wait, sum, request, [&](auto& message) {
    auto list = message.initData(static_cast<unsigned>(values.size()));
    for (unsigned i = 0; i < list.size(); ++i) list.set(i, values[i]);
  });
}

Summary measured_by_type(const ClientSide& side, Sink::Client& sink, kj::WaitScope& wait) {
  const std::size_t count = side.what.bytes == 0 ? 0 : side.what.bytes / element_bytes(side.what.type);
  const auto nothing = [](auto&) {};
  switch (side.what.type) {
    case PayloadType::empty:
      return measured(
          side, sink, wait, 1, [&] { return sink.takeNothingRequest(); }, nothing);
    case PayloadType::octet: {
      const auto octets = octets_payload(count);
      const double sum = read_in_full(octets.data(), octets.size());
      const auto fill = [&](auto& message) { message.setData(kj::arrayPtr(octets.data(), octets.size())); };
      return measured(
          side, sink, wait, sum, [&] { return sink.takeOctetsRequest(); }, fill);
    }
    case PayloadType::shorts:
      return measured_numbers<std::int16_t>(side, sink, wait, [&] { return sink.takeShortsRequest(); });
    case PayloadType::longs:
      return measured_numbers<std::int32_t>(side, sink, wait, [&] { return sink.takeLongsRequest(); });
    case PayloadType::long_longs:
      return measured_numbers<std::int64_t>(side, sink, wait, [&] { return sink.takeLongLongsRequest(); });
    case PayloadType::floats:
      return measured_numbers<float>(side, sink, wait, [&] { return sink.takeFloatsRequest(); });
    case PayloadType::doubles:
      return measured_numbers<double>(side, sink, wait, [&] { return sink.takeDoublesRequest(); });
    case PayloadType::string: {
      std::vector<std::string> texts;
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        texts.push_back(string_payload(i));
        sum += read_in_full_string(texts.back().c_str(), texts.back().size());
      }
      return measured(
          side, sink, wait, sum, [&] { return sink.takeStringsRequest(); },
          [&](auto& message) {
            auto list = message.initData(static_cast<unsigned>(count));
            for (unsigned i = 0; i < list.size(); ++i)
              list.set(i, capnp::Text::Reader(texts[i].c_str(), texts[i].size()));
          });
    }
    case PayloadType::structs: {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += short_payload(i) + short_payload(i + 1);
      return measured(
          side, sink, wait, sum, [&] { return sink.takeSamplesRequest(); },
          [&](auto& message) {
            auto list = message.initData(static_cast<unsigned>(count));
            for (unsigned i = 0; i < list.size(); ++i) {
              list[i].setI(short_payload(i));
              list[i].setQ(short_payload(i + 1));
            }
          });
    }
    case PayloadType::any:
    case PayloadType::mix:
    case PayloadType::block: break;
  }
  throw std::runtime_error("unsupported payload type");
}

Summary call(const ClientSide& side) {
  capnp::EzRpcClient client(side.address.c_str(), 0, unlimited());
  Sink::Client sink = client.getMain<Sink>();
  return measured_by_type(side, sink, client.getWaitScope());
}

/// Exceptions of Cap'n Proto are not all derived from std::exception.
template <class F>
auto translated(F f) {
  return [f](const auto& side) {
    try {
      return f(side);
    } catch (const kj::Exception& problem) {
      throw std::runtime_error(problem.getDescription().cStr());
    }
  };
}

}  // namespace

int main(int argc, char** argv) {
  return subject_main(argc, argv, {cannot, translated(serve), translated(call)});
}
