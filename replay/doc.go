// Package replay plays a recorded session back: every frame in position order,
// at the gaps it was recorded with.
//
// A Tape gives the frames, from ClickHouse, from memory, or from wherever else
// somebody implements it; a Sink takes them, an HTTP response or another
// server's protocol; the Player between them keeps the time and obeys the
// controls. None of the three knows what the others are.
package replay
