#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/deadline.h>
#include <orbweaver/sca/samples.h>
#include <orbweaver/sca/detail/stream_monitor.h>

namespace orbweaver::sca {

class Component;

/// One connection of an output port, whatever it leads over. Its figures may be read by any thread.
class Link {
 public:
  explicit Link(std::string connection_id) : id_(std::move(connection_id)), stream_id_(stream_id_of(id_)) {}
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const std::string& id() const { return id_; }
  std::uint64_t stream_id() const { return stream_id_; }
  std::uint64_t packets() const { return packets_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  bool broken() const { return broken_.load(std::memory_order_relaxed); }
  /// The road that packets take: "shm", "tcp", "collocated", …
  virtual std::string transport() const = 0;

 protected:
  // Figures for people: no order between them is needed.
  void count(std::size_t bytes) {
    packets_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void break_off() { broken_.store(true, std::memory_order_relaxed); }

 private:
  std::string id_;
  std::uint64_t stream_id_;
  std::atomic<std::uint64_t> packets_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<bool> broken_{false};
};

template <class Sample>
class TypedLink : public Link {
 public:
  using Link::Link;

  /// Numbers the packet, stamps it with the time and sends it; waits while the receiver is full. After a
  /// failure the link is broken and sends nothing any more. One thread.
  void push(std::span<const Sample> samples, double sample_rate_hz, bool end_of_stream) {
    if (broken()) return;
    const PacketHeader header{stream_id(), next_, now_ns(), sample_rate_hz, end_of_stream};
    if (!send(header, samples)) return break_off();
    ++next_;
    if (!samples.empty()) count(samples.size_bytes());  // the end of a stream is no packet
  }

 protected:
  /// False where the receiver cannot be reached any more.
  virtual bool send(const PacketHeader& header, std::span<const Sample> samples) = 0;

 private:
  std::uint64_t next_ = 0;
};

/// What all output ports are, whatever they carry. Links come and go by any thread.
class OutputPort {
 public:
  virtual ~OutputPort() = default;
  OutputPort(const OutputPort&) = delete;
  OutputPort& operator=(const OutputPort&) = delete;

  using Links = std::vector<std::shared_ptr<Link>>;

  const std::string& name() const { return name_; }
  SampleType type() const { return type_; }

  /// False where the connection id is taken already. `link` must be a TypedLink of this port's samples.
  bool connect(std::shared_ptr<Link> link);
  /// False where there is no such connection.
  bool disconnect(const std::string& connection_id);
  /// The links as they are now; the list never changes once it has been handed out.
  std::shared_ptr<const Links> links() const;

  /// Packets that were pushed while the port was connected to nothing.
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  /// Sends the end of the stream, once. By the processing thread.
  virtual void end() = 0;

 protected:
  OutputPort(Component& owner, std::string name, SampleType type);

  /// The link on which the processing thread begins to send; 0: it has sent. For Component::activity().
  void sending_on(std::uint64_t stream_id) noexcept;
  void count_dropped() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }

 private:
  Component& owner_;
  std::atomic<std::uint64_t> dropped_{0};
  std::string name_;
  SampleType type_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Links> links_;
};

/// An output port of a component: a member of it, named as its SCD names the port.
///
///   Output<float> out_{*this, "out"};
///   out_.push(samples);
template <class Sample>
class Output final : public OutputPort {
 public:
  Output(Component& owner, std::string name)
      : OutputPort(owner, std::move(name), SampleTraits<Sample>::kType) {}

  /// Sends the samples to every connected input, in the order in which they were connected. Waits while
  /// one of them is full. Where nothing is connected the packet is dropped and counted. `samples` may be reused on
  /// return. By the component's own thread alone.
  void push(std::span<const Sample> samples, double sample_rate_hz = 0) {
    if (!samples.empty()) send(samples, sample_rate_hz, false);
  }
  void end() override {
    if (!std::exchange(ended_, true)) send({}, 0, true);
  }

 private:
  void send(std::span<const Sample> samples, double rate, bool end) {
    const auto now = links();
    if (now->empty() && !end) count_dropped();
    for (const auto& link : *now) {
      sending_on(link->stream_id());
      static_cast<TypedLink<Sample>&>(*link).push(samples, rate, end);
    }
    sending_on(0);
  }

  bool ended_ = false;
};

}  // namespace orbweaver::sca
