// Package replay defines the tape: the recording of one session, which provides every frame in
// position order, and the facts derived from the frames.
//
// Tapes come from ClickHouse (replay/clickhouse), from JetStream while a session runs
// (replay/live), from a file (replay/tapefile) or from memory (replay/replaytest).
// Package replay/player plays a tape with the recorded gaps to a sink, which writes an
// HTTP response (replay/http), another server's protocol (replay/emulate) or a
// terminal's screen.
package replay
