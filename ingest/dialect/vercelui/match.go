package vercelui

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges a frame by itself. Of the words here start, finish, error, abort,
// custom and file are common: they count for what stands beside them.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		return matchHead(&head)
	}
	switch {
	case in.Direction == schema.Send:
		return matchRequest(in)
	case in.JSON == nil:
		if in.Transport == schema.SSE {
			return dialect.No, ""
		}
		line, _, _ := bytes.Cut(in.Data, []byte("\n"))
		return matchLine(line)
	}
	typ := in.JSON.GetStringBytes("type")
	if w, known := byType[string(typ)]; known {
		return matchChunk(w, in.JSON), "the chunk " + w.name
	}
	has := in.JSON.Exists("data")
	switch {
	case has && bytes.HasPrefix(typ, []byte("data-compozy-")):
		return dialect.Certain, "the data part " + string(typ)
	case has && bytes.HasPrefix(typ, []byte("data-")) && len(typ) <= 64:
		return dialect.Likely, "the data part " + string(typ)
	}
	return dialect.No, ""
}

func matchHead(head *dialect.Head) (dialect.Confidence, string) {
	for _, name := range []string{"x-vercel-ai-ui-message-stream", "x-vercel-ai-data-stream"} {
		if head.Status != 0 && head.Field(name) != nil {
			return dialect.Certain, "the header " + name
		}
	}
	if string(head.Method) == "POST" && bytes.HasSuffix(head.Path, []byte("/api/chat")) {
		return dialect.Possible, "POST /api/chat"
	}
	return dialect.No, ""
}

// matchRequest judges what a chat sends by default.
func matchRequest(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil || !in.JSON.Exists("messages") || len(in.JSON.GetStringBytes("id")) == 0 {
		return dialect.No, ""
	}
	switch string(in.JSON.GetStringBytes("trigger")) {
	case "submit-message", "regenerate-message":
		return dialect.Certain, "a chat's messages with their trigger"
	}
	if in.JSON.Exists("messages", "0", "parts") {
		return dialect.Likely, "a chat's messages with their parts"
	}
	return dialect.No, ""
}

// matchChunk judges a chunk of a known type.
func matchChunk(w word, v *fastjson.Value) dialect.Confidence {
	texts := func(sure dialect.Confidence, names ...string) dialect.Confidence {
		for _, name := range names {
			if x := v.Get(name); x == nil || x.Type() != fastjson.TypeString {
				return dialect.No
			}
		}
		return sure
	}
	switch w.kind {
	case start:
		return max(texts(dialect.Likely, "messageId"), alone(v))
	case finish:
		return max(texts(dialect.Likely, "finishReason"), alone(v))
	case abort:
		return dialect.Possible
	case startStep, finishStep, resetStep:
		return dialect.Likely
	case failure:
		return texts(dialect.Likely, "errorText")
	case metadata:
		if v.Exists("messageMetadata") {
			return dialect.Certain
		}
		return dialect.No
	case textDelta, reasoningDelta:
		return texts(dialect.Certain, "id", "delta")
	case textStart, textEnd, reasoningStart, reasoningEnd:
		return texts(dialect.Likely, "id")
	case output:
		return texts(dialect.Likely, "url", "mediaType")
	case approvalAsked, approvalGiven:
		return texts(dialect.Certain, "approvalId")
	case aside:
		return max(texts(dialect.Certain, "sourceId"), texts(dialect.Possible, "kind"))
	}
	return texts(dialect.Certain, "toolCallId")
}

// alone judges a chunk that may be of only a few words.
func alone(v *fastjson.Value) dialect.Confidence {
	sure := dialect.Possible
	v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
		switch string(key) {
		case "type", "messageId", "messageMetadata", "finishReason":
		default:
			sure = dialect.No
		}
	})
	return sure
}

// matchLine judges a line of a data stream.
func matchLine(line []byte) (dialect.Confidence, string) {
	letter, value, ok := partOf(line)
	if !ok || partNames[letter] == "" {
		return dialect.No, ""
	}
	evidence := "the line " + string(letter) + ": of a data stream"
	has := func(name string) bool { return dialect.RawMember(value, name) != nil }
	switch letter {
	case '9', 'a', 'b', 'c':
		if has("toolCallId") {
			return dialect.Certain, evidence
		}
	case 'd', 'e':
		if has("finishReason") {
			return dialect.Certain, evidence
		}
	case 'f':
		if has("messageId") {
			return dialect.Certain, evidence
		}
	case '0', 'g', '3':
		if value[0] == '"' {
			return dialect.Likely, evidence
		}
	case '2', '8':
		if value[0] == '[' {
			return dialect.Possible, evidence
		}
	default:
		return dialect.Possible, evidence
	}
	return dialect.No, ""
}
