#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/deadline.h>
#include <orbweaver/detail/blocks.h>
#include <orbweaver/sca/detail/stream_monitor.h>
#include <orbweaver/sca/output_buffer.h>
#include <orbweaver/sca/samples.h>
#include <orbweaver/sca/stream_metadata.h>

namespace orbweaver::sca {

class Component;

/// Connection of an output port, over any transport. Any thread may read its counters.
class OutputConnection {
 public:
  /// `connection_id`: unique in the port.
  explicit OutputConnection(std::string connection_id)
      : id_(std::move(connection_id)), stream_id_(stream_id_of(id_)) {}
  virtual ~OutputConnection() = default;
  OutputConnection(const OutputConnection&) = delete;
  OutputConnection& operator=(const OutputConnection&) = delete;

  /// Connection id, unique in the port.
  const std::string& id() const { return id_; }
  /// Stream id of its packets, computed from the connection id.
  std::uint64_t stream_id() const { return stream_id_; }
  /// Packets pushed.
  std::uint64_t packets() const { return packets_.load(std::memory_order_relaxed); }
  /// Bytes of samples pushed.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  /// Whether a push has failed; nothing more is sent.
  bool broken() const { return broken_.load(std::memory_order_relaxed); }
  /// Bytes of samples that were sent by value instead of in place, in a block of shared memory.
  std::uint64_t copied_bytes() const { return copied_bytes_.load(std::memory_order_relaxed); }
  /// Whether the receiver reads packets in blocks of shared memory in place. May connect. By the component's
  /// own thread.
  virtual bool uses_blocks() = 0;
  /// Transport of the packets: "shm", "tcp", "collocated", …
  virtual std::string transport() const = 0;

