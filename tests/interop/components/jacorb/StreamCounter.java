import orbweaver.stream.END_OF_STREAM;
import orbweaver.stream.StreamHeader;
import orbweaver.stream.StreamStatistics;

/** Counts what one connection has received. */
final class StreamCounter {
  /** A jump of this size or more is not a loss (Stream.idl). */
  private static final long LARGEST_GAP = 4096;
  private static final int BUCKETS = 8 * 62;

  private final long streamId;
  private long nextNumber;  // above the highest one received
  private long packets, octets, lost, reordered, firstNs, lastNs, maxLatencyNs;
  private final long[] latency = new long[BUCKETS];
  private boolean ended;

  StreamCounter(long streamId) {
    this.streamId = streamId;
  }

  boolean ended() {
    return ended;
  }

  /** Counts a packet. The packet that ends a stream counts only if it has samples. */
  void see(StreamHeader header, int samples) {
    long number = header.sequence_number;
    if (number < nextNumber) {
      ++reordered;
      lost = Math.max(0, lost - 1);
    } else {
      if (number - nextNumber < LARGEST_GAP) lost += number - nextNumber;
      nextNumber = number + 1;
    }
    ended = ended || (header.flags & END_OF_STREAM.value) != 0;
    if (ended && samples == 0) return;
    lastNs = System.nanoTime();  // CLOCK_MONOTONIC, as all components of a host use it
    if (packets++ == 0) firstNs = lastNs;
    octets += 4L * samples;
    long ns = Math.max(0, lastNs - header.sent_ns);
    maxLatencyNs = Math.max(maxLatencyNs, ns);
    ++latency[bucketOf(ns)];
  }

  StreamStatistics statistics() {
    int used = BUCKETS;
    while (used > 0 && latency[used - 1] == 0) --used;
    return new StreamStatistics(streamId, packets, octets, lost, reordered, firstNs, lastNs, maxLatencyNs,
        java.util.Arrays.copyOf(latency, used), ended);
  }

  /** The bucket of LatencyBuckets that counts `ns`: eight for each power of two. */
  private static int bucketOf(long ns) {
    if (ns < 8) return (int) ns;
    int power = Math.max(0, 60 - Long.numberOfLeadingZeros(ns));
    return (int) (8L * (power + 1) + (ns >> power) - 8);
  }
}
