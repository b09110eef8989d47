// Package player plays back a recorded session: every frame in position order, with the recorded
// gaps.
//
// A replay.Tape provides the frames. A Sink receives them and writes an HTTP response or another
// server's protocol. The Player passes the frames from the tape to the sink at their times, and
// applies controls. Tape, player and sink do not depend on each other's implementations.
package player
