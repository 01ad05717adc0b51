import CF.DataType;
import CF.LifeCyclePackage.InitializeError;
import CF.PortSupplierPackage.UnknownPort;
import CF.PropertiesHolder;
import CF.PropertySetPackage.InvalidConfiguration;
import CF.PropertySetPackage.PartialConfiguration;
import CF.ResourcePOA;
import CF.TestableObjectPackage.UnknownTest;
import CF.UnknownProperties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextHelper;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ThreadPolicyValue;

/** A component of SCA 2.2.2 on JacORB: passes packets of its port `in` to its port `out`, unchanged. */
public final class Stage extends ResourcePOA {
  private static final Set<String> KNOWN =
      Set.of("NAMING_CONTEXT_IOR", "NAME_BINDING", "COMPONENT_IDENTIFIER", "generate", "stays");

  private final String id;
  private final ORB orb;
  private final POA ports;  // with one thread, which keeps the order of packets
  private final StreamOutput output = new StreamOutput();
  private final StreamInput input = new StreamInput(output::push, output::pushMetadata, output::end);
  /** Values of the properties of kind configure (stage.prf.xml). */
  private final Map<String, Any> values = new LinkedHashMap<>();

  private Stage(String id, ORB orb, POA ports) {
    this.id = id;
    this.orb = orb;
    this.ports = ports;
    for (String property : List.of("level", "offset", "enabled", "label"))
      values.put(property, orb.create_any());
    values.get("level").insert_float(0);
    values.get("offset").insert_long(0);
    values.get("enabled").insert_boolean(false);
    values.get("label").insert_string("");
  }

  @Override
  public String identifier() {
    return id;
  }

  @Override
  public void initialize() throws InitializeError {
    try {
      ports.activate_object(input);
      ports.activate_object(output);
    } catch (org.omg.CORBA.UserException e) {
      throw new InitializeError(new String[] {e.toString()});
    }
  }

  @Override
  public org.omg.CORBA.Object getPort(String name) throws UnknownPort {
    Servant port = name.equals("in") ? input : name.equals("out") ? output : null;
    try {
      if (port != null) return ports.servant_to_reference(port);
    } catch (org.omg.CORBA.UserException e) {
      // It is not active.
    }
    throw new UnknownPort();
  }

  @Override
  public synchronized void configure(DataType[] properties)
      throws InvalidConfiguration, PartialConfiguration {
    List<DataType> invalid = new ArrayList<>();
    for (DataType property : properties) {
      Any known = values.get(property.id);
      if (known != null && known.type().equivalent(property.value.type()))
        values.put(property.id, property.value);
      else
        invalid.add(property);
    }
    if (invalid.isEmpty()) return;
    DataType[] all = invalid.toArray(new DataType[0]);
    if (all.length < properties.length) throw new PartialConfiguration(all);
    throw new InvalidConfiguration("no such property, or a value of another type", all);
  }

  @Override
  public synchronized void query(PropertiesHolder properties) throws UnknownProperties {
    if (properties.value.length == 0) {
      properties.value = values.entrySet().stream()
          .map(each -> new DataType(each.getKey(), each.getValue()))
          .toArray(DataType[]::new);
    }
    for (DataType property : properties.value) {
      if (!values.containsKey(property.id)) throw new UnknownProperties(new DataType[] {property});
      property.value = values.get(property.id);
    }
  }

  @Override
  public void runTest(int testid, PropertiesHolder testValues) throws UnknownTest {
    throw new UnknownTest();
  }

  @Override
  public synchronized void start() {
    System.out.println("level " + values.get("level").extract_float() + ", offset "
        + values.get("offset").extract_long() + ", enabled "
        + (values.get("enabled").extract_boolean() ? 1 : 0) + ", label '"
        + values.get("label").extract_string() + "'");
    input.setStarted(true);
  }

  @Override
  public void stop() {
    input.setStarted(false);
  }

  @Override
  public void releaseObject() {
    input.close();
    // shutdown() waits for calls in progress, and this is one.
    new Thread(() -> orb.shutdown(true)).start();
  }

  private static Map<String, String> execParams(String[] words) {
    Map<String, String> params = new HashMap<>();
    for (int i = 0; i < words.length; i += 2) {
      if (!KNOWN.contains(words[i]) || i + 1 == words.length)
        throw new IllegalArgumentException("unknown exec param " + words[i]);
      params.put(words[i], words[i + 1]);
    }
    return params;
  }

  /** The properties of the ORB. */
  private static Properties orbProperties() {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("OAIAddr", "127.0.0.1");
    properties.put("jacorb.log.default.verbosity", "1");
    // A full queue of requests makes senders wait; by default JacORB drops the packets.
    properties.put("jacorb.poa.queue_max", "64");
    properties.put("jacorb.poa.queue_min", "32");
    properties.put("jacorb.poa.queue_wait", "on");
    return properties;
  }

  /** A POA whose objects are called by one thread. */
  private static POA makePortsPoa(POA root) throws org.omg.CORBA.UserException {
    return root.create_POA("ports", root.the_POAManager(),
        new org.omg.CORBA.Policy[] {root.create_thread_policy(ThreadPolicyValue.SINGLE_THREAD_MODEL)});
  }

  public static void main(String[] words) throws Exception {
    // The core framework gives the exec params of the standard and those of the PRF, and no others.
    Map<String, String> params = execParams(words);
    ORB orb = ORB.init(new String[0], orbProperties());
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    root.the_POAManager().activate();
    Stage stage = new Stage(params.get("COMPONENT_IDENTIFIER"), orb, makePortsPoa(root));
    org.omg.CORBA.Object self = root.servant_to_reference(stage);
    NamingContext naming =
        NamingContextHelper.narrow(orb.string_to_object(params.get("NAMING_CONTEXT_IOR")));
    naming.bind(new NameComponent[] {new NameComponent(params.get("NAME_BINDING"), "")}, self);
    orb.run();  // until releaseObject()
  }
}
