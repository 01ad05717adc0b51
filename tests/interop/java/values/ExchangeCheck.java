import Interop.Base;
import Interop.BaseHelper;
import Interop.Derived;
import Interop.Device;
import Interop.Exchange;
import Interop.Named;
import Interop.Node;
import Interop.NodeHelper;
import Interop.Spent;
import java.util.Arrays;
import java.util.Objects;
import org.omg.CORBA.Any;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.StringHolder;

/** Calls of an exchange with values of this process. */
final class ExchangeCheck {
  private final StringBuilder wrong = new StringBuilder();
  private final ORB orb;
  private final Exchange other;
  private final Values.NodeImpl a = new Values.NodeImpl(1, "a");
  private final Values.NodeImpl b = new Values.NodeImpl(2, "b");

  private ExchangeCheck(ORB orb, Exchange other) {
    this.orb = orb;
    this.other = other;
    a.setChildren(b, b, null);
    b.next = a;  // a cycle
  }

  /** Exchange::check. */
  static String run(ORB orb, Exchange other, Device device) {
    ExchangeCheck check = new ExchangeCheck(orb, other);
    check.step("graphs", check::checkGraphs);
    check.step("derived values", check::checkDerived);
    if (Vendor.SENDS_TRUNCATABLE_VALUES) check.step("truncation", check::checkTruncation);
    check.step("boxes", check::checkBoxes);
    check.step("abstract interfaces", () -> check.checkAbstractInterfaces(device));
    check.step("anys", check::checkAnys);
    check.step("exceptions", check::checkExceptions);
    return check.wrong.toString();
  }

  private void step(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      wrong.append(what).append(": ").append(e).append("; ");
    }
  }

  private void expect(boolean right, String what) {
    if (!right) wrong.append(what).append("; ");
  }

  private void checkGraphs() {
    expect(other.describe(a, b).equals(Values.described(a, b)), "describe");
    Node back = other.pass_node(a);
    expect(Values.described(back, null).equals(Values.described(a, null)), "pass_node");
    expect(other.pass_node(null) == null, "null");
  }

  private void fill(Derived value) {
    value.o = 1;
    value.d = 2.5;
    value.caption = Vendor.READS_BOXES_IN_VALUES ? "caption" : null;
    value.p = 3;
    value.samples_ = new double[200];
    for (int i = 0; i < 200; ++i) value.samples_[i] = i;
    value.first = b;
  }

  private void checkDerived() {
    Derived sent = new Values.DerivedImpl();
    fill(sent);
    Base base = other.pass_base(sent);
    expect(base instanceof Derived, "pass_base");
    if (!(base instanceof Derived)) return;
    Derived back = (Derived) base;
    expect(back.o == 1 && back.d == 2.5 && back.p == 3, "members of Derived");
    expect(Arrays.equals(back.samples_, sent.samples_), "samples");
    expect(Objects.equals(back.caption, sent.caption), "caption");
    expect(Values.described(back.first, null).equals(Values.described(b, null)), "first");
  }

  private void checkTruncation() {
    Values.UnknownImpl value = new Values.UnknownImpl();
    fill(value);
    value.first = null;
    value.more = "more";
    value.last = a;
    // The other side truncates it, and finds the node in what it has skipped.
    Node last = other.last_of(value, a);
    expect(Values.described(last, null).equals(Values.described(a, null)), "last_of");
  }

  private void checkBoxes() {
    double[] box = {1, 2.5};
    BooleanHolder shared = new BooleanHolder();
    expect(Arrays.equals(other.pass_samples(box, box, shared), box), "a box");
    expect(shared.value, "sharing of a box");
    expect("word".equals(other.pass_string("word")), "StringValue");
    expect(other.pass_string(null) == null, "a null StringValue");
    expect("\u20ac".equals(other.pass_wstring("\u20ac")), "WStringValue");
  }

  private void checkAbstractInterfaces(Device device) {
    StringHolder called = new StringHolder();
    Values.TagImpl tag = new Values.TagImpl();
    tag.name = "x";
    Named named = other.pass_named(tag, called);
    expect(called.value.equals("tag x") && named.called().equals("tag x"), "a value as Named");
    named = other.pass_named(device, called);
    expect(called.value.equals("device of the server"), "an object as Named");
    expect(named.called().equals(called.value), "an object as Named, returned");
    expect(other.pass_named(null, called) == null, "nil as Named");
    expect(other.make_device().called().equals("device of Orbweaver"), "a device");
  }

  private void checkAnys() {
    Values.BaseImpl plain = new Values.BaseImpl();
    plain.d = -0.5;
    plain.caption = "caption";
    Any any = orb.create_any();
    BaseHelper.insert(any, plain);
    Base back = BaseHelper.extract(other.pass_any(any));
    expect(back != null && back.d == -0.5 && "caption".equals(back.caption), "an any");
    Any ofNode = orb.create_any();
    NodeHelper.insert(ofNode, a);
    Node node = NodeHelper.extract(other.pass_any(ofNode));
    expect(Values.described(node, null).equals(Values.described(a, null)), "an any of a graph");
  }

  private void checkExceptions() {
    try {
      other.fail(a);
      expect(false, "no exception");
    } catch (Spent e) {
      expect(Values.described(e.where, null).equals(Values.described(a, null)), "an exception");
    }
  }
}
