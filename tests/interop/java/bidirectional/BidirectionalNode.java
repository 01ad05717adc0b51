import BidirTest.Node;
import BidirTest.NodeHelper;
import BidirTest.NodePOA;
import java.util.Arrays;
import java.util.Properties;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SystemException;
import org.omg.PortableServer.ImplicitActivationPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * A program of JacORB with a node of nodes.idl, in a POA whose BidirectionalPolicy is BOTH, as
 * interop-omniorb-node: without an argument a server, whose first line is the reference of its node; with a
 * reference a client, which prints the results of calls that call back, and serves until it is killed.
 */
public final class BidirectionalNode extends NodePOA {
  private Node other;

  @Override public synchronized void attach(Node node) {
    other = node;
  }

  @Override public void attach_any(Any any) {
    attach(NodeHelper.extract(any));
  }

  @Override public synchronized Node attached() {
    return other;
  }

  @Override public int twice(int n) {
    return 2 * n;
  }

  @Override public byte[] echo(byte[] data) {
    return data;
  }

  @Override public void note(int n) {}

  @Override public int[] notes() {
    return new int[0];
  }

  @Override public int wait_at_gate(int n) {
    return n;
  }

  @Override public int twice_there(int n) {
    return attached().twice(n);
  }

  @Override public byte[] echo_there(byte[] data) {
    return attached().echo(data);
  }

  @Override public void note_there(int n) {
    attached().note(n);
  }

  @Override public int wait_there(int n) {
    return attached().wait_at_gate(n);
  }

  @Override public int descend(Node caller, int n) {
    return n == 0 ? 0 : caller.descend(_this(), n - 1) + 1;
  }

  private static void print(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void call(Node server, Node own) {
    server.attach(own);
    print("twice_there " + server.twice_there(21));
    byte[] data = new byte[3_000_000];
    for (int i = 0; i < data.length; ++i) data[i] = (byte) (i * 7);
    print("echo_there " + (Arrays.equals(server.echo_there(data), data) ? "equal" : "different"));
    print("descend " + server.descend(own, 6));
  }

  public static void main(String[] arguments) throws Exception {
    Properties properties = Vendor.properties("1.2", 0);
    properties.put("org.omg.PortableInterceptor.ORBInitializerClass.bidir_init",
        "org.jacorb.orb.giop.BiDirConnectionInitializer");
    ORB orb = ORB.init(new String[0], properties);
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    Any both = orb.create_any();
    BidirectionalPolicyValueHelper.insert(both, BOTH.value);
    Policy[] policies = {
        root.create_implicit_activation_policy(ImplicitActivationPolicyValue.IMPLICIT_ACTIVATION),
        orb.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both)};
    POA poa = root.create_POA("nodes", root.the_POAManager(), policies);
    root.the_POAManager().activate();
    Node own = NodeHelper.narrow(poa.servant_to_reference(new BidirectionalNode()));
    if (arguments.length == 0) {
      print(orb.object_to_string(own));
    } else {
      try {
        call(NodeHelper.narrow(orb.string_to_object(arguments[0])), own);
        print("done");
      } catch (SystemException e) {
        print("raised " + e);
        System.exit(1);
      }
    }
    orb.run();
  }
}
