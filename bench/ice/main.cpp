// Ice as a subject, in its C++11 mapping: without connection monitoring and limits of sizes, one thread a
// pool.
#include <Ice/Ice.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/harness/payload.h"
#include "bench/harness/subject.h"
#include "sink.h"

namespace {

using namespace orbweaver::bench;

std::optional<std::string> cannot(const Case& c) {
  if (has_receivers(c.experiment)) return "it is measured with one receiver";
  if (c.type == PayloadType::any) return "it has no anys";
  if (c.type == PayloadType::block) return "it has no blocks";
  if (c.type == PayloadType::mix) return "it is measured with messages of one size";
  if (c.transport != "tcp") return "it has no such transport";
  if (!blocks(c.wait)) return "it always blocks in the kernel: measure it with --wait block";
  return std::nullopt;
}

/// An array, as Ice passes sequences.
template <class Number>
using Array = std::pair<const Number*, const Number*>;

template <class Number>
double read(Array<Number> data) {
  const auto count = static_cast<std::size_t>(data.second - data.first);
  if constexpr (std::is_same_v<Number, double>)
    return read_in_full(data.first, count);
  else if constexpr (std::is_same_v<Number, Ice::Byte>)
    return read_in_full(reinterpret_cast<const std::uint8_t*>(data.first), count);
  else
    return read_numbers_in_full(data.first, count);
}
double read(const BenchIce::Strings& strings) {
  double sum = 0;
  for (const std::string& text : strings) sum += read_in_full_string(text.c_str(), text.size());
  return sum;
}
double read(const BenchIce::Samples& samples) { return read_in_full_structs(samples.data(), samples.size()); }

class SinkServant final : public BenchIce::Sink {
 public:
  void takeNothing(const Ice::Current&) override { total_ += 1; }
  void takeOctets(Array<Ice::Byte> data, const Ice::Current&) override { total_ += read(data); }
  void takeShorts(Array<Ice::Short> data, const Ice::Current&) override { total_ += read(data); }
  void takeLongs(Array<Ice::Int> data, const Ice::Current&) override { total_ += read(data); }
  void takeLongLongs(Array<Ice::Long> data, const Ice::Current&) override { total_ += read(data); }
  void takeFloats(Array<Ice::Float> data, const Ice::Current&) override { total_ += read(data); }
  void takeDoubles(Array<Ice::Double> data, const Ice::Current&) override { total_ += read(data); }
  void takeStrings(BenchIce::Strings data, const Ice::Current&) override { total_ += read(data); }
  void takeSamples(BenchIce::Samples data, const Ice::Current&) override { total_ += read(data); }
  double total(const Ice::Current&) override { return total_; }

 private:
  double total_ = 0;  // one thread serves
};

Ice::CommunicatorPtr tuned() {
  Ice::InitializationData settings;
  settings.properties = Ice::createProperties();
  for (const auto& [name, value] :
       {std::pair("Ice.MessageSizeMax", "0"), std::pair("Ice.ACM.Timeout", "0"),
        std::pair("Ice.ThreadPool.Server.Size", "1"), std::pair("Ice.ThreadPool.Client.Size", "1")})
    settings.properties->setProperty(name, value);
  return Ice::initialize(settings);
}

void serve(const ServerSide& side) {
  const Ice::CommunicatorHolder ice(tuned());
  const auto adapter = ice->createObjectAdapterWithEndpoints("bench", "tcp -h 127.0.0.1");
  const auto sink = adapter->add(std::make_shared<SinkServant>(), Ice::stringToIdentity("sink"));
  adapter->activate();
  side.ready(sink->ice_toString());
  ice->waitForShutdown();
}

/// Measures calls with one payload: `call` makes a call by a proxy.
template <class Call>
Summary measured(const ClientSide& side, BenchIce::SinkPrx& sink, double per_call, Call call) {
  std::uint64_t calls = 0;
  const auto all_read = [&] { return sink.total() == per_call * static_cast<double>(calls); };
  Summary figures;
  if (side.what.experiment == Experiment::oneway) {
    const auto oneway = sink.ice_oneway();
    figures = measure_stream(
        side.loop,
        [&] {
          ++calls;
          call(*oneway);
        },
        [&] {
          if (!all_read()) throw std::runtime_error("receiver checksum mismatch");  // on the same connection
        });
  } else {
    figures = measure_calls(side.loop, [&] {
      ++calls;
      call(sink);
    });
  }
  if (!all_read()) throw std::runtime_error("receiver checksum mismatch");
  return figures;
}

template <class Number, class Call>
Summary measured_numbers(const ClientSide& side, BenchIce::SinkPrx& sink, Call call) {
  const auto values = numbers_payload<Number>(side.what.bytes / sizeof(Number));
  const Array<Number> array(values.data(), values.data() + values.size());
  return measured(side, sink, read(array), [&](BenchIce::SinkPrx& by) { call(by, array); });
}

Summary measured_by_type(const ClientSide& side, BenchIce::SinkPrx& sink) {
  using Proxy = BenchIce::SinkPrx;
  const std::size_t count = side.what.bytes == 0 ? 0 : side.what.bytes / element_bytes(side.what.type);
  switch (side.what.type) {
    case PayloadType::empty: return measured(side, sink, 1, [](Proxy& by) { by.takeNothing(); });
    case PayloadType::octet:
      return measured_numbers<Ice::Byte>(side, sink, [](Proxy& by, auto& data) { by.takeOctets(data); });
    case PayloadType::shorts:
      return measured_numbers<Ice::Short>(side, sink, [](Proxy& by, auto& data) { by.takeShorts(data); });
    case PayloadType::longs:
      return measured_numbers<Ice::Int>(side, sink, [](Proxy& by, auto& data) { by.takeLongs(data); });
    case PayloadType::long_longs:
      return measured_numbers<Ice::Long>(side, sink, [](Proxy& by, auto& data) { by.takeLongLongs(data); });
    case PayloadType::floats:
      return measured_numbers<Ice::Float>(side, sink, [](Proxy& by, auto& data) { by.takeFloats(data); });
    case PayloadType::doubles:
      return measured_numbers<Ice::Double>(side, sink, [](Proxy& by, auto& data) { by.takeDoubles(data); });
    case PayloadType::string: {
      BenchIce::Strings data;
      for (std::size_t i = 0; i < count; ++i) data.push_back(string_payload(i));
      return measured(side, sink, read(data), [&](Proxy& by) { by.takeStrings(data); });
    }
    case PayloadType::structs: {
      BenchIce::Samples data(count);
      for (std::size_t i = 0; i < count; ++i) data[i] = {short_payload(i), short_payload(i + 1)};
      return measured(side, sink, read(data), [&](Proxy& by) { by.takeSamples(data); });
    }
    case PayloadType::any:
    case PayloadType::mix:
    case PayloadType::block: break;
  }
  throw std::runtime_error("unsupported payload type");
}

Summary call(const ClientSide& side) {
  const Ice::CommunicatorHolder ice(tuned());
  const auto sink = Ice::checkedCast<BenchIce::SinkPrx>(ice->stringToProxy(side.address));
  if (!sink) throw std::runtime_error("the proxy is not of type BenchIce::Sink");
  return measured_by_type(side, *sink);
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
