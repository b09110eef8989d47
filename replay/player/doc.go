// Package player plays back a recorded session: every frame in position order, with
// the recorded gaps.
//
// A replay.Tape provides the frames. A Sink receives them and writes an HTTP response
// or another server's protocol. The Player between them keeps the time and applies
// controls. Tape, player and sink do not depend on one another's implementations.
package player
