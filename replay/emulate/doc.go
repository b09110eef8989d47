// Package emulate provides the shared parts of the emulated servers. Each of them
// implements the protocol of the server that a session was recorded from, so that a UI
// or an agent can use a recording in place of the server:
//
//	httpreplay      HTTP as the proxy recorded it, and providers' streams at their paths
//	loom            the Loom WebSocket server
//	anthropicagent  POST /agent/run
//	compozy         /api/v0/executions/…/stream
//	router          selects the server that answers
//	isolate         protects the server's origin from recorded pages
//
// loom and compozy take runs, calls and messages from the session's facts.
// All of them play a part of a tape (Excerpt) with a player.Player, on its
// clock: a frame is sent as long after its request as it was when
// it was recorded. A Pacing sets the speed, the longest silence and the start.
package emulate
