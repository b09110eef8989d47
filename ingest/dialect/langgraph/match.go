package langgraph

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame: by the name of its event and its data, or by the path of a request.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if h, ok := dialect.HeadOf(in); ok {
		return matchHead(&h)
	}
	if in.JSON == nil || in.Direction == schema.Send || in.Transport == schema.HTTP {
		return dialect.No, ""
	}
	v := in.JSON
	if string(v.GetStringBytes("type")) == "event" && v.Get("params", "namespace") != nil && v.Exists("params", "data") {
		if method := v.GetStringBytes("method"); method != nil {
			return dialect.Certain, "the method " + string(method) + " of a namespace"
		}
	}
	mode, ns, _ := strings.Cut(in.Event, "|")
	sure := matchMode(mode, v)
	if sure == dialect.No {
		return sure, ""
	}
	if ns != "" && taskOf(ns) != "" {
		sure = dialect.Certain
	}
	return sure, "the event " + mode
}

func matchHead(h *dialect.Head) (dialect.Confidence, string) {
	path := dialect.Alias(h.Path)
	switch {
	case h.Status != 0:
		return dialect.No, ""
	case string(h.Method) == "POST" && (strings.HasSuffix(path, "/runs/stream") || strings.HasSuffix(path, "/runs/wait")):
		return dialect.Likely, "POST …" + path[strings.LastIndex(path, "/runs/"):]
	case string(h.Method) == "GET" && strings.Contains(path, "/runs/") && strings.HasSuffix(path, "/stream"):
		return dialect.Likely, "GET …/runs/…/stream"
	}
	return dialect.No, ""
}

func matchMode(mode string, v *fastjson.Value) dialect.Confidence {
	switch mode {
	case "messages/partial", "messages/complete", "messages/metadata":
		return dialect.Certain
	case "messages":
		if pair := v.GetArray(); len(pair) == 2 && pair[1].Exists("langgraph_node") {
			return dialect.Certain
		}
	case "metadata":
		switch {
		case v.GetStringBytes("run_id") != nil && v.Exists("attempt"):
			return dialect.Certain
		case v.GetStringBytes("run_id") != nil:
			return dialect.Likely
		}
	case "debug":
		if dialect.IsNumber(v.Get("step")) && dialect.IsObject(v.Get("payload")) {
			switch string(v.GetStringBytes("type")) {
			case "task", "task_result", "checkpoint":
				return dialect.Certain
			}
		}
	case "tasks":
		if v.Exists("id") && v.Exists("name") {
			switch {
			case dialect.IsArray(v.Get("triggers")), v.Exists("result") && dialect.IsArray(v.Get("interrupts")):
				return dialect.Certain
			case v.Exists("result"):
				return dialect.Likely
			}
		}
	case "checkpoints":
		if v.Exists("config", "configurable") {
			return dialect.Certain
		}
	case "events":
		if v.Exists("run_id") && strings.HasPrefix(string(v.GetStringBytes("event")), "on_") {
			return dialect.Likely
		}
	case "values":
		for _, m := range v.GetArray("messages") {
			if kindOf(m) != other {
				return dialect.Likely
			}
		}
		return dialect.Possible
	case "updates":
		return dialect.Possible
	}
	return dialect.No
}
