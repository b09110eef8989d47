// Package replayhttp serves playbacks over HTTP: as an SSE stream, as NDJSON and over a WebSocket,
// either as messages in tapedeck's format (mode=event) or as recorded (mode=raw).
//
// # Raw
//
// Over the transport from which it was recorded, a stream consists of the recorded bytes, including
// comments, blank lines and the source's ids. At any speed except max it also has the recorded
// chunks: the bytes of one read are sent in one write, and a frame that arrived in several reads is
// sent in as many writes. Over SSE and NDJSON nothing is added, neither heartbeats nor an end
// message: the end of the body is the end of the playback, and a playback that fails closes the
// connection in the middle of the body. Over another transport, every frame's payload is sent in
// that transport's framing.
//
// Raw sends the bytes that the client of the recorded stream received, unless the parameter
// direction selects otherwise, without heads of HTTP messages.
package replayhttp
