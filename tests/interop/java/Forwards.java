import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/**
 * Forwards requests of objects that have moved. An interceptor does it: JacORB 3.9 sends no reply if a
 * servant manager raises ForwardRequest (an exception in its RequestProcessor).
 */
public final class Forwards extends LocalObject implements ORBInitializer {
  private static final long serialVersionUID = 1L;
  private static final ConcurrentHashMap<String, org.omg.CORBA.Object> TARGETS =
      new ConcurrentHashMap<>();

  /** Requests of the object with this id are forwarded to `target`. */
  static void add(String objectId, org.omg.CORBA.Object target) {
    TARGETS.put(objectId, target);
  }

  @Override
  public void pre_init(ORBInitInfo info) {}

  @Override
  public void post_init(ORBInitInfo info) {
    try {
      info.add_server_request_interceptor(new Interceptor());
    } catch (DuplicateName e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Interceptor extends LocalObject implements ServerRequestInterceptor {
    private static final long serialVersionUID = 1L;

    @Override
    public String name() {
      return "forwards";
    }

    @Override
    public void receive_request(ServerRequestInfo info) throws ForwardRequest {
      org.omg.CORBA.Object target = TARGETS.get(new String(info.object_id(), StandardCharsets.ISO_8859_1));
      if (target != null) throw new ForwardRequest(target);
    }

    @Override
    public void receive_request_service_contexts(ServerRequestInfo info) {
      Vendor.prepareThread();
    }

    @Override
    public void send_reply(ServerRequestInfo info) {}

    @Override
    public void send_exception(ServerRequestInfo info) {}

    @Override
    public void send_other(ServerRequestInfo info) {}

    @Override
    public void destroy() {}
  }
}
