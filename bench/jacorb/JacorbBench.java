import java.io.OutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** JacORB as a subject of `orbweaver bench`: the roles `serve`, `call` and `count` of bench/harness/subject.h. */
public final class JacorbBench {
  private JacorbBench() {}

  public static void main(String[] arguments) {
    try {
      run(arguments);
    } catch (Exception e) {
      System.err.println("bench-jacorb: " + e);
      System.exit(1);
    }
    System.exit(0);
  }

  private static void run(String[] arguments) throws Exception {
    String role = arguments.length > 0 ? arguments[0] : "";
    if (arguments.length % 2 == 0 || !(role.equals("serve") || role.equals("call") || role.equals("count")))
      throw new IllegalArgumentException(
          "this program is started by `orbweaver bench`; run that instead");
    Map<String, String> options = new HashMap<>();
    for (int i = 1; i + 1 < arguments.length; i += 2) options.put(arguments[i], arguments[i + 1]);
    ORB orb = tunedOrb();
    if (role.equals("serve")) {
      serve(orb);
      return;
    }
    Bench.Sink sink = Bench.SinkHelper.narrow(orb.string_to_object(options.get("--address")));
    long server = role.equals("call") ? Long.parseLong(options.getOrDefault("--server", "0")) : 0;
    Loop loop = new Loop(Integer.parseInt(options.get("--calls")), server, role.equals("call"));
    boolean oneway = options.get("--experiment").equals("oneway");
    System.out.println(
        Calls.measured(sink, options.get("--type"), Integer.parseInt(options.get("--bytes")), oneway, loop));
    System.out.flush();
  }

  /** One thread serves, in the order of arrival; requests wait for it; calls have no time limit. */
  private static ORB tunedOrb() {
    Properties settings = new Properties();
    String[][] values = {
      {"org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB"},
      {"org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton"},
      {"OAIAddr", "127.0.0.1"},
      {"jacorb.dns.enable", "off"},
      {"jacorb.native_char_codeset", "UTF8"},
      {"jacorb.connection.client.pending_reply_timeout", "0"},
      {"jacorb.poa.thread_pool_min", "1"},
      {"jacorb.poa.thread_pool_max", "1"},
      {"jacorb.poa.queue_max", "1000"},
      {"jacorb.poa.queue_wait", "on"},
      {"jacorb.log.default.verbosity", "0"},
    };
    for (String[] each : values) settings.setProperty(each[0], each[1]);
    PrintStream errors = System.err;
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));  // SLF4J says that it has no log
    try {
      return ORB.init(new String[0], settings);
    } finally {
      System.setErr(errors);
    }
  }

  private static void serve(ORB orb) throws Exception {
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    org.omg.CORBA.Object sink = root.servant_to_reference(new Sink());
    root.the_POAManager().activate();
    System.out.println("ready " + orb.object_to_string(sink));
    System.out.flush();
    orb.run();
  }
}
