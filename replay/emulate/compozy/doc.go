// Package compozy serves /api/v0/executions/{workflows,agents,tasks}/{exec_id}/stream
// as Compozy does (its specification, "Streaming Support for Executions"): SSE
// with id, event and data, Last-Event-ID, poll_ms, an allow-list of events, a
// heartbeat, and at most ten minutes to a connection.
//
// An execution that was recorded from Compozy goes out byte for byte, without
// the recorded heartbeats, and without what a connection resumed in the recording
// told a second time. poll_ms is checked and has no further effect: when the
// server looked is in the recorded times.
//
// Sessions of other protocols are offered under their session id as an
// execution. What is structured becomes JSON events: workflow_start,
// workflow_status, agent_start, tool_call, error, complete. What the model says
// becomes llm_chunk: JSON for workflows, plain text for agents and tasks. Of a
// protocol that nothing is known of, JSON frames are structured_delta and the
// others llm_chunk. Ids count from 1 and do not depend on what was asked for.
//
// Last-Event-ID goes on with the next event on the same clock, for text as well.
package compozy
