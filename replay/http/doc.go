// Package replayhttp serves playbacks over HTTP: as an SSE stream, as NDJSON and
// over a WebSocket, either as messages in tapedeck's format (mode=event) or as
// recorded (mode=raw).
//
// # Raw
//
// Over the transport that it was recorded from, a stream consists of the recorded
// bytes: with comments, blank lines and the source's ids and, at any speed
// except max, with the recorded chunks: the bytes of one read are sent in
// one write, and a frame that came in several reads is sent in as many. Over
// SSE and NDJSON nothing is added, neither heartbeats nor an end message: the end of
// the body marks the end of the playback, and a playback that fails
// breaks the connection off. Over another transport, every
// frame's payload is sent in that transport's framing.
//
// Raw sends what the client of the recorded stream received, unless the parameter
// direction selects otherwise, without heads of HTTP messages.
package replayhttp