 protected:
  /// Counts a packet with `bytes` of samples. By the sending thread.
  void count(std::size_t bytes) {
    packets_.fetch_add(1, std::memory_order_relaxed);  // for display: no order is needed
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  /// Counts samples that were sent by value. By the sending thread.
  void count_copied(std::size_t bytes) { copied_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  /// Ends sending: see broken().
  void mark_broken() { broken_.store(true, std::memory_order_relaxed); }

 private:
  std::string id_;
  std::uint64_t stream_id_;
  std::atomic<std::uint64_t> packets_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> copied_bytes_{0};
  std::atomic<bool> broken_{false};
};

/// Connection for one type of samples.
template <class Sample>
class TypedOutputConnection : public OutputConnection {
 public:
  /// As OutputConnection.
  using OutputConnection::OutputConnection;

  /// Numbers the packet, stamps it with the time and sends it; blocks while the receiver's queue is full.
  /// After a failure the connection is broken and sends nothing more. `samples` may be reused on return. By
  /// the component's own thread.
  ///
  /// `metadata`, if not null, are sent before, unless the connection has sent them already. `has_start`:
  /// their start is that of this packet.
  void push(std::span<const Sample> samples, double sample_rate_hz, bool end_of_stream,
            const std::shared_ptr<const StreamMetadata>& metadata = nullptr, bool has_start = false) {
    if (broken()) return;
    if (metadata && metadata != sent_metadata_) {
      StreamMetadata present = *metadata;
      if (!has_start) present.start.reset();
      if (!send_metadata(present)) return mark_broken();
      sent_metadata_ = metadata;
    }
    const PacketHeader header{stream_id(), next_, now_ns(), sample_rate_hz, end_of_stream};
    if (!send(header, samples)) return mark_broken();
    ++next_;
    if (!samples.empty()) count(samples.size_bytes());  // the end of a stream is not counted
  }

 protected:
  /// Sends one packet. False if the receiver cannot be reached any more.
  virtual bool send(const PacketHeader& header, std::span<const Sample> samples) = 0;
  /// Sends the metadata of the following packets. False if the receiver cannot be reached any more.
  virtual bool send_metadata(const StreamMetadata& metadata) = 0;

 private:
  std::uint64_t next_ = 0;
  std::shared_ptr<const StreamMetadata> sent_metadata_;
};

/// Base of output ports of all sample types. Any thread may connect and disconnect.
class OutputPort {
 public:
  virtual ~OutputPort() = default;
  OutputPort(const OutputPort&) = delete;
  OutputPort& operator=(const OutputPort&) = delete;

  /// List of connections, in the order of connect().
  using Connections = std::vector<std::shared_ptr<OutputConnection>>;

  /// Name of the port; constant. Any thread.
  const std::string& name() const { return name_; }
  /// Type of the samples; constant. Any thread.
  SampleType type() const { return type_; }
  /// The IDL of the inputs to which the port connects; constant. Any thread.
  PortInterface port_interface() const { return interface_; }

  /// Adds a connection, which must be a TypedOutputConnection of this port's sample type. False if its id is
  /// already used.
  bool connect(std::shared_ptr<OutputConnection> connection);
  /// Removes a connection. False if there is none of that id.
  bool disconnect(const std::string& connection_id);
  /// Returns the present connections; the list is never modified. A loop over it must keep the
  /// pointer, for the list ends with its last owner.
  std::shared_ptr<const Connections> connections() const;

  /// Packets pushed while the port had no connection.
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  /// Bytes of samples copied by this port: into a block of shared memory by a push, or into a message, once
  /// for each connection over which they were not sent in place. Any thread.
  std::uint64_t copied_bytes() const;

  /// Sends the end of the stream, once. By the component's thread.
  virtual void end() = 0;

 protected:
  /// Adds the port to `owner`, which must outlive it. Throws std::invalid_argument for a name in use.
  OutputPort(Component& owner, std::string name, SampleType type, PortInterface interface);

  /// Records the stream on which the component's thread is sending; 0: none. For Component::activity().
  void sending_on(std::uint64_t stream_id) noexcept;
  /// Counts a packet pushed without a connection.
  void count_dropped() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
  /// Counts samples copied into a block.
  void count_copied(std::size_t bytes) noexcept { copied_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  /// Allocates a block if a receiver reads it in place; waits while receivers hold as many blocks of this
  /// port as it may use. Empty if there is none, if the component holds as many itself, or while the
  /// component is being stopped, or that whose thread this is. Sets `data`.
  ::orbweaver::detail::BlockRef allocate_block(std::size_t bytes, void*& data);
  /// Counts a block from allocate_block as held by the component.
  ::orbweaver::detail::BlockAccount::Hold hold_block(const ::orbweaver::detail::BlockRef& block) noexcept {
    return blocks_in_use_.hold(block);
  }

 private:
  Component& owner_;
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> copied_bytes_{0};  // into blocks, and by connections that were removed
  ::orbweaver::detail::BlockAccount blocks_in_use_;
  std::string name_;
  SampleType type_;
  PortInterface interface_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Connections> connections_;
};

/// Output port of a component: a member of it, with the port's name in the SCD.
///
///     Output<float> out_{*this, "out"};
///     out_.push(samples);
template <class Sample>
class Output : public OutputPort {
 public:
  /// `owner` must outlive the port. Throws std::invalid_argument for a name in use.
  Output(Component& owner, std::string name) : Output(owner, std::move(name), PortInterface::stream) {
    static_assert(SampleTraits<Sample>::kIsInStream, "only OssieOutput has samples of this type");
  }

  /// Packets of this size or more are copied once into a block by push(samples), and then read in place by
  /// all receivers in other processes.
  static constexpr std::size_t kMinBlockBytes = 65536;

  /// Allocates storage for a packet of `n` samples, not initialised, to be written in place and pushed. If a
  /// receiver can read shared memory (shm, the same process) and the packet has 4 KiB or more, it is a block,
  /// which no receiver copies; otherwise ordinary memory. Blocks while receivers hold as many blocks of this
  /// port as it may use: 256, in the process's pool (-ORBTune pool-bytes) divided by its number of output
  /// ports. Ordinary memory, too, if storage that was allocated and not pushed leaves too little of that.
  /// Throws std::bad_alloc. By the component's own thread only.
  ///
  ///     auto packet = out_.allocate(1024);
  ///     std::fill(packet.begin(), packet.end(), 0.5f);
  ///     out_.push(std::move(packet));
  OutputBuffer<Sample> allocate(std::size_t n) {
    OutputBuffer<Sample> buffer;
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(Sample)) throw std::bad_alloc();
    void* data = nullptr;
    if (n * sizeof(Sample) >= kMinBlockViewBytes) buffer.block_ = allocate_block(n * sizeof(Sample), data);
    if (buffer.block_) {
      buffer.hold_ = hold_block(buffer.block_);
      buffer.samples_ = {static_cast<Sample*>(data), n};
      return buffer;
    }
    std::swap(buffer, spare_);
    if (buffer.capacity_ < n) {
      buffer.memory_ = std::make_unique<Sample[]>(n);
      buffer.capacity_ = n;
    }
    buffer.samples_ = {buffer.memory_.get(), n};
    return buffer;
  }

  /// Sends the samples to every connected input, in the order of connection. Blocks while the queue of one of
  /// them is full. Without connections, the packet is dropped and counted. `samples` may be reused on return,
  /// except storage from allocate() or orbweaver::loan, which receivers may still read in place; samples of a
  /// received packet are passed on without a copy if they are in shared memory. `sample_rate_hz` 0: unknown.
  /// By the component's own thread only.
  void push(std::span<const Sample> samples, double sample_rate_hz = 0) {
    if (samples.empty()) return;
    const std::size_t bytes = samples.size_bytes();
    if (bytes >= kMinBlockBytes && !::orbweaver::detail::BlockRef::find(samples.data(), bytes)) {
      void* data = nullptr;
      if (const auto block = allocate_block(bytes, data)) {
        std::copy(samples.begin(), samples.end(), static_cast<Sample*>(data));
        count_copied(bytes);
        return send({static_cast<const Sample*>(data), samples.size()}, sample_rate_hz, false);
      }
    }
    send(samples, sample_rate_hz, false);
  }
  /// Sends the samples of `packet`, which must come from allocate() of an output port, and releases its
  /// storage when the last receiver has. Otherwise as the other push.
  void push(OutputBuffer<Sample> packet, double sample_rate_hz = 0) {
    packet.hold_ = {};
    if (packet.size() != 0) send(packet.samples(), sample_rate_hz, false);
    if (!packet.is_in_block() && packet.capacity_ > spare_.capacity_) spare_ = std::move(packet);
  }
  /// Sets what receivers learn of the stream beside its samples, from the next packet on: its id, the time of
  /// the first sample of that packet, keywords. Replaces the former metadata. A connection that is made later
  /// gets them without the time. By the component's own thread only.
  void set_metadata(StreamMetadata metadata) {
    metadata_ = std::make_shared<const StreamMetadata>(std::move(metadata));
    metadata_has_start_ = true;
  }
  void end() override {
    if (!std::exchange(ended_, true)) send({}, 0, true);
  }

 protected:
  /// A port for inputs with the IDL `interface`. Otherwise as the public constructor.
  Output(Component& owner, std::string name, PortInterface interface)
      : OutputPort(owner, std::move(name), SampleTraits<Sample>::kType, interface) {}

 private:
  void send(std::span<const Sample> samples, double rate, bool end) {
    const auto now = connections();
    if (now->empty() && !end) count_dropped();
    for (const auto& connection : *now) {
      sending_on(connection->stream_id());
      static_cast<TypedOutputConnection<Sample>&>(*connection)
          .push(samples, rate, end, metadata_, metadata_has_start_);
    }
    metadata_has_start_ = false;
    sending_on(0);
  }

  bool ended_ = false;
  std::shared_ptr<const StreamMetadata> metadata_;  // null: none
  bool metadata_has_start_ = false;                 // the next packet is the first with it
  OutputBuffer<Sample> spare_;                      // ordinary memory of an earlier packet, for reuse
};

}  // namespace orbweaver::sca
