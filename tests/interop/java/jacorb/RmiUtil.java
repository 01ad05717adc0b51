import java.io.Serializable;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import javax.rmi.CORBA.Stub;
import javax.rmi.CORBA.Tie;
import javax.rmi.CORBA.UtilDelegate;
import javax.rmi.CORBA.ValueHandler;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.OutputStream;
import org.omg.SendingContext.RunTime;

/**
 * What JacORB asks of RMI-IIOP when it writes a value of an IDL type, whose answer it does not use. The
 * implementation that it brings needs classes that JDKs have no more.
 */
public final class RmiUtil implements UtilDelegate {
  private static final class NoRmiValues implements ValueHandler {
    @Override
    public String getRMIRepositoryID(Class type) {
      return "RMI:" + type.getName() + ":0000000000000000";
    }

    @Override
    public void writeValue(OutputStream out, Serializable value) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Serializable readValue(InputStream in, int offset, Class type, String id, RunTime sender) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCustomMarshaled(Class type) {
      throw new UnsupportedOperationException();
    }

    @Override
    public RunTime getRunTimeCodeBase() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Serializable writeReplace(Serializable value) {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  public ValueHandler createValueHandler() {
    return new NoRmiValues();
  }

  @Override
  public RemoteException mapSystemException(SystemException e) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void writeAny(OutputStream out, Object object) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Object readAny(InputStream in) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void writeRemoteObject(OutputStream out, Object object) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void writeAbstractObject(OutputStream out, Object object) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void registerTarget(Tie tie, Remote target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void unexportObject(Remote target) throws NoSuchObjectException {
    throw new UnsupportedOperationException();
  }

  @Override
  public Tie getTie(Remote target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public String getCodebase(Class type) {
    return null;
  }

  @Override
  public Class loadClass(String name, String codebase, ClassLoader loader) throws ClassNotFoundException {
    return Class.forName(name);
  }

  @Override
  public boolean isLocal(Stub stub) {
    throw new UnsupportedOperationException();
  }

  @Override
  public RemoteException wrapException(Throwable original) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Object copyObject(Object object, ORB orb) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Object[] copyObjects(Object[] objects, ORB orb) {
    throw new UnsupportedOperationException();
  }
}
