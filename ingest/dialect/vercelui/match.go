package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame.
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
	if known, ok := chunks[string(typ)]; ok {
		return known.Handle.judge(in.JSON), "the chunk " + known.Name
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

// matchRequest judges the default request of a chat.
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

// matchLine judges a line of a data stream.
func matchLine(line []byte) (dialect.Confidence, string) {
	letter, value, ok := partOf(line)
	p := &parts[letter]
	if !ok || p.name == "" || p.opens != 0 && value[0] != p.opens || p.member != "" && dialect.RawMember(value, p.member) == nil {
		return dialect.No, ""
	}
	return p.sure, "the line " + string(letter) + ": of a data stream"
}
