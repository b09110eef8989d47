// Package emulate has the code that the emulated servers share. Each server implements the protocol
// of the server from which a session was recorded, so that a UI or an agent can use a recording in
// place of the server:
//
//	httpreplay      HTTP as the proxy recorded it, and providers' streams at their paths
//	loom            the Loom WebSocket server
//	anthropicagent  POST /agent/run
//	compozy         /api/v0/executions/…/stream
//	router          selects the server that answers
//	stdio           the agent or the server of tools behind "tapedeck record --stdio"
//	jsonrpc         compares JSON-RPC messages
//	isolate         protects the server's origin from recorded pages
//
// loom and compozy read runs, calls and messages from the session's facts. All servers but stdio, whose
// turns have clocks of their own, play a part of a tape (Excerpt) with a player.Player, on its clock:
// the time from a request to a frame is the same as in the recording. A Pacing sets the speed, the
// longest silence and the start.
package emulate
