import CF.PortPOA;
import CF.PortPackage.InvalidPort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import orbweaver.stream.END_OF_STREAM;
import orbweaver.stream.FloatInput;
import orbweaver.stream.FloatInputHelper;
import orbweaver.stream.StreamHeader;
import orbweaver.stream.StreamMetadata;

/** Sends a stream to every connected input. */
final class StreamOutput extends PortPOA {
  private static final class Connection {
    final String id;
    final FloatInput input;
    long nextNumber;

    Connection(String id, FloatInput input) {
      this.id = id;
      this.input = input;
    }
  }

  private final Map<String, Connection> connections = new LinkedHashMap<>();

  @Override
  public void connectPort(org.omg.CORBA.Object connection, String connectionId) throws InvalidPort {
    FloatInput input;
    try {
      input = FloatInputHelper.narrow(connection);
    } catch (org.omg.CORBA.BAD_PARAM e) {
      throw new InvalidPort((short) 1, "it is not a FloatInput");
    }
    synchronized (this) {
      if (connections.putIfAbsent(connectionId, new Connection(connectionId, input)) != null)
        throw new InvalidPort((short) 2, "the connection exists already");
    }
  }

  @Override
  public synchronized void disconnectPort(String connectionId) throws InvalidPort {
    if (connections.remove(connectionId) == null)
      throw new InvalidPort((short) 3, "there is no such connection");
  }

  /** Sends a packet, and returns when it has been sent to all receivers. By one thread at a time. */
  void push(float[] samples, double sampleRateHz) {
    send(samples, sampleRateHz, 0);
  }

  /** Sends the metadata of the following packets. */
  void pushMetadata(StreamMetadata metadata) {
    for (Connection connection : connections()) {
      try {
        connection.input.pushMetadata(streamIdOf(connection.id), metadata);
      } catch (org.omg.CORBA.SystemException e) {
        // The next packet reports it.
      }
    }
  }

  private synchronized List<Connection> connections() {
    return new ArrayList<>(connections.values());
  }

  /** Sends the end of the stream. */
  void end() {
    send(new float[0], 0, END_OF_STREAM.value);
  }

  private void send(float[] samples, double sampleRateHz, int flags) {
    for (Connection connection : connections()) {
      StreamHeader header = new StreamHeader(streamIdOf(connection.id), connection.nextNumber++,
          System.nanoTime(), sampleRateHz, flags);
      try {
        connection.input.pushPacket(header, samples);
      } catch (org.omg.CORBA.SystemException e) {
        System.out.println("connection '" + connection.id + "' is broken: " + e);
        synchronized (this) {
          connections.remove(connection.id);
        }
      }
    }
  }

  /** StreamHeader.stream_id: FNV-1a, 64 bits, of the connection id. */
  private static long streamIdOf(String connectionId) {
    long hash = 0xcbf29ce484222325L;
    for (byte octet : connectionId.getBytes(java.nio.charset.StandardCharsets.UTF_8))
      hash = (hash ^ (octet & 0xff)) * 0x100000001b3L;
    return hash;
  }
}
