package compozy

import (
	"math"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// agentStarts reads {"agentId","action"?}: a step of a workflow.
func (d *decoder) agentStarts(e *event) {
	d.resume()
	if name := e.text("agentId", "agent_id"); len(name) > 0 {
		d.Agent, d.run.stepAgent = d.agentID.Own(name), true
	}
	step := d.OpenStep(d.Agent)
	if action := e.text("action", "action_id"); len(action) > 0 {
		step.Attributes = dialect.TextAttribute("action", dialect.Short(action))
	}
}

// stage reads {"component","stage","iteration"?,"metadata"?}. Its tokens are the tokens of the
// context and do not count: the last event has the whole usage.
func (d *decoder) stage(e *event) {
	switch name := e.text("stage"); string(name) {
	case "llm_request":
		d.resume()
		d.run.called = true
		d.Complete(schema.MessageAssistant, nil)
		call := d.OpenCall()
		call.Name = dialect.Short(e.text("component"))
		call.Attributes = e.notes("request")
	case "llm_response":
		d.resume()
		d.run.called = true
		call := d.Call()
		if call == nil {
			call = d.OpenCall()
			call.Name, call.Started = dialect.Short(e.text("component")), 0 // only its end was seen
		}
		d.Complete(schema.MessageAssistant, nil)
		call.Attributes = e.notes("response")
		d.EndCall(schema.StatusOK)
	case "loop_restart":
		d.resume()
		d.run.restarts++
		d.noteRun()
	default:
		if statusOf(e.text("status")) == "" {
			d.Unknown()
			return
		}
		d.progress(e)
	}
}

// notes returns the attributes of a call: the iteration of the loop, and the engine's metadata of
// the request or response.
func (e *event) notes(of string) string {
	var a dialect.Attributes
	a.AddRaw("iteration", e.raw("iteration"))
	if more := e.raw("metadata"); len(more) <= noteLimit {
		a.AddRaw(of, more)
	}
	return a.Text()
}

// Bounds of attributes, bytes: one note, and all warnings.
const (
	noteLimit    = 16 << 10
	warningLimit = 2 << 10
)

// warn reads {"code","details"} into an attribute of the run.
func (d *decoder) warn(e *event) {
	if d.run.ended {
		return
	}
	d.inRun()
	var a dialect.Attributes
	a.AddRaw("code", e.raw("code"))
	a.AddRaw("details", e.raw("details"))
	text := a.Text()
	if text == "" || len(d.run.warnings)+len(text) >= warningLimit {
		return
	}
	d.run.warnings.Add([]byte(text))
	d.noteRun()
}

// milliseconds returns the first duration that exists, ns.
func milliseconds(values ...*fastjson.Value) (ns int64, ok bool) {
	for _, v := range values {
		if v == nil {
			continue
		}
		ms, err := v.Float64()
		if err == nil && ms >= 0 && ms < math.MaxInt64/1e6 {
			return int64(math.Round(ms * 1e6)), true
		}
	}
	return 0, false
}
