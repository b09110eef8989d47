package ingest

// position is how far a stream got.
type position struct {
	next  uint64 // seq of the next frame
	taken uint64 // frames below reached the detector; later ones are delayed by the clock
	at    int64  // arrival of the last frame, ns
}
