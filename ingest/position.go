package ingest

// position is how far a stream has been processed.
type position struct {
	next  uint64 // seq of the next frame
	taken uint64 // frames below have reached the detector; the clock delays later ones
	at    int64  // arrival time of the last frame, ns
}
