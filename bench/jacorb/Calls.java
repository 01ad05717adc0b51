import org.omg.CORBA.Any;

/** The calls of the client, with one payload that is created before. */
final class Calls {
  private Calls() {}

  private static int value(int i) {
    return i % 251;
  }

  /** A line for the runner; throws if the receiver has read other values than were sent. */
  static String measured(Bench.Sink sink, String type, int bytes, boolean oneway, Loop loop) {
    switch (type) {
      case "empty":
        return of(sink, oneway, loop, 1, sink::take_nothing, sink::push_nothing);
      case "octet": {
        byte[] data = new byte[bytes];
        for (int i = 0; i < data.length; ++i) data[i] = (byte) value(i);
        return of(sink, oneway, loop, Sink.sum(data), () -> sink.take_octets(data), () -> sink.push_octets(data));
      }
      case "short": {
        short[] data = new short[bytes / 2];
        for (int i = 0; i < data.length; ++i) data[i] = (short) value(i);
        return of(sink, oneway, loop, Sink.sum(data), () -> sink.take_shorts(data), () -> sink.push_shorts(data));
      }
      case "long": {
        int[] data = new int[bytes / 4];
        for (int i = 0; i < data.length; ++i) data[i] = value(i);
        return of(sink, oneway, loop, Sink.sum(data), () -> sink.take_longs(data), () -> sink.push_longs(data));
      }
      case "longlong": {
        long[] data = new long[bytes / 8];
        for (int i = 0; i < data.length; ++i) data[i] = value(i);
        return of(
            sink, oneway, loop, Sink.sum(data), () -> sink.take_long_longs(data), () -> sink.push_long_longs(data));
      }
      case "float": {
        float[] data = new float[bytes / 4];
        for (int i = 0; i < data.length; ++i) data[i] = value(i);
        return of(sink, oneway, loop, Sink.sum(data), () -> sink.take_floats(data), () -> sink.push_floats(data));
      }
      case "double": {
        double[] data = doubles(bytes);
        return of(
            sink, oneway, loop, Sink.sum(data), () -> sink.take_doubles(data), () -> sink.push_doubles(data));
      }
      case "string": {
        String[] data = new String[bytes / 16];
        for (int i = 0; i < data.length; ++i) data[i] = String.format("orbweaver-%05d", i);
        return of(
            sink, oneway, loop, Sink.sum(data), () -> sink.take_strings(data), () -> sink.push_strings(data));
      }
      case "struct": {
        Bench.Sample[] data = new Bench.Sample[bytes / 4];
        for (int i = 0; i < data.length; ++i)
          data[i] = new Bench.Sample((short) (i % 997), (short) ((i + 1) % 997));
        return of(
            sink, oneway, loop, Sink.sum(data), () -> sink.take_samples(data), () -> sink.push_samples(data));
      }
      case "any": {
        Any data = org.omg.CORBA.ORB.init().create_any();
        Bench.DoublesHelper.insert(data, doubles(bytes));
        return of(sink, oneway, loop, Sink.sum(data), () -> sink.take_any(data), () -> sink.push_any(data));
      }
      default:
        throw new IllegalArgumentException("unsupported payload type " + type);
    }
  }

  private static double[] doubles(int bytes) {
    double[] data = new double[bytes / 8];
    for (int i = 0; i < data.length; ++i) data[i] = value(i);
    return data;
  }

  private static String of(
      Bench.Sink sink, boolean oneway, Loop loop, double perCall, Runnable take, Runnable push) {
    Runnable check =
        () -> {
          // On the connection of the one-way calls, behind them.
          if (sink.total() != perCall * loop.made())
            throw new IllegalStateException("receiver checksum mismatch");
        };
    return oneway ? loop.stream(push, check) : loop.calls(take, check);
  }
}
