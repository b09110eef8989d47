package geminilive

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// match judges one message. Those of the server and of the client have different members, so that
// their direction does not matter.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if h, ok := dialect.HeadOf(in); ok {
		if bytes.Contains(h.Path, []byte("BidiGenerateContent")) {
			return dialect.Likely, string(h.Method) + " " + dialect.Short(h.Path)
		}
		return dialect.No, ""
	}
	v := in.JSON
	if !dialect.IsObject(v) {
		return dialect.No, ""
	}
	content := v.Get("serverContent")
	for _, name := range [...]string{"modelTurn", "turnComplete", "generationComplete", "interrupted", "inputTranscription", "outputTranscription"} {
		if content.Get(name) != nil {
			return dialect.Certain, "a serverContent with " + name
		}
	}
	for _, m := range [...]struct {
		is   bool
		sure dialect.Confidence
		why  string
	}{
		{dialect.IsArray(v.Get("toolCall", "functionCalls")), dialect.Certain, "a toolCall with functionCalls"},
		{dialect.IsArray(v.Get("toolResponse", "functionResponses")), dialect.Certain, "a toolResponse with functionResponses"},
		{dialect.IsArray(v.Get("clientContent", "turns")), dialect.Certain, "a clientContent with turns"},
		{bytes.Contains(v.GetStringBytes("setup", "model"), []byte("models/")), dialect.Certain, "a setup with its model"},
		{dialect.IsObject(v.Get("setupComplete")) && only(v), dialect.Likely, "a setupComplete"},
		{v.Get("sessionResumptionUpdate", "newHandle") != nil, dialect.Likely, "a sessionResumptionUpdate"},
		{dialect.IsObject(v.Get("realtimeInput")), dialect.Likely, "a realtimeInput"},
		{v.Get(usageMetadata, "responseTokenCount") != nil && v.Get("candidates") == nil, dialect.Likely, "a usageMetadata of a response"},
	} {
		if m.is {
			return m.sure, m.why
		}
	}
	return dialect.No, ""
}

// only reports whether an object has one member.
func only(v *fastjson.Value) bool {
	o, err := v.Object()
	return err == nil && o.Len() == 1
}
