import java.util.LinkedHashMap;
import java.util.Map;
import orbweaver.stream.END_OF_STREAM;
import orbweaver.stream.FloatInputPOA;
import orbweaver.stream.InputStatistics;
import orbweaver.stream.StreamHeader;
import orbweaver.stream.StreamMetadata;
import orbweaver.stream.StreamStatistics;

/**
 * Receives a stream: calls the handler on the thread of the request. A sender waits meanwhile, and while the
 * component is not started. Its POA has one thread, so that packets keep their order.
 */
final class StreamInput extends FloatInputPOA {
  interface Handler {
    void handle(float[] samples, double sampleRateHz);
  }

  private final Handler handler;
  private final java.util.function.Consumer<StreamMetadata> metadataHandler;
  private final Runnable atEnd;
  private final Map<Long, StreamCounter> streams = new LinkedHashMap<>();
  private boolean started, closed;

  /** `atEnd` is called once, when all streams received have ended. */
  StreamInput(Handler handler, java.util.function.Consumer<StreamMetadata> metadataHandler, Runnable atEnd) {
    this.handler = handler;
    this.metadataHandler = metadataHandler;
    this.atEnd = atEnd;
  }

  @Override
  public void pushPacket(StreamHeader header, float[] samples) {
    boolean end;
    synchronized (this) {
      try {
        while (!started && !closed) wait();
      } catch (InterruptedException e) {
        return;
      }
      if (closed) return;
      streams.computeIfAbsent(header.stream_id, StreamCounter::new).see(header, samples.length);
      end = (header.flags & END_OF_STREAM.value) != 0
          && streams.values().stream().allMatch(StreamCounter::ended);
    }
    if (samples.length != 0) handler.handle(samples, header.sample_rate_hz);
    if (end) atEnd.run();
  }

  @Override
  public void pushMetadata(long streamId, StreamMetadata metadata) {
    metadataHandler.accept(metadata);
  }

  @Override
  public synchronized InputStatistics statistics() {
    StreamStatistics[] all =
        streams.values().stream().map(StreamCounter::statistics).toArray(StreamStatistics[]::new);
    return new InputStatistics(0, 0, 0, 0, all);  // there is no queue, and the thread is the ORB's
  }

  @Override
  public long copied_bytes() {
    return 0;
  }

  /** Lets packets be handled, or wait. */
  synchronized void setStarted(boolean value) {
    started = value;
    notifyAll();
  }

  /** Lets waiting senders return; later packets are ignored. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
