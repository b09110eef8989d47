package langgraph

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// sse reads an event of /runs/stream. Its name is a mode, and after "
// " the namespace of its subgraph.
func (d *decoder) sse(in *dialect.Input) {
	mode, ns, _ := strings.Cut(in.Event, "|")
	in.Type = nameOf(mode)
	in.Node = taskOf(ns)
	v := in.JSON
	switch mode {
	case "metadata":
		d.metadata(v)
	case "end":
		d.ended()
	case "error":
		d.failed(v)
	default:
		if !d.mode(mode, ns, v, in.Data) {
			d.Unknown()
		}
	}
}

// nameOf returns a copy of the name of a mode.
func nameOf(mode string) string {
	for _, known := range [...]string{"messages", "messages/partial", "updates", "values", "custom", "events", "tasks", "debug"} {
		if known == mode {
			return known
		}
	}
	return dialect.Intern([]byte(mode))
}

// mode reads the data of a mode. It reports whether the mode is known.
func (d *decoder) mode(mode, ns string, v *fastjson.Value, data []byte) bool {
	switch mode {
	case "values":
		d.inRun()
		if ns == "" {
			d.values(v, data)
		}
	case "updates":
		d.inRun()
		d.updates(v, data, ns)
	case "messages":
		d.tuple(v, data)
	case "messages/partial", "messages/complete":
		d.snapshots(v, data, mode == "messages/complete")
	case "messages/metadata":
		d.messagesMetadata(v)
	case "tasks":
		d.task(v, ns)
	case "debug":
		d.debug(v, ns)
	case "checkpoints":
		d.checkpoint(v, ns)
	case "events":
		d.callback(v, data)
	case "custom", "feedback":
	default:
		return false
	}
	return true
}

// metadata reads the first event, which names the run.
func (d *decoder) metadata(v *fastjson.Value) {
	d.named(v.GetStringBytes("run_id"))
	if attempt := v.GetUint64("attempt"); attempt > 1 {
		run := d.inRun()
		d.attrs.AddRaw("attempt", v.Get("attempt").MarshalTo(nil))
		run.Attributes = d.attrs.Text()
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}

func (d *decoder) ended() {
	if d.conv.Run() != nil {
		d.end(schema.StatusOK, nil)
	}
}

// failed reads an error event, {error, message}, which ends its run.
func (d *decoder) failed(v *fastjson.Value) {
	name, why := v.GetStringBytes("error"), dialect.FirstText(v, "message", "error")
	if why == nil {
		why = v.GetStringBytes()
	}
	d.inRun()
	if len(why) > 0 {
		m := d.conv.Say(schema.MessageError, why)
		if len(name) > 0 {
			m.Attributes = dialect.TextAttribute("error", string(name))
		}
	}
	status := schema.StatusError
	switch string(name) {
	case "CancelledError", "UserInterrupt", "UserRollback":
		status = schema.StatusCancelled
	}
	d.end(status, why)
}

// taskOf returns the id of the task in which a namespace's subgraph runs. Namespaces are
// "node:task
// node:task".
func taskOf(ns string) string {
	for ns != "" {
		i := strings.LastIndexByte(ns, '|')
		if _, id, ok := strings.Cut(ns[i+1:], ":"); ok {
			return id
		}
		ns = ns[:max(i, 0)]
	}
	return ""
}
