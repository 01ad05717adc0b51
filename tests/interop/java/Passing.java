import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls of the operations `T pass_name(in T a, inout T b, out T c)` of types.idl. */
final class Passing {
  private final Checks checks;
  private final Peer peer;

  Passing(Checks checks, Peer peer) {
    this.checks = checks;
    this.peer = peer;
  }

  /** Adds a check that the server returns each of these values, in each place. */
  void add(String name, String operation, Object... values) {
    checks.add(name, () -> passes(operation, values));
  }

  void passes(String operation, Object... values) throws Exception {
    for (int i = 0; i < values.length; ++i) pass(operation, values[i], values[(i + 1) % values.length]);
  }

  /** A call with the values `a` and `b`. The operation returns `a`, sets `c` to `b`, and `b` to `a`. */
  void pass(String operation, Object a, Object b) throws Exception {
    Method method = methodOf(operation);
    Object inout = method.getParameterTypes()[1].getConstructor().newInstance();
    Object out = method.getParameterTypes()[2].getConstructor().newInstance();
    inout.getClass().getField("value").set(inout, b);
    Object result;
    try {
      result = method.invoke(peer.types, a, inout, out);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Exception) throw (Exception) e.getCause();
      throw e;
    }
    Checks.same(a, result);
    Checks.same(a, inout.getClass().getField("value").get(inout));
    Checks.same(b, out.getClass().getField("value").get(out));
  }

  private static Method methodOf(String operation) {
    for (Method each : InteropTypes.TypesOperations.class.getMethods())
      if (each.getName().equals(operation)) return each;
    throw new IllegalArgumentException("there is no operation " + operation);
  }
}
