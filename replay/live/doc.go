// Package live gives tapes of sessions that still run: what is stored, then what
// comes, without a gap and without a repeat.
//
// # The seam
//
// Blocks travel through JetStream, and a sink that has stored one acknowledges
// it. So all up to the sink's acknowledgement floor is stored, and all after it
// is in JetStream: it is removed there only once it is stored. A reader asks for
// that floor, then for the streams as stored, and then looks through the
// session's blocks after the floor, up to the last there is. What is stored and
// not in one of those blocks is history, and complete: it is read from the
// library, in position order. Everything else is read from JetStream. Which
// frames of a stream were passed is kept as ranges of their numbers, so that a
// block that comes twice, or comes again by another way, gives nothing twice.
//
// # Readers and tails
//
// All readers of a session share a tail: one consumer, and the last few MiB of
// blocks. A reader that was left behind by the tail, because it is slow or its
// player was paused, reads blocks from JetStream at its own pace; if they were
// removed there, it goes through the seam again, from where it is. So a paused
// player holds nothing, and loses nothing.
//
// # Order
//
// What is live comes in the order in which JetStream took the blocks. Frames of
// one stream come in order: a block that follows on one which is missing is held
// back for a while (Options.Timeout). Across streams a frame may be late: by
// milliseconds, since blocks are cut at different times, or by hours, from the
// spool of a tap that could not reach the server. It is shown when it comes, at
// its own position, whatever was shown before it. A frame that comes after a
// reader began is shown even where it lies before the place that reading began at.
//
// # Resuming
//
// While a session has one stream, a position tells what was seen. With several,
// frames that came live carry the number of their block (replay.Frame.Block): all
// in earlier blocks was seen, and nothing of later ones. A reader that begins at
// such a place goes on exactly there, for as long as JetStream has the block;
// later, and from a bare position, position order decides: what came in between at
// earlier positions, from the spool of a tap, is taken for seen. Bare are the
// positions of history, and of what is given while a block is held back.
//
// # The end
//
// A session is over when all its streams have ended and nothing came for
// Options.Grace; for Options.GraceHTTP if some of its streams are HTTP
// exchanges, since such a session is made of many. It is also over when nothing
// came for Options.Silence and no recorder of its open streams is known to be alive
// (Options.Recorders). A
// stream of many sessions tells in another session's block that it has left one:
// while a session is quiet, what is stored of its streams is looked at for that.
package live
