package vercelui

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// chunk describes a type of chunk. Types without read are ignored.
type chunk struct {
	read  func(*decoder, *dialect.Input)
	judge func(*fastjson.Value) dialect.Confidence
}

// chunks has the types of the UI message stream except data-*. Other protocols also have start,
// finish, error, abort, custom and file: their other members are the evidence.
var chunks = dialect.NewTypes(map[string]chunk{
	"start":            {(*decoder).start, orAlone(texts(dialect.Likely, "messageId"))},
	"start-step":       {(*decoder).startStep, texts(dialect.Likely)},
	"finish-step":      {(*decoder).finishStep, texts(dialect.Likely)},
	"reset-step":       {(*decoder).resetStep, texts(dialect.Likely)},
	"finish":           {(*decoder).finished, orAlone(texts(dialect.Likely, "finishReason"))},
	"abort":            {(*decoder).abort, texts(dialect.Possible)},
	"error":            {(*decoder).error, texts(dialect.Likely, "errorText")},
	"message-metadata": {(*decoder).metadata, hasMetadata},

	"text-start":      {completes(schema.MessageAssistant), texts(dialect.Likely, "id")},
	"text-delta":      {says(schema.MessageAssistant), texts(dialect.Certain, "id", "delta")},
	"text-end":        {completes(schema.MessageAssistant), texts(dialect.Likely, "id")},
	"reasoning-start": {completes(schema.MessageThinking), texts(dialect.Likely, "id")},
	"reasoning-delta": {says(schema.MessageThinking), texts(dialect.Certain, "id", "delta")},
	"reasoning-end":   {completes(schema.MessageThinking), texts(dialect.Likely, "id")},
	"reasoning-file":  {(*decoder).file, texts(dialect.Likely, "url", "mediaType")},
	"file":            {(*decoder).file, texts(dialect.Likely, "url", "mediaType")},
	"source-url":      {nil, texts(dialect.Certain, "sourceId")},
	"source-document": {nil, texts(dialect.Certain, "sourceId")},
	"custom":          {nil, texts(dialect.Possible, "kind")},

	"tool-input-start":       {(*decoder).toolInput, texts(dialect.Certain, "toolCallId")},
	"tool-input-delta":       {(*decoder).toolInput, texts(dialect.Certain, "toolCallId")},
	"tool-input-available":   {(*decoder).toolInput, texts(dialect.Certain, "toolCallId")},
	"tool-input-error":       {(*decoder).toolInput, texts(dialect.Certain, "toolCallId")},
	"tool-output-available":  {(*decoder).toolOutput, texts(dialect.Certain, "toolCallId")},
	"tool-output-error":      {(*decoder).toolOutput, texts(dialect.Certain, "toolCallId")},
	"tool-output-denied":     {(*decoder).toolOutput, texts(dialect.Certain, "toolCallId")},
	"tool-approval-request":  {(*decoder).approvalRequest, texts(dialect.Certain, "approvalId")},
	"tool-approval-response": {(*decoder).approvalResponse, texts(dialect.Certain, "approvalId")},
})

// texts returns a judge that requires members that are strings.
func texts(sure dialect.Confidence, names ...string) func(*fastjson.Value) dialect.Confidence {
	return func(v *fastjson.Value) dialect.Confidence {
		for _, name := range names {
			if v.GetStringBytes(name) == nil {
				return dialect.No
			}
		}
		return sure
	}
}

// orAlone returns a judge that also accepts a chunk with no other members than the start and end
// of a message have.
func orAlone(judge func(*fastjson.Value) dialect.Confidence) func(*fastjson.Value) dialect.Confidence {
	return func(v *fastjson.Value) dialect.Confidence {
		sure := dialect.Possible
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			switch string(key) {
			case "type", "messageId", "messageMetadata", "finishReason":
			default:
				sure = dialect.No
			}
		})
		return max(sure, judge(v))
	}
}

func hasMetadata(v *fastjson.Value) dialect.Confidence {
	if v.Exists("messageMetadata") {
		return dialect.Certain
	}
	return dialect.No
}

// completes returns a handler for a chunk before or after the deltas of a text part.
func completes(kind schema.MessageKind) func(*decoder, *dialect.Input) {
	return func(d *decoder, in *dialect.Input) { d.Complete(kind, in.JSON.GetStringBytes("id")) }
}

// says returns a handler for a delta of a text part.
func says(kind schema.MessageKind) func(*decoder, *dialect.Input) {
	return func(d *decoder, in *dialect.Input) {
		d.say(kind, in.JSON.GetStringBytes("id"), in.JSON.GetStringBytes("delta"))
	}
}

func (d *decoder) start(in *dialect.Input) {
	d.beginMessage(in.JSON.GetStringBytes("messageId"))
	d.metadata(in)
}

func (d *decoder) startStep(*dialect.Input) { d.beginStep() }

func (d *decoder) finishStep(*dialect.Input) { d.endStep() }

func (d *decoder) finished(in *dialect.Input) {
	d.metadata(in)
	d.finish(in.JSON.GetStringBytes("finishReason"))
}

// file reads output of the model that is not text.
func (d *decoder) file(*dialect.Input) { d.spoken() }

func (d *decoder) error(in *dialect.Input) { d.failed(in.JSON.GetStringBytes("errorText")) }
