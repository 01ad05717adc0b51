import Interop.Base;
import Interop.Device;
import Interop.DeviceHelper;
import Interop.DevicePOA;
import Interop.Exchange;
import Interop.ExchangePOA;
import Interop.Named;
import Interop.Node;
import Interop.NodeHolder;
import Interop.Spent;
import java.io.Serializable;
import org.omg.CORBA.Any;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.StringHolder;

/** The exchange of values.idl. */
final class ExchangeServant extends ExchangePOA {
  private final ORB orb;

  ExchangeServant(ORB orb) {
    this.orb = orb;
  }

  private static final class DeviceServant extends DevicePOA {
    @Override
    public String called() {
      return "device of the server";
    }
  }

  @Override
  public Node pass_node(Node n) {
    return n;
  }

  @Override
  public String describe(Node n, Node m) {
    return Values.described(n, m);
  }

  @Override
  public void swap(NodeHolder a, NodeHolder b) {
    Node old = a.value;
    a.value = b.value;
    b.value = old;
  }

  @Override
  public Base pass_base(Base b) {
    return b;
  }

  @Override
  public Node last_of(Base b, Node n) {
    return n;
  }

  @Override
  public Serializable pass_value(Serializable v) {
    return v;
  }

  @Override
  public double[] pass_samples(double[] a, double[] b, BooleanHolder shared) {
    shared.value = a == b;
    return a;
  }

  @Override
  public String pass_string(String s) {
    return s;
  }

  @Override
  public String pass_wstring(String s) {
    return s;
  }

  @Override
  public Named pass_named(Named n, StringHolder called) {
    called.value = n == null ? "nil" : n.called();
    return n;
  }

  @Override
  public Device make_device() {
    return DeviceHelper.narrow(new DeviceServant()._this_object(orb));
  }

  @Override
  public Any pass_any(Any a) {
    return a;
  }

  @Override
  public void fail(Node n) throws Spent {
    throw new Spent("out", n);
  }

  @Override
  public String check(Exchange other) {
    return ExchangeCheck.run(orb, other, make_device());
  }
}
