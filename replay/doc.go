// Package replay plays back a recorded session: every frame in position order,
// with the recorded gaps.
//
// A Tape provides the frames, from ClickHouse, a file or memory. A Sink receives
// them and writes an HTTP response or another server's protocol. The Player between
// them keeps the time and applies controls. None of the three depends on the others'
// implementations.
package replay
