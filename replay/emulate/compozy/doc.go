// Package compozy serves /api/v0/executions/{workflows,agents,tasks}/{exec_id}/stream like Compozy
// (its specification, "Streaming Support for Executions"): SSE with id, event and data,
// Last-Event-ID, poll_ms, an allow-list of events and a heartbeat. A connection ends with the first
// event after ten minutes, so that a client gets past a silence of any length.
//
// An execution that was recorded from Compozy is sent byte for byte, without the recorded
// heartbeats and without events that a resumed connection repeated in the recording. poll_ms is
// validated and has no further effect: the server's polling is part of the recorded times.
//
// A session of another protocol is available as an execution under its session id. The events are
// made from the session's facts: workflow_start, workflow_status (nodes), agent_start, tool_call,
// error, complete. Text of the model becomes llm_chunk: JSON for workflows, plain text for agents
// and tasks. In a stream without facts, such as one of an unknown protocol, JSON frames become
// structured_delta and others llm_chunk. Ids count from 1 and do not depend on the request.
//
// Last-Event-ID continues with the next event on the same clock, even within text.
package compozy
