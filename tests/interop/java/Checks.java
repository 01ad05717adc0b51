import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.omg.CORBA.SystemException;

/**
 * Checks of a client, in groups. Each prints a line: "ok", "FAILED" or "known", its name, and the reason. A
 * run fails if a check failed that is not among the known faults (KnownFaults), or if one that is did not.
 */
final class Checks {
  interface Body {
    void run() throws Exception;
  }

  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failure(String what) {
      super(what);
    }
  }

  private final Map<String, List<String>> groups = new LinkedHashMap<>();
  private final Map<String, Body> bodies = new LinkedHashMap<>();
  private List<String> current;
  private String group;

  /** The checks that follow belong to this group. */
  void group(String name) {
    group = name;
    current = groups.computeIfAbsent(name, none -> new ArrayList<>());
  }

  void add(String name, Body body) {
    current.add(group + "." + name);
    bodies.put(group + "." + name, body);
  }

  Iterable<String> groups() {
    return groups.keySet();
  }

  /** Runs the checks of these groups. Returns the number of those that failed; throws for an unknown name. */
  int run(List<String> names, KnownFaults known) {
    int failed = 0;
    for (String name : names) {
      if (!groups.containsKey(name)) throw new IllegalArgumentException("there is no group " + name);
      for (String check : groups.get(name))
        if (!known.depends(check)) failed += run(check, known.reason(check)) ? 0 : 1;
    }
    return failed;
  }

  private boolean run(String check, String known) {
    String found = outcome(bodies.get(check));
    if (known != null && found != null) {
      System.out.println("known " + check + ": " + known + " (" + found + ")");
      return true;
    }
    if (known != null) found = "the known fault is not there any more: " + known;
    System.out.println(found == null ? "ok " + check : "FAILED " + check + ": " + found);
    return found == null;
  }

  private static String outcome(Body body) {
    try {
      body.run();
      return null;
    } catch (Failure failure) {
      return failure.getMessage();
    } catch (SystemException e) {
      return e + " minor " + Integer.toHexString(e.minor) + place(e);
    } catch (Exception | LinkageError e) {
      return e + place(e);
    }
  }

  private static String place(Throwable e) {
    StringBuilder text = new StringBuilder();
    StackTraceElement[] trace = e.getStackTrace();
    for (int i = 0; i < trace.length && i < 6; ++i) text.append(" < ").append(trace[i]);
    return text.toString();
  }

  // ---- what a check expects ----

  static void same(Object expected, Object found) {
    String difference = Same.difference(expected, found);
    if (difference != null) throw new Failure(difference);
  }

  static void that(boolean condition, String what) {
    if (!condition) throw new Failure(what);
  }

  /** Expects this exception, or one that is derived from it, and returns it. */
  static <E extends Exception> E raises(Class<E> expected, Body body) throws Exception {
    try {
      body.run();
    } catch (Exception e) {
      if (expected.isInstance(e)) return expected.cast(e);
      throw e;
    }
    throw new Failure("no " + expected.getSimpleName());
  }
}
