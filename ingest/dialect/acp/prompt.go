package acp

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// open reads the request that begins a session, or continues one without its history.
func (d *decoder) open(m *message) {
	if s := d.present; s != nil {
		s.cost.unknown()
	}
}

// load reads the request that continues a session: what comes until its response is history.
func (d *decoder) load(m *message) {
	d.open(m)
	if s := d.present; s != nil && d.asks(m) != nil {
		s.loading = true
	}
}

// opened reads the response to a request that opens a session. The result may name the model.
func (d *decoder) opened(r *request, m *message) {
	s := r.session
	if s != nil && r.method != "session/fork" {
		s.loading = false
	} else if s = d.session(m.GetStringBytes("result", "sessionId")); s == nil {
		return
	} else if r.method == "session/new" {
		s.cost.began()
	}
	s.RequestModel(m.GetStringBytes("result", "models", "currentModelId"))
	s.options(m.Get("result", "configOptions"))
}

// options reads a session's options, of which one may be the model.
func (s *session) options(list *fastjson.Value) {
	for _, option := range list.GetArray() {
		if string(option.GetStringBytes("category")) == "model" || string(option.GetStringBytes("id")) == "model" {
			s.RequestModel(option.GetStringBytes("currentValue"))
		}
	}
}

func (d *decoder) setModel(m *message) {
	if s := d.present; s != nil {
		s.RequestModel(m.GetStringBytes("params", "modelId"))
	}
}

// setOption reads a request that sets an option. The response has all options, also where the one of
// the model has another id.
func (d *decoder) setOption(m *message) {
	if s := d.present; s != nil && string(m.GetStringBytes("params", "configId")) == "model" {
		s.RequestModel(m.GetStringBytes("params", "value"))
	}
}

// prompt reads a prompt, which begins a run. In version 2 it may be added to the run in progress.
func (d *decoder) prompt(m *message) {
	s := d.present
	if s == nil {
		d.Unknown()
		return
	}
	s.loading = false
	if s.Run() == nil || s.prompting {
		s.endCall(schema.StatusUnclosed)
		s.OpenRun("")
		s.notes = nil
	}
	s.endCall(schema.StatusOK)
	s.prompting, s.asked = d.asks(m) != nil, d.Frame.At
	content := m.params("prompt")
	user := s.UserMessage(dialect.RawWords(content))
	user.Attributes = dialect.Attribute("parts", dialect.OtherParts(content))
}

// answered reads the response to a prompt. In version 1 it ends the run; in version 2 it has no stop
// reason, and says that the prompt was accepted.
func (s *session) answered(m *message) {
	s.prompting = false
	if failure := m.Get("error"); !dialect.IsNull(failure) {
		if failure.GetInt("code") == cancelledCode {
			s.stop(schema.StatusCancelled, nil)
			return
		}
		s.stop(schema.StatusError, failure.GetStringBytes("message"))
		return
	}
	if reason := m.GetStringBytes("result", "stopReason"); len(reason) > 0 {
		s.stopped(reason, nil, dialect.RawMember(m.raw, "result"))
	}
}

// cancelledCode is the code of the error "request cancelled".
const cancelledCode = -32800

// stopped ends the run for a reason. failure is the message of the reason "error", answer has the
// usage.
func (s *session) stopped(reason, failure, answer []byte) {
	status, why := schema.StatusOK, []byte(nil)
	switch string(reason) {
	case "error":
		if status, why = schema.StatusError, failure; len(why) == 0 {
			why = []byte("the agent stopped with an error")
		}
	case "cancelled":
		status = schema.StatusCancelled
	case "refusal":
		status, why = schema.StatusError, []byte("the agent refused to continue")
	}
	s.RunAtEnd()
	s.notes.setText("stop_reason", string(reason))
	s.noted()
	s.usage(answer)
	s.stop(status, why)
}

// stop ends the run. Its tools that did not end are cancelled with it. The wait of one that was not allowed to
// start is not its time.
func (s *session) stop(status schema.Status, why []byte) {
	run := s.RunAtEnd()
	if status == schema.StatusCancelled {
		for len(s.OpenTools()) > 0 {
			tool := s.OpenTools()[0]
			if c := callOf(tool); c.refused || c.waits {
				tool.Span.Started = s.d.Frame.At
			}
			s.EndTool(tool, status, nil)
		}
	}
	if len(why) > 0 {
		s.Say(schema.MessageError, why)
	}
	s.spend(run)
	s.endCall(status)
	s.EndRun(status, why)
	s.asked = 0
}

// noted sets the notes on the run in progress.
func (s *session) noted() {
	if run := s.Run(); run != nil {
		attributes := s.notes.attributes()
		run.Attributes = attributes.Text()
		s.d.Emitter.ChangedSpan(run, s.d.Frame)
	}
}
