package agui

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// history are the earlier runs with which the answer to a request begins. Since version 1.0 of the
// protocol a run has the id of its request, and earlier runs of the thread may come before it.
type history struct {
	versioned bool   // the request states the version of the protocol
	id        string // the earlier run in progress, or the one that ended last
	over      bool   // it has ended
	at        int64  // when, ns
	runs      uint64
}

// replayed reports whether an event is of an earlier run, which is a frame without facts. Agents
// before 1.0 may ignore the id of the request: what begins then is the run of the request.
func (d *decoder) replayed(in *dialect.Input) bool {
	h := &d.history
	if !d.run.asked || d.Run() == nil {
		return false
	}
	switch in.Type {
	case runStarted:
		id := in.JSON.GetStringBytes("runId")
		versioned := h.versioned || len(in.JSON.GetStringBytes("protocolVersion")) > 0
		if !versioned || d.RunID == "" || len(id) == 0 || string(id) == d.RunID {
			h.id = ""
			return false
		}
		h.id, h.over = string(id), false
		h.runs++
	case runError:
		if h.over {
			h.id = "" // the run of the request failed before it began
		}
	}
	if h.id == "" {
		return false
	}
	if in.Type == runFinished || in.Type == runError {
		h.over, h.at = true, d.Frame.At
	}
	d.late = &run{h.id, d.run.span}
	return true
}

// endHistory ends the run of a request whose answer has only earlier runs: a client that connects
// to a thread asks for them.
func (d *decoder) endHistory() {
	h := d.history
	d.history = history{}
	if !d.run.asked || d.Run() == nil || h.id == "" || !h.over {
		return
	}
	d.run.attrs.AddRaw("replayed_runs", strconv.AppendUint(nil, h.runs, 10))
	d.run.span.Attributes = d.run.attrs.Text()
	span := d.run.span
	d.EndRun(schema.StatusOK, nil)
	span.Ended = h.at
}
