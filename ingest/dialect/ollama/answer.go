package ollama

import (
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// answer reads a line of a response. said is the object with the text, whose member name is text;
// it is nil for a line without text.
func (d *decoder) answer(in *dialect.Input, said *fastjson.Value, text string, raw []byte) {
	v := in.JSON
	if d.Run() == nil {
		if at := timeOf(in); at != 0 && (at < d.ended || at == d.ended && xxhash.Sum64(in.Data) == d.final) {
			return // the end of the previous response again
		}
		d.begin() // the request was not seen
		d.begins(v, said, text)
	}
	d.names(v.GetStringBytes("model"))
	d.CorrectModel(v.GetStringBytes("model"), provider, d.Call(), d.Run())
	d.grow(schema.MessageThinking, said.GetStringBytes("thinking"))
	if content := said.GetStringBytes(text); len(content) > 0 {
		d.Complete(schema.MessageThinking, nil)
		d.grow(schema.MessageAssistant, content)
	}
	dialect.Elements(said.GetArray("tool_calls"), dialect.RawMember(raw, "tool_calls"), 0, d.toolCall)
	if v.GetBool("done") {
		d.ended, d.final = timeOf(in), xxhash.Sum64(in.Data)
		d.done(v, in.Data)
	}
}

// begins reads the first line of a response without a request. If the line also ends the
// response, has no text and counts tokens, then the text was among the lines of the previous
// response, as lines do not name their response.
func (d *decoder) begins(v, said *fastjson.Value, text string) {
	const empty = 1 // a response without text counts one token
	silent := len(said.GetStringBytes(text)) == 0 && len(said.GetStringBytes("thinking")) == 0 && len(said.GetArray("tool_calls")) == 0
	if d.latest != nil && v.GetBool("done") && silent && v.GetUint64("eval_count") > empty {
		d.mixed = true
		d.mark(d.latest)
	}
}

// names notes the model that a line names. All lines of a response name the same model.
func (d *decoder) names(model []byte) {
	switch {
	case len(model) == 0 || string(model) == d.name:
	case d.name != "":
		d.mixed = true
	default:
		d.name = string(model)
	}
}

// mark records on a run that it may have lines of another response.
func (d *decoder) mark(run *dialect.Span) {
	run.Attributes = dialect.Inseparable(run.Attributes)
	d.Emitter.ChangedSpan(run, d.Frame)
}

func (d *decoder) grow(kind schema.MessageKind, chunk []byte) {
	if len(chunk) > 0 {
		d.Append(kind, nil, chunk)
	}
}

// toolCall reads a tool call, which always comes whole. The client executes it.
func (d *decoder) toolCall(_ int, v *fastjson.Value, raw []byte) {
	d.CompleteAll()
	tool := d.Tool(v.GetStringBytes("id"), v.GetStringBytes("function", "name"))
	if args := dialect.RawPath(raw, "function.arguments"); !dialect.RawNull(args) {
		text, _ := dialect.RawContent(args)
		d.SetArguments(tool, text)
	}
	d.FirstToken()
	d.Wait(tool)
}

// done reads the last line, which has the usage and the durations.
func (d *decoder) done(v *fastjson.Value, raw []byte) {
	run, call := d.Run(), d.Call()
	d.CountHere(&counting, call, countsOf(raw))
	if ns := v.GetUint64("total_duration"); ns < 1<<52 {
		run.Duration, call.Duration = int64(ns), int64(ns)
	}
	var attrs dialect.Attributes
	reason := v.GetStringBytes("done_reason")
	if len(reason) > 0 {
		attrs.AddText("stop_reason", string(reason))
	}
	run.Attributes = attrs.Text()
	for _, name := range []string{"load_duration", "prompt_eval_duration", "eval_duration"} {
		if ns, ok := dialect.RawUint(dialect.RawMember(raw, name)); ok {
			attrs.AddRaw(name+"_ns", strconv.AppendUint(nil, ns, 10))
		}
	}
	call.Attributes = attrs.Text()
	if d.mixed {
		d.mark(run)
	}
	d.latest = run
	d.EndRun(schema.StatusOK, nil)
}

// countsOf returns an object with the counts and durations of the last line, which may also hold
// the whole answer.
func countsOf(line []byte) []byte {
	var counts dialect.Attributes
	for _, name := range []string{
		"total_duration", "load_duration", "prompt_eval_count", "prompt_eval_cached_count", "prompt_eval_duration",
		"eval_count", "eval_duration",
	} {
		counts.AddRaw(name, dialect.RawMember(line, name))
	}
	return []byte(counts.Text())
}

// counting is how the last line counts. prompt_eval_count includes tokens from the prompt cache.
// eval_count includes thinking, which is not stated separately.
var counting = dialect.Counting{
	Input: "prompt_eval_count", CacheRead: "prompt_eval_cached_count", Output: "eval_count",
	InputHoldsCache: true, Mode: schema.UsageAdd,
}
