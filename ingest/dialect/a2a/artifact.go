package a2a

import (
	"bytes"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// artifact is the message of an artifact.
type artifact struct {
	key             string
	message         *dialect.Message
	name            string
	parts, metadata []byte
}

// artifactUpdate reads an artifact, or a piece of one.
func (d *decoder) artifactUpdate(v *fastjson.Value, raw []byte) {
	t := d.of(v.GetStringBytes("taskId"), v.GetStringBytes("contextId"))
	t.keep(raw)
	if t.Run() == nil && t.known(v.Get("artifact")) {
		return // the task has ended: the event is delivered again
	}
	d.artifact(t, v.Get("artifact"), dialect.RawMember(raw, "artifact"), v.GetBool("append"), v.GetBool("lastChunk"))
}

// artifact records an artifact: it appends to what is known, or replaces it.
func (d *decoder) artifact(t *task, v *fastjson.Value, raw []byte, appended, last bool) {
	if !dialect.IsArray(v.Get("parts")) {
		d.Unknown()
		return
	}
	if appended && t.Run() == nil {
		return
	}
	text, media, others := content(v.GetArray("parts"), dialect.RawMember(raw, "parts"))
	a := t.artifactOf(v, appended)
	if len(text) > 0 {
		t.firstOutput()
		a.message.Media = media
	}
	switch {
	case appended:
		t.Emitter.Append(a.message, text, t.Frame)
	case string(a.message.TextSoFar()) != string(text):
		t.Emitter.SetText(a.message, text, t.Frame)
	}
	if name := v.GetStringBytes("name"); len(name) > 0 {
		a.name = string(name)
	}
	if others != nil {
		a.parts = others
	}
	if metadata := metadataOf(raw); metadata != nil {
		a.metadata = bytes.Clone(metadata)
	}
	t.noteArtifact(a, v.GetStringBytes("artifactId"))
	if last {
		t.Complete(schema.MessageAssistant, []byte(a.key))
	}
}

// known reports whether the task has an artifact.
func (t *task) known(v *fastjson.Value) bool {
	key := artifactKey(v)
	return slices.ContainsFunc(t.artifacts, func(a *artifact) bool { return a.key == key })
}

func artifactKey(v *fastjson.Value) string {
	return "artifact." + string(v.GetStringBytes("artifactId"))
}

// noteArtifact sets the attributes of an artifact's message.
func (t *task) noteArtifact(a *artifact, id []byte) {
	var attrs dialect.Attributes
	if len(id) > 0 {
		attrs.AddText("artifact_id", string(id))
	}
	if a.name != "" {
		attrs.AddText("artifact", a.name)
	}
	attrs.AddRaw("parts", a.parts)
	attrs.AddRaw("metadata", a.metadata)
	a.message.Attributes = attrs.Text()
	t.Emitter.ChangedMessage(a.message, t.Frame)
}

// artifactOf returns an artifact, and begins it if it is not known. An artifact whose start was not
// seen gets an id of this stream.
func (t *task) artifactOf(v *fastjson.Value, appended bool) *artifact {
	id, key := v.GetStringBytes("artifactId"), artifactKey(v)
	for _, a := range t.artifacts {
		if a.key == key {
			return a
		}
	}
	fact := t.ID(string(schema.MessageAssistant))
	if !appended && t.RunID != "" && len(id) > 0 {
		fact = string(schema.MessageAssistant) + ":" + t.RunID + "." + key
	}
	a := &artifact{key: key, message: t.BeginTextAs(schema.MessageAssistant, []byte(key), fact)}
	a.message.Span = t.span.ID
	t.artifacts = dialect.AppendRecent(t.artifacts, a, artifactLimit)
	return a
}
