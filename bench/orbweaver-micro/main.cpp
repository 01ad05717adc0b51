// Orbweaver's micro library as a subject: calls over TCP with payloads that it has types for.
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/payload.h"
#include "bench/harness/subject.h"
#include "benchS.h"

namespace {

using namespace orbweaver::bench;

using OrbRef = CORBA::object_reference<CORBA::ORB>;
using SinkRef = IDL::traits<Bench::Sink>::ref_type;
template <class T>
using View = orbweaver::span<const T>;

double sum(View<std::uint8_t> data) { return read_in_full(data.data(), data.size()); }
double sum(View<double> data) { return read_in_full(data.data(), data.size()); }
template <class T>
double sum(View<T> data) {
  return read_numbers_in_full(data.data(), data.size());
}
double sum(const Bench::Strings& data) {
  double total = 0;
  for (const std::string& text : data) total += read_in_full_string(text.data(), text.size());
  return total;
}
double sum(View<Bench::Sample> data) {
  std::int64_t total = 0;
  for (const Bench::Sample& sample : data) total += sample.i() + sample.q();
  return static_cast<double>(total);
}

class MicroSink final : public virtual CORBA::servant_traits<Bench::Sink>::base_type {
 public:
  void take_nothing() override { add(1); }
  void take_octets(View<std::uint8_t> data) override { add(sum(data)); }
  void take_shorts(View<std::int16_t> data) override { add(sum(data)); }
  void take_longs(View<std::int32_t> data) override { add(sum(data)); }
  void take_long_longs(View<std::int64_t> data) override { add(sum(data)); }
  void take_floats(View<float> data) override { add(sum(data)); }
  void take_doubles(View<double> data) override { add(sum(data)); }
  void take_strings(const Bench::Strings& data) override { add(sum(data)); }
  void take_samples(View<Bench::Sample> data) override { add(sum(data)); }

  void push_nothing() override { add(1); }
  void push_octets(View<std::uint8_t> data) override { add(sum(data)); }
  void push_shorts(View<std::int16_t> data) override { add(sum(data)); }
  void push_longs(View<std::int32_t> data) override { add(sum(data)); }
  void push_long_longs(View<std::int64_t> data) override { add(sum(data)); }
  void push_floats(View<float> data) override { add(sum(data)); }
  void push_doubles(View<double> data) override { add(sum(data)); }
  void push_strings(const Bench::Strings& data) override { add(sum(data)); }
  void push_samples(View<Bench::Sample> data) override { add(sum(data)); }

  double total() override { return total_.load(std::memory_order_acquire); }

 private:
  void add(double more) {
    total_.store(total_.load(std::memory_order_relaxed) + more, std::memory_order_release);
  }
  std::atomic<double> total_ = 0;
};

OrbRef new_orb(const Case& c) {
  std::vector<std::string> options{"bench-orbweaver-micro", "-ORBListen", "tcp:127.0.0.1:0"};
  if (c.bytes > (std::size_t{8} << 20))
    options.insert(options.end(), {"-ORBMaxMessageBytes", std::to_string(4 * kMaxPayloadBytes)});
  std::vector<char*> argv;
  for (std::string& option : options) argv.push_back(option.data());
  int argc = static_cast<int>(argv.size());
  return CORBA::ORB_init(argc, argv.data());
}

std::optional<std::string> cannot(const Case& c) {
  if (c.transport != "tcp") return "the micro library calls over tcp only";
  if (has_receivers(c.experiment)) return "measured with the full library";
  if (c.type == PayloadType::any) return "the micro library has no any";
  if (c.type == PayloadType::block) return "the micro library has no loans";
  if (c.type == PayloadType::mix) return "the micro library does not send in batches";
  if (c.wait != Wait::block) return "the micro library waits by blocking";
  return std::nullopt;
}

void serve(const ServerSide& side) {
  const OrbRef orb = new_orb(side.what);
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  side.ready(orb->object_to_string(CORBA::make_reference<MicroSink>()->_this()));
  orb->run();
}

/// `call` makes one call and returns the sum of its payload.
template <class Call>
Summary measured(const ClientSide& side, const SinkRef& sink, Call call) {
  double sent = 0;
  const auto counted = [&] { sent += call(); };
  const auto drained = [&] {
    while (sink->total() != sent) {
    }
  };
  const Summary figures = side.what.experiment == Experiment::twoway
                              ? measure_calls(side.loop, counted)
                              : measure_stream(side.loop, counted, drained);
  if (sink->total() != sent) throw std::runtime_error("receiver checksum mismatch");
  return figures;
}

/// Measures calls with one payload, which `take` or `push` sends.
template <class Data, class Take, class Push>
Summary measured_with(const ClientSide& side, const SinkRef& sink, const Data& data, Take take, Push push) {
  const bool two_way = side.what.experiment == Experiment::twoway;
  return measured(side, sink, [&, total = sum(data)] {
    if (two_way)
      ((*sink).*take)(data);
    else
      ((*sink).*push)(data);
    return total;
  });
}
template <class T, class Call>
Summary measured_with_view(const ClientSide& side, const SinkRef& sink, const std::vector<T>& data, Call take,
                           Call push) {
  return measured_with(side, sink, View<T>(data), take, push);
}

Summary measured_by_type(const ClientSide& side, const SinkRef& sink) {
  using S = Bench::Sink;
  const Case& c = side.what;
  const std::size_t count = c.bytes ? c.bytes / element_bytes(c.type) : 0;
  switch (c.type) {
    case PayloadType::empty:
      return measured(side, sink, [&] {
        c.experiment == Experiment::twoway ? sink->take_nothing() : sink->push_nothing();
        return 1.0;
      });
    case PayloadType::octet:
      return measured_with_view(side, sink, octets_payload(count), &S::take_octets, &S::push_octets);
    case PayloadType::shorts:
      return measured_with_view(side, sink, numbers_payload<std::int16_t>(count), &S::take_shorts,
                                &S::push_shorts);
    case PayloadType::longs:
      return measured_with_view(side, sink, numbers_payload<std::int32_t>(count), &S::take_longs,
                                &S::push_longs);
    case PayloadType::long_longs:
      return measured_with_view(side, sink, numbers_payload<std::int64_t>(count), &S::take_long_longs,
                                &S::push_long_longs);
    case PayloadType::floats:
      return measured_with_view(side, sink, numbers_payload<float>(count), &S::take_floats, &S::push_floats);
    case PayloadType::doubles:
      return measured_with_view(side, sink, doubles_payload(count), &S::take_doubles, &S::push_doubles);
    case PayloadType::string: {
      Bench::Strings data;
      for (std::size_t i = 0; i < count; ++i) data.push_back(string_payload(i));
      return measured_with(side, sink, data, &S::take_strings, &S::push_strings);
    }
    case PayloadType::structs: {
      Bench::Samples data;
      for (std::size_t i = 0; i < count; ++i) data.emplace_back(short_payload(i), short_payload(i + 1));
      return measured_with_view(side, sink, data, &S::take_samples, &S::push_samples);
    }
    default: throw std::runtime_error("unsupported payload type");
  }
}

Summary call(const ClientSide& side) {
  const OrbRef orb = new_orb(side.what);
  const SinkRef sink = IDL::traits<Bench::Sink>::narrow(orb->string_to_object(side.address));
  if (!sink) throw std::runtime_error("the reference is not of type Bench::Sink");
  const Summary figures = measured_by_type(side, sink);
  orb->destroy();
  return figures;
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
