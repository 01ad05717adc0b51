import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/** The timed loops of bench/harness/timed_loop.h, with a warm-up that is long enough for the compiler. */
final class Loop {
  private static final int LEAST_WARM_UP = 10_000;
  private static final long LONGEST_WARM_UP_NS = 2_000_000_000L;

  private final int calls;
  private final long server;
  private final boolean timed;
  private long made;
  private double cpuPerCall;
  private double receiverPerCall;

  /** `server`: its process, 0 for none. Untimed loops make two-way calls only. */
  Loop(int calls, long server, boolean timed) {
    this.calls = calls;
    this.server = server;
    this.timed = timed;
  }

  /** Calls that have been made. */
  long made() {
    return made;
  }

  private void make(Runnable call) {
    ++made;
    call.run();
  }

  private void warmUp(Runnable call, Runnable check) {
    long end = System.nanoTime() + LONGEST_WARM_UP_NS;
    int least = Math.max(LEAST_WARM_UP, calls);
    for (int i = 0; i < least && (i < calls / 10 || System.nanoTime() < end); ++i) {
      make(call);
      if (i % 1000 == 999) check.run();  // one-way calls do not fill the queue of a slow receiver
    }
    check.run();
    stampEach(call, Math.min(calls, 1000));
    check.run();
  }

  String calls(Runnable call, Runnable check) {
    if (!timed) {
      for (int i = 0; i < calls; ++i) make(call);
      check.run();
      return summary(new double[0], 0);
    }
    warmUp(call, check);
    double own = cpuUs("self");
    double receiver = cpuUs(String.valueOf(server));
    double[] samples = stampEach(call, calls);
    account(own, receiver);
    check.run();
    return summary(samples, -1);
  }

  String stream(Runnable send, Runnable drained) {
    warmUp(send, drained);
    double own = cpuUs("self");
    double receiver = cpuUs(String.valueOf(server));
    long began = System.nanoTime();
    for (int i = 0; i < calls; ++i) make(send);
    drained.run();
    double mean = (System.nanoTime() - began) / 1e3 / calls;
    account(own, receiver);
    double[] samples = stampEach(send, calls);
    drained.run();
    return summary(samples, mean);
  }

  private void account(double own, double receiver) {
    receiverPerCall = (cpuUs(String.valueOf(server)) - receiver) / calls;
    cpuPerCall = (cpuUs("self") - own) / calls + receiverPerCall;
  }

  /** Microseconds of each call, less the cost of a time stamp. */
  private double[] stampEach(Runnable call, int count) {
    long[] stamps = new long[count + 1];
    stamps[0] = System.nanoTime();
    for (int i = 1; i <= count; ++i) {
      make(call);
      stamps[i] = System.nanoTime();
    }
    double[] us = new double[count];
    for (int i = 0; i < count; ++i) us[i] = Math.max(stamps[i + 1] - stamps[i] - STAMP_NS, 0) / 1e3;
    return us;
  }

  private static final long STAMP_NS = stampCost();

  private static long stampCost() {
    long[] stamps = new long[20_001];
    for (int i = 0; i < stamps.length; ++i) stamps[i] = System.nanoTime();
    for (int i = stamps.length - 1; i > 0; --i) stamps[i] -= stamps[i - 1];
    Arrays.sort(stamps, 1, stamps.length);
    return stamps[stamps.length / 2];
  }

  private static double rank(double[] sorted, double fraction) {
    return sorted[Math.max((int) Math.ceil(fraction * sorted.length), 1) - 1];
  }

  /** The line of bench/harness/summary.h. A negative mean is that of the samples. */
  private String summary(double[] us, double mean) {
    double[] none = new double[12];
    if (us.length == 0) return line(0, none) + " .";
    Arrays.sort(us);
    double sum = 0;
    for (double each : us) sum += each;
    double middle = sum / us.length;
    double squares = 0;
    for (double each : us) squares += (each - middle) * (each - middle);
    return line(
            calls,
            mean < 0 ? middle : mean,
            rank(us, 0.5),
            rank(us, 0.9),
            rank(us, 0.99),
            rank(us, 0.999),
            us[0],
            us[us.length - 1],
            Math.sqrt(squares / us.length),
            cpuPerCall,
            receiverPerCall,
            0)
        + histogram(us);
  }

  /** The text of bench/harness/histogram.h: twenty bins for a factor of ten, from 0.01 µs on. */
  private static String histogram(double[] us) {
    long[] counts = new long[180];
    for (double each : us)
      ++counts[(int) Math.min(each > 0.01 ? Math.log10(each / 0.01) * 20 : 0, counts.length - 1)];
    StringBuilder text = new StringBuilder(" ");
    for (int bin = 0; bin < counts.length; ++bin)
      if (counts[bin] != 0) text.append(bin).append(':').append(counts[bin]).append(' ');
    return text.append('.').toString();
  }

  private String line(long count, double... figures) {
    StringBuilder text = new StringBuilder("summary " + count);
    for (int i = 0; i < 11; ++i) text.append(String.format(Locale.ROOT, " %.9g", figures[i]));
    for (String process : new String[] {"self", String.valueOf(server)})
      text.append(" ").append(memoryKib(process, "Rss:")).append(" ").append(memoryKib(process, "Private_"));
    return text.toString();
  }

  /** Processor time of all threads of a process. */
  private static double cpuUs(String process) {
    double sum = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", process, "task"))) {
      for (Path thread : threads)
        sum += Double.parseDouble(Files.readString(thread.resolve("schedstat")).split(" ")[0]) / 1e3;
    } catch (IOException e) {
      return 0;  // no such process
    }
    return sum;
  }

  private static long memoryKib(String process, String key) {
    long sum = 0;
    try {
      for (String line : Files.readAllLines(Path.of("/proc", process, "smaps_rollup"))) {
        String[] words = line.trim().split("\\s+");
        if (words[0].startsWith(key) && !words[0].startsWith("Private_Hugetlb"))
          sum += Long.parseLong(words[1]);
      }
    } catch (IOException e) {
      return 0;  // no such process
    }
    return sum;
  }
}
