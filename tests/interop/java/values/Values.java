import Interop.Base;
import Interop.Derived;
import Interop.Node;
import Interop.Tag;
import Interop.Unknown;
import java.io.Serializable;
import java.util.IdentityHashMap;
import java.util.function.Supplier;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.StreamableValue;
import org.omg.CORBA.portable.ValueFactory;
import org.omg.CORBA_2_3.portable.InputStream;

/** Implementations of the value types of values.idl, and their factories. There is none for Unknown. */
final class Values {
  private Values() {}

  static final class NodeImpl extends Node {
    private static final long serialVersionUID = 1L;

    NodeImpl() {
      children = new Node[0];
    }

    NodeImpl(int number, String name) {
      this();
      this.number = number;
      this.name = name;
    }

    void setChildren(Node... all) {
      children = all;
    }

    Node[] children() {
      return children;
    }
  }

  static final class BaseImpl extends Base {
    private static final long serialVersionUID = 1L;
  }

  static final class DerivedImpl extends Derived {
    private static final long serialVersionUID = 1L;
  }

  static final class UnknownImpl extends Unknown {
    private static final long serialVersionUID = 1L;
  }

  static final class TagImpl extends Tag {
    private static final long serialVersionUID = 1L;

    @Override
    public String called() {
      return "tag " + name;
    }
  }

  private static final class FactoryOf implements ValueFactory {
    private final Supplier<StreamableValue> make;

    FactoryOf(Supplier<StreamableValue> make) {
      this.make = make;
    }

    @Override
    public Serializable read_value(InputStream in) {
      return in.read_value(make.get());
    }
  }

  static void registerFactories(ORB orb) {
    org.omg.CORBA_2_3.ORB registry = (org.omg.CORBA_2_3.ORB) orb;
    registry.register_value_factory("IDL:Interop/Node:1.0", new FactoryOf(NodeImpl::new));
    registry.register_value_factory("IDL:Interop/Base:1.0", new FactoryOf(BaseImpl::new));
    registry.register_value_factory("IDL:Interop/Derived:1.0", new FactoryOf(DerivedImpl::new));
    registry.register_value_factory("IDL:Interop/Tag:1.0", new FactoryOf(TagImpl::new));
  }

  /** Exchange::describe. */
  static String described(Node first, Node second) {
    IdentityHashMap<Node, Integer> seen = new IdentityHashMap<>();
    StringBuilder text = new StringBuilder();
    describe(first, seen, text);
    text.append("|");
    describe(second, seen, text);
    return text.toString();
  }

  private static void describe(Node node, IdentityHashMap<Node, Integer> seen, StringBuilder text) {
    if (node == null) {
      text.append("-");
    } else if (seen.containsKey(node)) {
      text.append("#").append(seen.get(node));
    } else {
      seen.put(node, seen.size());
      text.append(node.number).append(node.name).append("(");
      describe(node.next, seen, text);
      for (Node each : ((NodeImpl) node).children()) {
        text.append(",");
        describe(each, seen, text);
      }
      text.append(")");
    }
  }
}
