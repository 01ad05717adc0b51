import org.omg.CORBA.Any;

/** The servant: reads each payload completely and adds its sum. One thread serves. */
final class Sink extends Bench.SinkPOA {
  private double total;

  static double sum(byte[] data) {
    long sum = 0;
    for (byte each : data) sum += each & 0xff;
    return sum;
  }

  static double sum(short[] data) {
    long sum = 0;
    for (short each : data) sum += each;
    return sum;
  }

  static double sum(int[] data) {
    long sum = 0;
    for (int each : data) sum += each;
    return sum;
  }

  static double sum(long[] data) {
    long sum = 0;
    for (long each : data) sum += each;
    return sum;
  }

  static double sum(float[] data) {
    double sum = 0;
    for (float each : data) sum += each;
    return sum;
  }

  /** In lanes, as all subjects do: the latency of additions would limit a single sum. */
  static double sum(double[] data) {
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 4 <= data.length; i += 4) {
      a += data[i];
      b += data[i + 1];
      c += data[i + 2];
      d += data[i + 3];
    }
    for (; i < data.length; ++i) a += data[i];
    return a + b + (c + d);
  }

  static double sum(String[] data) {
    double sum = 0;
    for (String each : data) sum += each.length() + each.charAt(0) + each.charAt(each.length() - 1);
    return sum;
  }

  static double sum(Bench.Sample[] data) {
    long sum = 0;
    for (Bench.Sample each : data) sum += each.i + each.q;
    return sum;
  }

  static double sum(Any data) {
    return sum(Bench.DoublesHelper.extract(data));
  }

  @Override
  public void take_nothing() {
    total += 1;
  }

  @Override
  public void take_octets(byte[] data) {
    total += sum(data);
  }

  @Override
  public void take_shorts(short[] data) {
    total += sum(data);
  }

  @Override
  public void take_longs(int[] data) {
    total += sum(data);
  }

  @Override
  public void take_long_longs(long[] data) {
    total += sum(data);
  }

  @Override
  public void take_floats(float[] data) {
    total += sum(data);
  }

  @Override
  public void take_doubles(double[] data) {
    total += sum(data);
  }

  @Override
  public void take_strings(String[] data) {
    total += sum(data);
  }

  @Override
  public void take_samples(Bench.Sample[] data) {
    total += sum(data);
  }

  @Override
  public void take_any(Any data) {
    total += sum(data);
  }

  @Override
  public void push_nothing() {
    total += 1;
  }

  @Override
  public void push_octets(byte[] data) {
    total += sum(data);
  }

  @Override
  public void push_shorts(short[] data) {
    total += sum(data);
  }

  @Override
  public void push_longs(int[] data) {
    total += sum(data);
  }

  @Override
  public void push_long_longs(long[] data) {
    total += sum(data);
  }

  @Override
  public void push_floats(float[] data) {
    total += sum(data);
  }

  @Override
  public void push_doubles(double[] data) {
    total += sum(data);
  }

  @Override
  public void push_strings(String[] data) {
    total += sum(data);
  }

  @Override
  public void push_samples(Bench.Sample[] data) {
    total += sum(data);
  }

  @Override
  public void push_any(Any data) {
    total += sum(data);
  }

  @Override
  public double total() {
    return total;
  }
}
