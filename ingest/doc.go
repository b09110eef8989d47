// Package ingest holds the code that all taps share. A tap reads one transport, uses a Framer to
// split the bytes into frames, and passes the frames to a Stream. The Stream decodes the frames,
// packs frames and facts into blocks and sends the blocks to a Publisher.
//
// A Stream is a pipeline of stages. Each stage has its own state and calls only the next stage. The
// decoder writes facts to an Emitter, from which the segmenter takes them when it cuts. The
// lookahead delays frames only if a frame clock takes their times from the frames; the detector has
// that clock stamp each frame right before the frame is decoded:
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
// The state of the detector determines whether it passes a frame on:
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
//	        counted again, and are in no block
//	open    its frames and facts wait for a block, bounded by BlockFrames, BlockBytes and BlockAge
//	closed  its end waits for the stream's next block
//
// State that exists only after a restart is in reread, within the segmenter. State that exists only
// for a dialect that was detected late is in the detector.
package ingest
