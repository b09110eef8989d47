// Package replayhttp serves playbacks over HTTP: as an SSE stream, as NDJSON and
// over a WebSocket, either as messages of tapedeck's own (mode=event) or as what
// was recorded (mode=raw).
//
// # Raw
//
// Asked for over the transport it was recorded from, a stream is the recorded
// bytes: with comments, blank lines and the source's own ids, and, at any speed
// but max, with the chunks that it came in: what came in one read goes out in
// one write, and a frame that came in several reads goes out in as many. Over
// SSE and NDJSON nothing is added, neither heartbeats nor an end; that the
// playback is over is told by the end of the body, and a playback that fails
// breaks the connection off instead. Asked for over another transport, every
// frame's payload goes out in that transport's framing.
//
// Raw gives what the client of the recorded stream received, unless direction
// says otherwise, and no heads of HTTP messages.
package replayhttp
