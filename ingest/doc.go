// Package ingest holds what all taps share. A tap reads one transport, has a Framer split
// its bytes into frames, and passes the frames to a Stream, which decodes them, packs
// frames and facts into blocks and sends the blocks to a Publisher.
//
// A Stream is a line of stages. Each has its own state and calls only the stage after it.
// The decoder writes facts to an Emitter, from which the segmenter takes them when it cuts.
// The lookahead delays frames only where a frame clock takes their times from the frames;
// the detector has that clock stamp each frame right before it is decoded:
//
//	Record
//	  │ frame
//	  ▼
//	Stream ─► mask ─► lookahead ─► detector ─► decoder ─► segmenter ─► blocker ─► sender ─► Publisher
//	lock      secrets counts       dialect     envelope   sessions     blocks     queue
//	numbers           delays       and         facts      counters     of size    errors
//	timer                          session                ends         and age      │ acknowledged
//	                                              │         ▲                       ▼
//	                                              └─ facts ─┘                     ackTracker ─► Durable
//
// Whether a frame passes depends on the detector's state:
//
//	sniffing ────► settled       the dialect and the session are known
//	    │             ▲
//	    │             │          a later frame shows the dialect: the decoder reads the
//	    ▼             │          copies of all frames before it
//	provisional ──────┘
//
//	sniffing     frames are buffered, up to Settings.DetectFrames, DetectBytes, DetectFor
//	provisional  the bounds were reached without a dialect: frames pass, decoded as generic
//	settled      frames pass
//
// The states of a segment, which is one session's contiguous share of the stream:
//
//	reread ──► open ──► closed ──► delivered
//	  │          │         ▲  the segment is the least recently used of too many, or the
//	  └──────────┴─────────┘  stream ended
//
//	reread  its frames were published before the tap was restarted: they are decoded and
//	        counted again, and no block has them
//	open    its frames and facts wait for a block: for BlockFrames, BlockBytes or BlockAge
//	closed  its end waits for the stream's next block
//
// What is true only after a restart is in reread, within the segmenter. What is true only
// of a dialect that was detected late is in the detector.
package ingest
