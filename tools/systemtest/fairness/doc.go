// Package fairness measures how long the frames of a small stream take until they are stored, and
// until a follower reads them, while other streams record as fast as the server takes frames. It
// compares the times with those beside a hundred equal streams, within one run.
//
// It has tests only. They start `tapedeck up` as users do.
package fairness
