# The receiver of bench/bench.idl, for Cap'n Proto.
@0xc7c1b7ab1c3f0c52;

struct Sample {
  i @0 :Int16;
  q @1 :Int16;
}

interface Sink {
  takeNothing @0 () -> ();
  takeOctets @1 (data :Data) -> ();
  takeShorts @2 (data :List(Int16)) -> ();
  takeLongs @3 (data :List(Int32)) -> ();
  takeLongLongs @4 (data :List(Int64)) -> ();
  takeFloats @5 (data :List(Float32)) -> ();
  takeDoubles @6 (data :List(Float64)) -> ();
  takeStrings @7 (data :List(Text)) -> ();
  takeSamples @8 (data :List(Sample)) -> ();

  total @9 () -> (sum :Float64);
}
