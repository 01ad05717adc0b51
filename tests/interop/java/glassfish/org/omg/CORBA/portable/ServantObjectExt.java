package org.omg.CORBA.portable;

/** Named by stubs of JacORB's IDL compiler; GlassFish's ORB never passes one to them. */
public abstract class ServantObjectExt extends ServantObject {
  public abstract void normalCompletion();

  public abstract void exceptionalCompletion(Throwable exception);
}
