package charges

import "time"

// WalkInChunks is Walk with the number of records that are read at a time.
var WalkInChunks = walk

// Looked is the step between a look at the settlement and the statement.
const Looked = stepLooked

// SnapshotFor sets the time from a look to the statement for which replaced batches are relied on,
// until the returned function is called.
func SnapshotFor(d time.Duration) (restore func()) {
	before := snapshotFor
	snapshotFor = d
	return func() { snapshotFor = before }
}
