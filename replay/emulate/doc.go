// Package emulate has what the servers below it share. Each of them speaks the
// protocol of the server that a session was recorded from, so that a UI or an
// agent is pointed at a recording and cannot tell:
//
//	exchange        HTTP as a proxy saw it, and providers' streams at their paths
//	loom            the Loom WebSocket server
//	anthropicagent  POST /agent/run
//	compozy         /api/v0/executions/…/stream
//	front           which of them answers
//
// All of them play a part of a tape (Excerpt) with a replay.Player, on its
// clock: a frame is as late after the request that asks for it as it was when
// it was recorded. A Pace says how: speed, silences, where to begin.
package emulate
