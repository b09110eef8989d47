// Package live provides tapes of running sessions: the stored frames, then new frames
// as they arrive, without gaps or duplicates.
//
// # The boundary between stored and live frames
//
// Blocks travel through JetStream, and the sink acknowledges a block once it is stored. So all
// blocks up to the sink's ack floor are stored, and all blocks after it are in JetStream, which
// removes them only once they are stored. A reader requests the ack floor, then the stored state of
// the streams, and then reads the session's blocks after the floor, up to the last one. Frames that
// are stored and in none of those blocks are the history, which is complete: they are read from the
// library, in position order. All other frames are read from JetStream. The reader records the
// emitted frames of each stream as ranges of numbers, so that a block that arrives twice, from one
// or both sources, is emitted once.
//
// # Readers and tails
//
// All readers of a session share a tail: one consumer, the last few MiB of blocks, and, while the
// session is quiet, its streams as the store last returned them. For several readers the tail also
// keeps encodings of the latest frames, up to 2 MiB: the first reader that encodes a frame does so
// for all. A reader that falls behind the tail, because it is slow or its player is paused, reads
// blocks from JetStream with its own consumer. If JetStream has removed them, the reader determines
// the boundary again, from its current place. So a paused player holds no blocks and loses no
// frames.
//
// # Order
//
// Live frames arrive in the order in which JetStream stored the blocks. Frames of one stream are in
// order: a block that follows a missing block is held back for up to Options.Timeout. Across
// streams a frame may be late: by milliseconds, since blocks end at different times, or by hours,
// from the spool of a tap that could not reach the server. It is emitted when it arrives, with its
// own position, regardless of the frames before it. A frame that arrives after a reader began is
// emitted even if it is before the place where reading began.
//
// # Resuming
//
// While a session has one stream, a position determines the frames before it. With several streams,
// live frames have the number of their block (replay.Frame.Block): all frames of earlier blocks
// were received, and none of later blocks. A reader that begins at such a place continues exactly
// there, as long as JetStream has the block. Afterwards, and for a position without a block, the
// position order decides: frames that arrived in between at earlier positions, from the spool of a
// tap, count as received. Three kinds of positions have no block: positions of the history,
// positions of frames that are emitted while a block is held back, and positions of frames that are
// emitted before a block that the snapshot read although its frames are stored. Such a block may be
// a copy of an earlier block, whose frames the reader does not have yet.
//
// # The end
//
// A session is over when all its streams have ended and no block arrived for Options.Grace, or for
// Options.GraceHTTP if some of its streams are HTTP exchanges, since such a session consists of
// many streams. It is also over when no block arrived for Options.Silence and no recorder of its
// open streams is known to be alive (Options.Recorders). When a stream of many sessions leaves a
// session, it records this in a block of another session: while a session is quiet, its stored
// streams are read to detect this.
package live
