package compozy

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// request is what a recorded request states about the stream that answers it.
type request struct {
	exec     string // the execution's id, "" if no request was seen
	filtered bool   // it requests some of the events only
	status   int    // of the answer
}

// executionOf reads a path: /api/v0/executions/{workflows,agents,tasks}/{exec_id}/stream.
func executionOf(path []byte) (exec []byte, workflow, ok bool) {
	_, rest, found := bytes.Cut(path, []byte("/executions/"))
	kind, rest, _ := bytes.Cut(rest, []byte("/"))
	exec, rest, _ = bytes.Cut(rest, []byte("/"))
	switch string(kind) {
	case "workflows", "agents", "tasks":
	default:
		return nil, false, false
	}
	if !found || len(exec) == 0 || string(bytes.TrimSuffix(rest, []byte("/"))) != "stream" {
		return nil, false, false
	}
	return exec, string(kind) == "workflows", true
}

// head reads the head of a request, or of its answer.
func (d *decoder) head(h *dialect.Head, in *dialect.Input) {
	if h.Status != 0 {
		d.request.status = h.Status
		d.Address()
		return
	}
	exec, workflow, ok := executionOf(h.Path)
	if !ok {
		return
	}
	if own := d.execID.Own(exec); own != d.request.exec {
		d.leave()
		d.sequence.restart()
		d.request.exec, d.RunID = own, own
	}
	d.sequence.workflow = workflow
	d.request.filtered = asksForSome(in.Raw)
	d.Address()
}

// asksForSome reports whether a request's target has a non-empty "events".
func asksForSome(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\r\n"))
	_, query, _ := bytes.Cut(line, []byte("?"))
	query, _, _ = bytes.Cut(query, []byte(" "))
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		if name, value, _ := bytes.Cut(pair, []byte("=")); string(name) == "events" && len(value) > 0 {
			return true
		}
	}
	return false
}

// answer reads the body of an answer that is not a stream: the server refused the request. The
// execution does not end, as it continues without this client.
func (d *decoder) answer(in *dialect.Input) bool {
	if in.Transport != schema.HTTP {
		return in.Direction == schema.Send // the body of a request
	}
	d.Address()
	if in.Direction == schema.Send || d.request.status != 0 && d.request.status < 400 {
		return true
	}
	in.Type = "error"
	if text := refusal(in); len(text) > 0 {
		d.Say(schema.MessageError, text)
	}
	return true
}

// refusal returns the text of an error answer: {"error":{"message"}}, a problem's "detail", or
// the whole body.
func refusal(in *dialect.Input) []byte {
	if !dialect.IsObject(in.JSON) {
		return bytes.TrimSpace(in.Data)
	}
	for _, path := range [][]string{{"error", "message"}, {"detail"}, {"message"}, {"error"}, {"title"}} {
		if text := in.JSON.GetStringBytes(path...); len(text) > 0 {
			return text
		}
	}
	return in.Data
}
